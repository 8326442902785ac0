import { describe, expect, it } from "vitest";
import { checkMove, readStackContent, type StackContent } from "../support/independent-check.ts";
import { startSandbox } from "../support/start-sandbox.ts";

/** Returns a stack, and a copy of it whose records have other ids. */
async function stackAndCopy(): Promise<{ stack: StackContent; copy: StackContent }> {
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const stack = await readStackContent(sandbox);
  const copy = JSON.stringify(stack).replaceAll(/\b[\da-f]{24}\b/g, (id) => `f${id.slice(1)}`);
  return { stack, copy: JSON.parse(copy) as StackContent };
}

const failing = (source: StackContent, target: StackContent): (readonly string[])[] =>
  checkMove(source, target).map(([, against]) => against);

describe("checkMove", () => {
  it("reports nothing if only the ids differ", async () => {
    const { stack, copy } = await stackAndCopy();
    expect(failing(stack, copy)).toEqual([[], [], [], []]);
  });

  it("reports a dashboard that is missing or stored twice", async () => {
    const { stack, copy } = await stackAndCopy();
    const [first = {}, ...others] = copy.dashboards;
    const line = `/${String(first["name"])}/id: ${String(first["name"])}`;
    expect(failing(stack, { ...copy, dashboards: others })[0]).toContain(`missing: ${line}`);
    expect(failing(stack, { ...copy, dashboards: [first, first, ...others] })[0]).toContain(`not expected: ${line}`);
  });

  it("reports a saved search on another source, and an alert on another saved search", async () => {
    const { stack, copy } = await stackAndCopy();
    const [first = {}, second = {}] = copy["saved-searches"];
    const moved = { ...first, sourceId: second["sourceId"] };
    const line = `/${String(first["name"])}/sourceId`;
    expect(failing(stack, { ...copy, "saved-searches": [moved, second] })[1]?.[0]).toContain(line);
    const swapped = copy.alerts.map((each) =>
      each["savedSearchId"] === first["id"] ? { ...each, savedSearchId: second["id"] } : each,
    );
    expect(failing(stack, { ...copy, alerts: swapped })[2]?.[0]).toContain("/savedSearchId");
  });

  it("reports an alert on another tile, and an alert with another webhook", async () => {
    const { stack, copy } = await stackAndCopy();
    const [first = {}, second = {}, ...others] = copy.alerts;
    const tile = { ...first, tileId: others[0]?.["tileId"] };
    const webhook = { ...second, channels: (second["channels"] as unknown[]).slice(1) };
    const against = failing(stack, { ...copy, alerts: [tile, webhook, ...others] })[2] ?? [];
    expect(against.some((line) => line.includes(`/${String(first["name"])}/tileId`))).toBe(true);
    expect(against.some((line) => line.includes(`/${String(second["name"])}/channels`))).toBe(true);
  });

  it("reports a source id in the text of a target record", async () => {
    const { stack, copy } = await stackAndCopy();
    const id = String(stack.dashboards[0]?.["id"]);
    const [first = {}, ...others] = copy.dashboards;
    const target = { ...copy, dashboards: [{ ...first, tags: [`see /dashboards/${id}`] }, ...others] };
    expect(failing(stack, target)[3]).toEqual([id]);
  });
});
