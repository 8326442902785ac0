import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { importStage, outcomeOf, sentTo, storedRecords, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, webhook } from "../support/stack-records.ts";
import { logs } from "../support/usual-stacks.ts";

const ours = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const theirs = dashboard(hexId("b", 16), "Overview", hexId("b", 1));
const hooks = (letter: "a" | "b"): JsonObject[] =>
  [2, 3].map((number) => webhook(hexId(letter, number), `hook ${number}`));
const channels = [2, 3].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
const archive = records({
  dashboards: [ours],
  alerts: [alert(hexId("a", 32), "Both", ours, hexId("a", 2), { channels })],
  sources: [logs],
  webhooks: hooks("a"),
});
const { channels: _all, ...older } = alert(hexId("b", 40), "Other", theirs, hexId("b", 2));

/** A self-hosted stack, of an older release where its alerts show one channel alone. */
const target = (alerts: JsonObject[]): MemoryStack =>
  memoryStack({
    dashboards: [theirs],
    alerts,
    sources: [source(hexId("b", 1), "Logs", hexId("c", 1))],
    webhooks: hooks("b"),
  });

describe("an alert of two channels onto a self-hosted stack", () => {
  it("is blocked where no alert there shows more than a channel, also as an update", async () => {
    const { channels: _both, ...both } = alert(hexId("b", 32), "Both", theirs, hexId("b", 2), { threshold: 4 });
    for (const alerts of [[older], [older, both]]) {
      const stack = target(alerts);
      const run = await importStage(stack).run(archive, { onConflict: "update" });
      expect(outcomeOf(run, "Both")).toMatchObject({ action: "blocked", code: "several-channels" });
      expect(outcomeOf(run, "Both")?.message).toContain("hook 3");
      expect(writesOn(stack)).toEqual([]);
      expect(run.exitCode).toBe(3);
    }
  });

  it("is written whole where an alert there shows its channels, or none is there to tell", async () => {
    for (const alerts of [[], [alert(hexId("b", 40), "Other", theirs, hexId("b", 2))]]) {
      const stack = target(alerts);
      const run = await importStage(stack).run(archive);
      expect(outcomeOf(run, "Both")).toMatchObject({ action: "create", status: "done" });
      expect(sentTo(stack, "create alerts")).toMatchObject([{ channels: [{}, {}] }]);
    }
  });

  it("has failed where the stack keeps one channel alone", async () => {
    const stack = target([]);
    stack.keep = (_, { channels: _dropped, ...kept }) => kept;
    const run = await importStage(stack).run(archive);
    expect(outcomeOf(run, "Both")).toMatchObject({ action: "create", status: "failed", code: "not-stored" });
    expect(run.warnings).toContainEqual(expect.objectContaining({ code: "not-stored", pointer: "/channels" }));
    expect(run.exitCode).toBe(3);
    expect(storedRecords(stack, "alerts")).toHaveLength(1);
  });
});

describe("a dashboard of which the stack drops a condition", () => {
  const [tile] = ours["tiles"] as JsonObject[];
  const select = [{ aggFn: "count", where: "level:error", whereLanguage: "lucene" }];
  const config = { displayType: "line", sourceId: hexId("a", 1), fillNulls: true, select };
  const board = { ...ours, tiles: [{ ...tile, config }] };
  const without = (value: string): JsonObject => JSON.parse(value.replace('"where":"level:error",', "")) as JsonObject;

  it.each([
    ["create", []],
    ["update", [theirs]],
  ] as const)("has failed: %s", async (action, there) => {
    const stack = target([]);
    if (there.length === 0) stack.records.get("dashboards")?.clear();
    stack.keep = (_, body) => without(JSON.stringify(body));
    const changed = archive.map((record) => (record.kind === "dashboards" ? { ...record, body: board } : record));
    const run = await importStage(stack).run(changed, { onConflict: "update" });
    expect(outcomeOf(run, "Overview")).toMatchObject({ action, status: "failed", code: "not-stored" });
    expect(run.exitCode).toBe(3);
  });
});
