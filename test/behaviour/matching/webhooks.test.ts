import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  bodiesSentTo,
  type JsonObject,
  type RunOptions,
  type StackRecord,
  type StageRun,
} from "../../support/import-stage.ts";
import { failOperation, memoryStack, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, records, sqlDashboard, archiveIds } from "../../support/stack-records.ts";
import { logs, theirLogs } from "../../support/import-samples.ts";

const [HOOK, OTHER] = [hexId("a", 7), hexId("a", 8)];
const [THEIR_HOOK, THEIR_OTHER] = [hexId("b", 7), hexId("b", 8)];
const mapping = { webhooks: { [HOOK]: THEIR_HOOK, [OTHER]: THEIR_OTHER } };
const overview = dashboard(hexId("a", 16), "Overview", archiveIds.source);

/** Returns an archive with one alert for each webhook or pair of webhooks. The alerts' names are numbers from 0 on. */
function archiveOf(...hooks: readonly (string | readonly [string, string])[]): StackRecord[] {
  const alerts = hooks.map((each, index) => {
    const ids = typeof each === "string" ? [each] : each;
    const channels = ids.map((webhookId) => ({ type: "webhook", webhookId }));
    return alert(hexId("a", 32 + index), String(index), overview, ids[0] ?? "", { channels });
  });
  return records({ dashboards: [overview], alerts, sources: [logs] });
}
const archive = archiveOf(HOOK, HOOK, HOOK, HOOK);

/** Creates a stack that does not list webhooks, but accepts these ids. Only a self-hosted stack accepts two channels. */
function target(known: readonly string[], more: Record<string, JsonObject[]> = {}, selfHosted = false): MemoryStack {
  const lists = { dashboards: [], alerts: [], sources: [theirLogs], ...more };
  const stack = memoryStack(lists, selfHosted ? "self-hosted" : "managed");
  stack.intercept = (operation, body) => {
    if (operation !== "create alerts") return;
    const { channel, channels = [channel] } = body as { channel: JsonObject; channels?: JsonObject[] };
    const isKnown = channels.every((each) => known.includes(String(each?.["webhookId"])));
    if (!isKnown) throw refusalError("rejected", "Webhook not found");
  };
  return stack;
}

const codesOf = ({ outcomes }: Pick<StageRun, "outcomes">): unknown[] =>
  outcomes.filter(({ kind }) => kind === "alerts").map(({ code }) => code);

describe("the id of a webhook on a target that lists none", () => {
  it.each<[string, RunOptions]>([
    ["the map file", { mapping: { webhooks: { [HOOK]: "oncall-slack" } } }],
    ["its line for all others", { mapping: { webhooks: { "*": "oncall-slack" } } }],
  ])("is required: a name in %s is refused, and the message says where to find the id", async (_, options) => {
    const stack = target([THEIR_HOOK]);
    const refused = importStage(stack).run(archive, options);
    const faults = [expect.stringContaining("--draft-map")];
    await expect(refused).rejects.toMatchObject({ code: "usage", faults });
    expect(bodiesSentTo(stack, "create dashboards")).toEqual([]);
  });

  it("serves all alerts that use it", async () => {
    const stack = target([THEIR_HOOK]);
    const run = await importStage(stack).run(archive, { mapping });
    expect([run.exitCode, recordsOn(stack, "alerts").length]).toEqual([0, 4]);
  });

  it.each<[string, known: string[], StackRecord[], codes: unknown[]]>([
    ["is named by each alert that is refused for it", [], archive, ["rejected", "rejected", "rejected", "rejected"]],
    [
      "does not stop alerts with another one",
      [THEIR_OTHER],
      archiveOf(HOOK, OTHER, HOOK, OTHER),
      ["rejected", undefined, "rejected", undefined],
    ],
    ["is named beside another one", [THEIR_OTHER], archiveOf([OTHER, HOOK], OTHER), ["rejected", undefined]],
  ])("%s", async (_, known, archived, codes) => {
    const stack = target(known, {}, JSON.stringify(archived).includes(OTHER));
    const run = await importStage(stack).run(archived, { mapping });
    expect(codesOf(run)).toEqual(codes);
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "done" });
    expect(run.exitCode).toBe(3);
    const messages = run.outcomes.flatMap(({ code, message = "" }) => (code === "rejected" ? [message] : []));
    for (const message of messages) expect(message).toContain("Webhook not found");
  });

  it.each([
    ["is left alone without a journal", false, {}, THEIR_HOOK, "exists"],
    [
      "is updated without a journal if the import may update",
      false,
      { onConflict: "overwrite" },
      THEIR_OTHER,
      undefined,
    ],
    ["is updated with a journal", true, {}, THEIR_OTHER, undefined],
  ] as const)(
    "that a corrected map file replaces: an alert that the stack stores in another form %s",
    async (_, keepsJournal, options, hook, code) => {
      const stack = target([THEIR_HOOK, THEIR_OTHER]);
      stack.replaceStored = (operation, stored) =>
        operation.endsWith("alerts") ? { ...stored, note: "by the server" } : stored;
      const stage = importStage(stack);
      const archived = archiveOf(HOOK);
      await stage.run(archived, { mapping: { webhooks: { [HOOK]: THEIR_HOOK } } });
      if (!keepsJournal) stage.history.length = 0;
      const run = await stage.run(archived, { ...options, mapping: { webhooks: { [HOOK]: THEIR_OTHER } } });
      expect(outcomeOf(run, "0")).toMatchObject({ action: code ? "skip" : "update", ...(code && { code }) });
      expect(JSON.stringify(recordsOn(stack, "alerts"))).toContain(hook);
    },
  );
});

describe("the id of a connection, of which no stack has a list", () => {
  const boards = [16, 17].map((number) => sqlDashboard(hexId("a", number), hexId("c", 9)));
  const mapTo = (id: string): RunOptions => ({ mapping: { connections: { [hexId("c", 9)]: id } } });

  it("that the target refuses is named by each dashboard that uses it", async () => {
    const stack = target([]);
    const words = "Could not find the following connection IDs: cccc";
    failOperation(stack, "create dashboards", () => refusalError("rejected", words));
    const run = await importStage(stack).run(records({ dashboards: boards }), mapTo(hexId("c", 5)));
    expect(run.outcomes.map(({ code }) => code)).toEqual(["rejected", "rejected"]);
    for (const { message } of run.outcomes) expect(message).toContain(words);
  });
});
