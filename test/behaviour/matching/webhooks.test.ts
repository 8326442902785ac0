import { describe, expect, it } from "vitest";
import {
  bodiesSentTo,
  importInto,
  outcomeLines,
  outcomeOf,
  planInto,
  type JsonObject,
  type RunOptions,
  type StackRecord,
} from "../../support/import-stage.ts";
import { failOperation, memoryStack, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  records,
  sqlDashboard,
  targetIds,
  webhook,
} from "../../support/stack-records.ts";
import { fromOtherStack, hook, logs, theirHook, theirLogs, usualTarget } from "../../support/import-samples.ts";

const [HOOK, OTHER] = [hexId("a", 7), hexId("a", 8)];
const [THEIR_HOOK, THEIR_OTHER] = [hexId("b", 7), hexId("b", 8)];
const overview = dashboard(hexId("a", 16), "Overview", archiveIds.source);
const theirOverview = dashboard(hexId("b", 16), "Overview", targetIds.source);

/** Returns an alert for each webhook or list of webhooks. The alerts' names are numbers from 0 on. */
function alertsOn(board: JsonObject, hooks: readonly (string | readonly string[])[], letter: "a" | "b" = "a") {
  return hooks.map((each, at) => {
    const [first = "", ...others] = [each].flat();
    const channels = [first, ...others].map((webhookId) => ({ type: "webhook", webhookId }));
    return alert(hexId(letter, 32 + at), String(at), board, first, { channels });
  });
}
/** Returns an archive with these alerts, and without webhooks. */
const archiveOf = (...hooks: readonly (string | readonly string[])[]): StackRecord[] =>
  records({ dashboards: [overview], alerts: alertsOn(overview, hooks), sources: [logs] });

/** Makes a stack that does not list webhooks, but accepts these ids. Only a self-hosted stack accepts two channels. */
function unlisting(known: readonly string[], variant: "managed" | "self-hosted" = "managed"): MemoryStack {
  const stack = memoryStack({ dashboards: [], alerts: [], sources: [theirLogs] }, variant);
  stack.intercept = (operation, body) => {
    if (operation !== "create alerts") return;
    const { channel, channels = [channel] } = body as { channel: JsonObject; channels?: JsonObject[] };
    const isKnown = channels.every((each) => known.includes(String(each?.["webhookId"])));
    if (!isKnown) throw refusalError("rejected", "Webhook not found");
  };
  return stack;
}

describe("the counterpart of a webhook that the target does not list is", () => {
  const [ONE, ALL] = [hexId("b", 8), hexId("b", 9)];
  const mapping = { webhooks: { [HOOK]: ONE } };
  const all = { webhooks: { "*": ALL } };

  it.each<[string, theirHooks: string[], RunOptions, to: string | undefined]>([
    ["none by itself, whatever the paired alerts use", [THEIR_HOOK, THEIR_HOOK], {}, undefined],
    ["the one for all others, whatever they use", [THEIR_HOOK], { mapping: all }, ALL],
    ["the map file's, whatever they use", [THEIR_HOOK], { mapping }, ONE],
  ])("%s", async (_, theirHooks, options, to) => {
    const there = {
      dashboards: [theirOverview],
      alerts: alertsOn(theirOverview, theirHooks, "b"),
      sources: [theirLogs],
    };
    const stack = memoryStack(there, "managed");
    const archive = [...archiveOf(HOOK, HOOK, HOOK), ...records({ webhooks: [webhook(HOOK, "pager")] })];
    const { plan } = await importInto(stack, archive, { ...options, ...fromOtherStack });
    const matches = plan.matches.filter(({ space }) => space === "webhooks");
    expect(outcomeLines(matches, "to", "rule")).toEqual(to === undefined ? [] : [`${to} map-file`]);
    const blocked = { action: "blocked", code: "missing-reference" };
    expect(plan.items.find(({ name }) => name === "2")).toMatchObject(
      to === undefined ? blocked : { action: "create" },
    );
    for (const { channel } of bodiesSentTo(stack, "create alerts"))
      expect(channel).toEqual({ type: "webhook", webhookId: to });
  });
});

