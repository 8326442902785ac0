import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { importStage, outcomeOf, sentTo, storedRecords, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, webhook } from "../support/stack-records.ts";
import { needs } from "../support/usual-stacks.ts";

const START = "2026-11-01T06:00:00.000Z";
const theirs = dashboard(hexId("b", 16), "Overview", hexId("b", 1));
const ours = dashboard(hexId("a", 16), "Overview", hexId("a", 1));

/** The alert of the archive, and the target's. */
const archiveOf = (more: JsonObject) =>
  records({
    alerts: [alert(hexId("a", 32), "Busy", ours, hexId("a", 2), { threshold: 5, ...more })],
    dashboards: [ours],
    ...needs.ours,
  });
const target = (more: JsonObject): MemoryStack =>
  memoryStack({
    alerts: [alert(hexId("b", 32), "Busy", theirs, hexId("b", 2), more)],
    dashboards: [theirs],
    ...needs.theirs,
  });
const update = { onConflict: "update" } as const;

describe("an update of an alert whose schedule the target has and the archive has not", () => {
  it("clears the start and the offset, which the server would keep", async () => {
    const stack = target({ scheduleStartAt: START, scheduleOffsetMinutes: 0 });
    const run = await importStage(stack).run(archiveOf({}), update);
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "update", status: "done" });
    expect(storedRecords(stack, "alerts")).toMatchObject([
      { threshold: 5, scheduleStartAt: null, scheduleOffsetMinutes: 0 },
    ]);
    expect(run.warnings).toEqual([]);
  });

  it("clears the start where the archive has an offset: the two together could not be sent again", async () => {
    const stack = target({ scheduleStartAt: START, scheduleOffsetMinutes: 0 });
    await importStage(stack).run(archiveOf({ scheduleOffsetMinutes: 2 }), update);
    expect(storedRecords(stack, "alerts")).toMatchObject([{ scheduleStartAt: null, scheduleOffsetMinutes: 2 }]);
  });

  it("clears the offset where the archive has a start", async () => {
    const stack = target({ scheduleOffsetMinutes: 2 });
    await importStage(stack).run(archiveOf({ scheduleStartAt: START }), update);
    expect(storedRecords(stack, "alerts")).toMatchObject([{ scheduleStartAt: START, scheduleOffsetMinutes: 0 }]);
  });

  it("names what the target keeps all the same", async () => {
    const stack = target({ scheduleStartAt: START });
    stack.keep = (operation, body) => (operation === "update alerts" ? { ...body, scheduleStartAt: START } : body);
    const run = await importStage(stack).run(archiveOf({}), update);
    expect(run.warnings).toMatchObject([{ code: "not-removed", pointer: "/scheduleStartAt" }]);
  });
});

describe("the upper end of a range, which no update removes", () => {
  const range = { thresholdType: "between", thresholdMax: 20 };

  it("is told before the write, and is no difference afterwards", async () => {
    const stack = target(range);
    const run = await importStage(stack).run(archiveOf({}), update);
    expect(run.plan.warnings).toMatchObject([{ code: "cannot-remove", pointer: "/thresholdMax" }]);
    expect(run.warnings).toEqual([]);
    const writes = writesOn(stack).length;
    const again = await importStage(stack).run(archiveOf({}), update);
    expect(outcomeOf(again, "Busy")).toMatchObject({ action: "unchanged" });
    expect(again.plan.warnings).toEqual([]);
    expect(writesOn(stack)).toHaveLength(writes);
  });

  it("counts where it says something", async () => {
    const stack = target(range);
    const run = await importStage(stack).run(archiveOf({ threshold: 10, ...range, thresholdMax: 30 }), update);
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "update" });
    expect(sentTo(stack, "update alerts")).toMatchObject([{ thresholdMax: 30 }]);
  });
});

describe("an offset that a write would refuse", () => {
  const empty = (): MemoryStack => {
    const stack = target({});
    stack.records.get("alerts")?.clear();
    return stack;
  };

  it.each<[string, JsonObject, JsonObject]>([
    ["beside a start", { scheduleOffsetMinutes: 2, scheduleStartAt: START }, { scheduleStartAt: START }],
    ["of a longer interval", { scheduleOffsetMinutes: 12 }, { scheduleOffsetMinutes: 2 }],
  ])("is known before, and fitted where that is asked for: %s", async (_what, schedule, sent) => {
    const stack = empty();
    const blocked = await importStage(stack).run(archiveOf(schedule));
    expect(outcomeOf(blocked, "Busy")).toMatchObject({ action: "blocked", code: "needs-fitting" });
    await importStage(stack).run(archiveOf(schedule), { fitLimits: true });
    const [body = {}] = sentTo(stack, "create alerts");
    expect({ scheduleOffsetMinutes: body["scheduleOffsetMinutes"], scheduleStartAt: body["scheduleStartAt"] }).toEqual({
      scheduleOffsetMinutes: undefined,
      scheduleStartAt: undefined,
      ...sent,
    });
  });
});

it("two channels that a map makes one webhook are sent once, and the plan says so", async () => {
  const channels = [2, 3].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
  const archive = [...archiveOf({ channels }), ...records({ webhooks: [webhook(hexId("a", 3), "second")] })];
  const stack = target({});
  const mapping = { webhooks: { [hexId("a", 3)]: hexId("b", 2) } };
  const run = await importStage(stack).run(archive, { ...update, mapping });
  expect(outcomeOf(run, "Busy")).toMatchObject({ action: "update", status: "done" });
  const once = { type: "webhook", webhookId: hexId("b", 2) };
  expect(sentTo(stack, "update alerts")).toMatchObject([{ channel: once, channels: [once] }]);
  expect(run.plan.warnings).toMatchObject([{ code: "merged", pointer: "/channels" }]);
});

it("two channels that --default-webhook makes one are sent once, the plan says so, and the next run writes nothing", async () => {
  const channels = [4, 5].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
  const lost = [4, 5].map((number) => webhook(hexId("a", number), `gone ${number}`));
  const archive = [...archiveOf({ channel: channels[0] ?? {}, channels }), ...records({ webhooks: lost })];
  const stack = target({});
  stack.records.get("alerts")?.clear();
  const defaults = { webhooks: hexId("b", 2) };
  const run = await importStage(stack).run(archive, { defaults });
  expect(outcomeOf(run, "Busy")).toMatchObject({ action: "create", status: "done" });
  const once = { type: "webhook", webhookId: hexId("b", 2) };
  expect(sentTo(stack, "create alerts")).toMatchObject([{ channel: once, channels: [once] }]);
  expect(run.plan.warnings).toMatchObject([{ code: "merged", pointer: "/channels" }]);
  const again = await importStage(stack).run(archive, { ...update, defaults });
  expect(outcomeOf(again, "Busy")).toMatchObject({ action: "unchanged" });
  expect(sentTo(stack, "update alerts")).toEqual([]);
});
