import { describe, expect, it } from "vitest";
import { dependencies, logs, newStage, update, usualTarget } from "../../support/import-samples.ts";
import {
  bodiesSentTo,
  importInto,
  outcomeOf,
  warningsBesidesJournal,
  writesOn,
  type JsonObject,
  type RunOptions,
  type StackRecord,
} from "../../support/import-stage.ts";
import type { MemoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordsOn } from "../../support/on-stack.ts";
import { journalsIn } from "../../support/program-with-archive.ts";
import { programForTwoStacks } from "../../support/program.ts";
import { documentOf } from "../../support/run-cli.ts";
import { alert, archiveIds, dashboard, hexId, records, targetIds, webhook } from "../../support/stack-records.ts";

const START = "2026-11-01T06:00:00.000Z";
const theirs = dashboard(hexId("b", 16), "Overview", targetIds.source);
const ours = dashboard(hexId("a", 16), "Overview", archiveIds.source);

/** Returns an archive with the alert "Busy". */
const archiveOf = (more: JsonObject, webhooks: readonly JsonObject[] = dependencies.ours.webhooks): StackRecord[] => {
  const alerts = [alert(hexId("a", 32), "Busy", ours, archiveIds.webhook, { threshold: 5, ...more })];
  return records({ alerts, dashboards: [ours], sources: [logs], webhooks });
};

/** Returns the counterpart of this alert. */
const busy = (more: JsonObject = {}): JsonObject => alert(hexId("b", 32), "Busy", theirs, targetIds.webhook, more);
const target = (alerts: JsonObject[], webhooks: JsonObject[] = [...dependencies.theirs.webhooks]): MemoryStack =>
  usualTarget({ alerts, dashboards: [theirs], webhooks });

describe("an update of an alert whose schedule the target has and the archive has not", () => {
  it.each<[string, there: JsonObject, archived: JsonObject, kept: JsonObject]>([
    [
      "the start and the offset, which the server would keep",
      { scheduleStartAt: START, scheduleOffsetMinutes: 0 },
      {},
      { scheduleStartAt: null, scheduleOffsetMinutes: 0 },
    ],
    [
      "the start where the archive has an offset: the two together could not be sent again",
      { scheduleStartAt: START, scheduleOffsetMinutes: 0 },
      { scheduleOffsetMinutes: 2 },
      { scheduleStartAt: null, scheduleOffsetMinutes: 2 },
    ],
    [
      "the offset where the archive has a start",
      { scheduleOffsetMinutes: 2 },
      { scheduleStartAt: START },
      { scheduleStartAt: START, scheduleOffsetMinutes: 0 },
    ],
  ])("clears %s", async (_, there, archived, kept) => {
    const stack = target([busy(there)]);
    const run = await importInto(stack, archiveOf(archived), update);
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "update", status: "done" });
    expect(recordsOn(stack, "alerts")).toMatchObject([{ threshold: 5, ...kept }]);
    expect(run.warnings).toEqual([]);
  });

  it("names what the target keeps all the same", async () => {
    const stack = target([busy({ scheduleStartAt: START })]);
    stack.replaceStored = (operation, body) =>
      operation === "update alerts" ? { ...body, scheduleStartAt: START } : body;
    const run = await importInto(stack, archiveOf({}), update);
    expect(run.warnings).toMatchObject([{ code: "not-stored", pointer: "/scheduleStartAt" }]);
  });
});

describe("the upper end of a range, which no update removes", () => {
  const range = { thresholdType: "between", thresholdMax: 20 };

  it("is named in the plan before the write, and does not count as a difference afterwards", async () => {
    const stack = target([busy(range)]);
    const run = await importInto(stack, archiveOf({}), update);
    expect(warningsBesidesJournal(run.plan)).toMatchObject([{ code: "not-stored", pointer: "/thresholdMax" }]);
    expect(run.warnings).toEqual([]);
    stack.requests.length = 0;
    const again = await importInto(stack, archiveOf({}), update);
    expect(outcomeOf(again, "Busy")).toMatchObject({ action: "unchanged" });
    expect(again.plan.warnings).toEqual([]);
    expect(writesOn(stack)).toEqual([]);
  });

  it("counts where it says something", async () => {
    const stack = target([busy(range)]);
    const run = await importInto(stack, archiveOf({ threshold: 10, ...range, thresholdMax: 30 }), update);
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "update" });
    expect(bodiesSentTo(stack, "update alerts")).toMatchObject([{ thresholdMax: 30 }]);
  });
});

describe("an offset that a write would refuse", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["beside a start", { scheduleOffsetMinutes: 2, scheduleStartAt: START }, { scheduleStartAt: START }],
    ["of a longer interval", { scheduleOffsetMinutes: 12 }, { scheduleOffsetMinutes: 2 }],
  ])("is blocked before the write, and changed to fit under --fit-limits: %s", async (_what, schedule, sent) => {
    const stack = target([]);
    const blocked = await importInto(stack, archiveOf(schedule));
    expect(outcomeOf(blocked, "Busy")).toMatchObject({ action: "blocked", code: "needs-fitting" });
    await importInto(stack, archiveOf(schedule), { fitLimits: true });
    const [{ scheduleOffsetMinutes, scheduleStartAt } = {}] = bodiesSentTo(stack, "create alerts");
    const none = { scheduleOffsetMinutes: undefined, scheduleStartAt: undefined };
    expect({ scheduleOffsetMinutes, scheduleStartAt }).toEqual({ ...none, ...sent });
  });

  it("does not count as changed at the source, once it is changed to fit, if the target's alert was changed", async () => {
    const archive = archiveOf({ scheduleOffsetMinutes: 17, interval: "15m" });
    const { stack, stage } = newStage(target([]));
    await stage.run(archive, { fitLimits: true });
    changeOn(stack, "alerts", { threshold: 99 });
    const run = await stage.run(archive, { fitLimits: true });
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "skip", code: "edited" });
  });
});