it("the webhook for all others is used only where nothing better is known", async () => {
  const stack = usualTarget({ webhooks: [theirHook, webhook(THEIR_OTHER, "others")] });
  const archive = [...archiveOf([archiveIds.webhook, OTHER]), ...records({ webhooks: [hook, webhook(OTHER, "gone")] })];
  await importInto(stack, archive, { mapping: { webhooks: { "*": "others" } } });
  const [channel, ...others] = [targetIds.webhook, THEIR_OTHER].map((webhookId) => ({ webhookId }));
  expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ channel, channels: [channel, ...others] }]);
});

describe("a plan that lacks the counterpart of a webhook", () => {
  const used = alert(hexId("b", 32), "Theirs", theirOverview, targetIds.webhook);

  it.each([
    ["lists its webhooks", false, () => usualTarget()],
    ["lists none", true, () => memoryStack({ dashboards: [theirOverview], alerts: [used], sources: [theirLogs] })],
  ])("says whether the target %s, and names those that it has", async (_, unlisted, target) => {
    const { unresolved } = await planInto(target(), archiveOf(HOOK));
    expect(unresolved).toMatchObject([
      { space: "webhooks", id: HOOK, reason: "missing", candidates: [{ id: targetIds.webhook }] },
    ]);
    expect(unresolved.map((each) => each.unlisted ?? false)).toEqual([unlisted]);
  });
});

describe("the id of a webhook on a target that lists none", () => {
  const mapping = { webhooks: { [HOOK]: THEIR_HOOK, [OTHER]: THEIR_OTHER } };

  it.each([
    ["the map file", HOOK],
    ["its line for all others", "*"],
  ])("is required: a name in %s is refused, and the message says where to find the id", async (_, line) => {
    const stack = unlisting([THEIR_HOOK]);
    const refused = importInto(stack, archiveOf(HOOK), { mapping: { webhooks: { [line]: "oncall-slack" } } });
    const faults = [expect.stringContaining("--draft-map")];
    await expect(refused).rejects.toMatchObject({ code: "usage", faults });
    expect(bodiesSentTo(stack, "create dashboards")).toEqual([]);
  });

  it("serves all alerts that use it", async () => {
    const stack = unlisting([THEIR_HOOK]);
    const run = await importInto(stack, archiveOf(HOOK, HOOK, HOOK, HOOK), { mapping });
    expect([run.exitCode, recordsOn(stack, "alerts").length]).toEqual([0, 4]);
  });

  it.each<[string, hooks: (string | string[])[], MemoryStack, codes: unknown[]]>([
    ["is named by each alert that is refused for it", [HOOK, HOOK], unlisting([]), ["rejected", "rejected"]],
    [
      "does not stop alerts with another one",
      [HOOK, OTHER, HOOK, OTHER],
      unlisting([THEIR_OTHER]),
      ["rejected", undefined, "rejected", undefined],
    ],
    [
      "is named beside another one",
      [[OTHER, HOOK], OTHER],
      unlisting([THEIR_OTHER], "self-hosted"),
      ["rejected", undefined],
    ],
  ])("%s", async (_, hooks, stack, codes) => {
    const run = await importInto(stack, archiveOf(...hooks), { mapping });
    const alerts = run.outcomes.filter(({ kind }) => kind === "alerts");
    expect(alerts.map(({ code }) => code)).toEqual(codes);
    for (const { code, message } of alerts) if (code === "rejected") expect(message).toContain("Webhook not found");
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "done" });
    expect(run.exitCode).toBe(3);
  });
});

it("the id of a connection, of which no stack has a list, is named by each dashboard that is refused for it", async () => {
  const dashboards = [16, 17].map((number) => sqlDashboard(hexId("a", number), hexId("c", 9)));
  const stack = usualTarget();
  const words = "Could not find the following connection IDs: cccc";
  failOperation(stack, "create dashboards", () => refusalError("rejected", words));
  const mapping = { connections: { [hexId("c", 9)]: hexId("c", 5) } };
  const { outcomes } = await importInto(stack, records({ dashboards }), { mapping });
  expect(outcomes.map(({ code }) => code)).toEqual(["rejected", "rejected"]);
  for (const { message } of outcomes) expect(message).toContain(words);
});
