import { describe, expect, it } from "vitest";
import type { ImportStage, JsonObject, RunOptions } from "../support/import-stage.ts";
import { outcomeOf, statefulStage, storedRecords } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, webhook } from "../support/stack-records.ts";
import { dependencies, fromOtherStack, usualTarget } from "../support/import-samples.ts";

const NAMES = ["chat", "pager", "mail"];
const hooks = (letter: "a" | "b"): JsonObject[] => NAMES.map((name, at) => webhook(hexId(letter, 2 + at), name));
const board = dashboard(hexId("a", 16), "Board", hexId("a", 1));

/** Returns an archive with one alert that notifies these webhooks. */
function archiveNotifying(names: readonly string[], more: JsonObject = {}): ReturnType<typeof records> {
  const channels = names.map((name) => ({ type: "webhook", webhookId: hexId("a", 2 + NAMES.indexOf(name)) }));
  const busy = alert(hexId("a", 32), "Busy", board, hexId("a", 2), { channel: channels[0] ?? null, channels, ...more });
  return records({ ...dependencies.ours, webhooks: hooks("a"), dashboards: [board], alerts: [busy] });
}

/** Returns, for each alert "Busy" of the target, the names of its webhooks, joined by "+". */
function notifiedWebhooks(stack: MemoryStack): string[] {
  const names = new Map(hooks("b").map(({ id }, at) => [id, NAMES[at]]));
  const ofAlert = ({ channel, channels = [channel] }: Readonly<Record<string, unknown>>): string =>
    (channels as JsonObject[]).map(({ webhookId = "" }) => names.get(webhookId)).join("+");
  return storedRecords(stack, "alerts")
    .filter(({ name }) => name === "Busy")
    .map(ofAlert)
    .toSorted();
}

/** Splits an alert by its channels, on a target whose alerts show one channel; afterwards the target shows several channels. */
async function splitStage(
  names: readonly string[],
): Promise<{ readonly stack: MemoryStack; readonly stage: ImportStage }> {
  const theirBoard = dashboard(hexId("b", 17), "Theirs", hexId("b", 1));
  const { channels, ...one } = alert(hexId("b", 40), "Theirs", theirBoard, hexId("b", 2));
  const stack = usualTarget({ webhooks: hooks("b"), dashboards: [theirBoard], alerts: [one] });
  const stage = statefulStage(stack);
  await stage.run(archiveNotifying(names), { ...fromOtherStack, splitChannels: true });
  expect(notifiedWebhooks(stack)).toEqual(names.toSorted());
  stack.records.get("alerts")?.set(hexId("b", 40), { ...one, channels: channels ?? [] });
  return { stack, stage };
}

describe("an alert that was split by its channels", () => {
  it.each<RunOptions>([{}, { splitChannels: true }])(
    "stays split though the target shows several since: %o",
    async (options) => {
      const { stack, stage } = await splitStage(["chat", "pager"]);
      const changed = archiveNotifying(["chat", "pager"], { threshold: 7 });
      const run = await stage.run(changed, { ...fromOtherStack, ...options });
      expect(run.exitCode).toBe(0);
      expect(notifiedWebhooks(stack)).toEqual(["chat", "pager"]);
      const thresholds = storedRecords(stack, "alerts").filter(({ name }) => name === "Busy");
      expect(thresholds.map(({ threshold }) => threshold)).toEqual([7, 7]);
    },
  );

  it("is written whole once somebody has deleted its parts on the target", async () => {
    const { stack, stage } = await splitStage(["chat", "pager"]);
    const [part = ""] = [...stage.state].flatMap(([key, { targetId }]) => (key.endsWith("#2") ? [targetId] : []));
    stack.records.get("alerts")?.delete(part);
    await stage.run(archiveNotifying(["chat", "pager"], { threshold: 7 }), fromOtherStack);
    expect(notifiedWebhooks(stack)).toEqual(["chat+pager"]);
  });

  it("is named if it has lost a channel since, and --mirror deletes the extra alert", async () => {
    const { stack, stage } = await splitStage(["chat", "pager", "mail"]);
    const fewer = archiveNotifying(["pager", "mail"]);
    const extra = async (options: RunOptions): Promise<readonly string[]> => {
      const { events } = await stage.run(fewer, { ...fromOtherStack, ...options });
      return events.flatMap((event) => (event.type === "warning" ? [event.warning.code] : []));
    };
    expect(await extra({})).toEqual(["extra-alert"]);
    expect(notifiedWebhooks(stack)).toEqual(["mail", "mail", "pager"]);
    expect(await extra({ filter: { include: [], exclude: ["Busy"] } })).not.toContain("extra-alert");
    expect(await extra({ mirror: {} })).toEqual([]);
    expect(notifiedWebhooks(stack)).toEqual(["mail", "pager"]);
    const again = await stage.run(fewer, { ...fromOtherStack, mirror: {} });
    expect(outcomeOf(again, "Busy")).toMatchObject({ action: "unchanged" });
  });
});