const channelsTo = (numbers: readonly number[]): JsonObject[] =>
  numbers.map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
const hooks = (letter: "a" | "b", numbers: readonly number[]): JsonObject[] =>
  numbers.map((number) => webhook(hexId(letter, number), `hook ${number}`));

describe("two channels that a map file makes one", () => {
  it.each<[string, channels: number[], RunOptions["mapping"]]>([
    ["by a line for one of them", [2, 3], { webhooks: { [hexId("a", 3)]: targetIds.webhook } }],
    ["by its line for all other webhooks", [4, 5], { webhooks: { "*": targetIds.webhook } }],
  ])("are sent once, and the plan says so: %s", async (_, numbers, mapping) => {
    const channels = channelsTo(numbers);
    const archive = archiveOf({ channel: channels[0] ?? {}, channels }, hooks("a", numbers));
    const stack = target([], hooks("b", [2]));
    const run = await importInto(stack, archive, { mapping });
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "create", status: "done" });
    const once = { type: "webhook", webhookId: targetIds.webhook };
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ channel: once, channels: [once] }]);
    expect(run.plan.warnings).toMatchObject([{ code: "fitted", pointer: "/channels" }]);
    const again = await importInto(stack, archive, { ...update, mapping });
    expect(outcomeOf(again, "Busy")).toMatchObject({ action: "unchanged" });
    expect(bodiesSentTo(stack, "update alerts")).toEqual([]);
  });
});

describe("an alert of two channels onto a self-hosted stack", () => {
  const archive = archiveOf({ channels: channelsTo([2, 3]) }, hooks("a", [2, 3]));
  const targetWith = (alerts: JsonObject[]): MemoryStack => target(alerts, hooks("b", [2, 3]));
  const other = alert(hexId("b", 40), "Other", theirs, targetIds.webhook);
  /** Returns the alert as a stack of an older release shows it. */
  const asOlderStack = ({ channels: _channels, ...shown }: JsonObject): JsonObject => shown;

  it.each([
    ["a create", [asOlderStack(other)]],
    ["an update", [asOlderStack(other), asOlderStack(busy({ threshold: 4 }))]],
  ])("is blocked where no alert there shows more than a channel: %s", async (_, alerts) => {
    const stack = targetWith(alerts);
    const run = await importInto(stack, archive, update);
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "blocked", code: "several-channels" });
    expect(outcomeOf(run, "Busy")?.message).toContain("hook 3");
    expect([writesOn(stack), run.exitCode]).toEqual([[], 3]);
  });

  it.each([
    ["an alert there shows its channels", [other]],
    ["none is there to tell", []],
  ])("is written whole where %s", async (_, alerts) => {
    const stack = targetWith(alerts);
    const run = await importInto(stack, archive);
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "create", status: "done" });
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ channels: [{}, {}] }]);
  });

  it("has failed where the stack keeps one channel alone", async () => {
    const stack = targetWith([]);
    stack.replaceStored = (_, { channels: _dropped, ...kept }) => kept;
    const run = await importInto(stack, archive);
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "create", status: "failed", code: "not-stored" });
    expect(run.warnings).toContainEqual(expect.objectContaining({ code: "not-stored", pointer: "/channels" }));
    expect(run.exitCode).toBe(3);
    expect(recordsOn(stack, "alerts")).toHaveLength(1);
  });
});

// The server changes its own members (docs/api.md#alert-updates). Such a change is not an edit of the alert.

it("a migration that stopped half-way is continued although an alert of the source has fired since", async () => {
  let [state, writes] = ["OK", 0];
  await using stacks = await programForTwoStacks(
    {
      variant: "self-hosted",
      seed: "sample",
      intercept: async ({ route }, proceed) => {
        const answer = await proceed();
        if (route !== "GET alerts") return answer;
        return new Response((await answer.text()).replaceAll('"state":"OK"', `"state":"${state}"`), answer);
      },
    },
    {
      variant: "self-hosted",
      seed: "bare",
      intercept: ({ method }, proceed) => {
        writes += method === "POST" ? 1 : 0;
        return method === "POST" && writes === 5 ? Response.json({ message: "no" }, { status: 401 }) : proceed();
      },
    },
  );
  const migrate = () => stacks.run("migrate --from $FROM --to $TO --create saved-searches,webhooks --json");
  expect((await migrate()).exitCode).not.toBe(0);
  const before = journalsIn(stacks.cwd);
  expect(before).toHaveLength(1);
  state = "ALERT";
  const second = documentOf(await migrate());
  expect(journalsIn(stacks.cwd)).toEqual(before);
  expect(second).toMatchObject({ journal: before[0], run: 1 });
});
