import { describe, expect, it } from "vitest";
import {
  importInto,
  importStage,
  outcomeOf,
  warningsBesidesJournal,
  writesOn,
  type JsonObject,
  type RunOptions,
  type StageRun,
} from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { alert, archiveIds, dashboard, hexId, records, targetIds, webhook } from "../../support/stack-records.ts";
import { dependencies, fromOtherStack, hook, logs, update, usualTarget } from "../../support/import-samples.ts";

const fromManaged = { source: { variant: "managed", baseUrl: "http://managed.test" } } as const;
const LONG_TAG = "t".repeat(40);

const board = dashboard(hexId("a", 16), "Board", archiveIds.source);
const theirBoard = dashboard(hexId("b", 16), "Board", targetIds.source);
const onBoard = (letter: "a" | "b", on: JsonObject, more: JsonObject): JsonObject => {
  const channel = { type: "webhook", webhookId: hexId(letter, 2), ...more };
  return alert(hexId(letter, 32), "Busy", on, hexId(letter, 2), { channel, channels: [channel] });
};
const ours = onBoard("a", board, { severity: "critical" });
const theirs = onBoard("b", theirBoard, {});
/** Imports the dashboard, and an alert on it, if there is one. */
const imports = (
  stack: MemoryStack,
  body: JsonObject,
  options: RunOptions = {},
  alerts: readonly JsonObject[] = [],
): Promise<StageRun> => importInto(stack, records({ dashboards: [body], alerts, ...dependencies.ours }), options);

describe("a member that no record of the target has", () => {
  it.each<[string, JsonObject[], RunOptions]>([
    ["where the archive is from another variant", [{}], fromManaged],
    ["where it has another value there", [{ severity: "warning" }], fromManaged],
    ["where something else differs, too", [{ slackChannelId: "C1" }], fromManaged],
    ["where another record has such a member", [{}, { severity: "info" }], fromManaged],
    ["between two stacks of one variant", [{}], fromOtherStack],
  ])("is a difference %s", async (_, channels, from) => {
    const alerts = channels.map((more, at) => {
      return { ...onBoard("b", theirBoard, more), id: hexId("b", 32 + at), name: at === 0 ? "Busy" : "Other" };
    });
    const stack = usualTarget({ dashboards: [theirBoard], alerts });
    const run = await imports(stack, board, { ...from, ...update }, [ours]);
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "update", status: "done" });
    expect(writesOn(stack)).toEqual(["update alerts"]);
    expect(recordsOn(stack, "alerts")[0]).toMatchObject({ channel: { severity: "critical" } });
  });

  it("is sent once if the target drops it, which is named", async () => {
    const stack = usualTarget({ dashboards: [theirBoard], alerts: [theirs] });
    const { channel = null, channels = [] } = theirs;
    stack.replaceStored = (operation, stored) =>
      operation === "update alerts" ? { ...stored, channel, channels } : stored;
    const stage = importStage(stack);
    const archive = records({ dashboards: [board], alerts: [ours], ...dependencies.ours });
    const run = await stage.run(archive, { ...fromManaged, ...update });
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "update" });
    expect(run.warnings).toMatchObject([{ code: "not-stored" }]);
    const again = await stage.run(archive, { ...fromManaged, ...update });
    expect(outcomeOf(again, "Busy")).toMatchObject({ action: "unchanged" });
    expect(writesOn(stack)).toEqual(["update alerts"]);
  });

  const filter = { id: hexId("e", 1), type: "QUERY_EXPRESSION", name: "F", expression: "A" };

  it.each([
    ["the target shows it without a value, and so knows it", { tags: [] }, { tags: ["new"] }],
    [
      "it is the condition of a filter",
      { filters: [{ ...filter, sourceId: targetIds.source }] },
      { filters: [{ ...filter, sourceId: archiveIds.source, where: "A = 1" }] },
    ],
  ])("is a difference without a warning where %s", async (_, there, here) => {
    const stack = usualTarget({ dashboards: [{ ...theirBoard, ...there }] });
    const run = await imports(stack, { ...board, ...here }, { ...fromManaged, ...update });
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "update", status: "done" });
    expect(warningsBesidesJournal(run.plan)).toEqual([]);
  });
});

describe("an alert of several channels on a managed stack", () => {
  const SECOND = { ours: hexId("a", 3), theirs: hexId("b", 3) };
  const channels = [archiveIds.webhook, SECOND.ours].map((webhookId) => ({ type: "webhook", webhookId }));
  const twice = { ...onBoard("a", board, {}), channel: channels[0] ?? null, channels };
  const managed = (shown: readonly JsonObject[]): MemoryStack => {
    const webhooks = [webhook(targetIds.webhook, "oncall"), webhook(SECOND.theirs, "second")];
    return memoryStack({ ...dependencies.theirs, dashboards: [theirBoard], alerts: shown, webhooks }, "managed");
  };
  const archiveOf = (...alerts: JsonObject[]) =>
    records({ dashboards: [board], alerts, sources: [logs], webhooks: [hook, webhook(SECOND.ours, "second")] });

  it("is written whole where the stack's own answers show several", async () => {
    const stack = managed([{ ...theirs, name: "Theirs", threshold: 3 }]);
    expect(outcomeOf(await importInto(stack, archiveOf(twice)), "Busy")).toMatchObject({
      action: "create",
      status: "done",
    });
    expect(recordsOn(stack, "alerts")[1]).toMatchObject({
      channels: [{ webhookId: targetIds.webhook }, { webhookId: SECOND.theirs }],
    });
  });

  it.each([
    ["keeps all of them", true, ["done", "done", "done"], [undefined, undefined, undefined], 3],
    ["keeps one", false, ["failed", "failed", "done"], ["not-stored", "several-channels", undefined], 2],
  ])("is sent whole where nothing tells: a stack that %s", async (_, keeps, statuses, codes, sent) => {
    const stack = managed([]);
    stack.replaceStored = (operation, { channels: all, ...rest }) =>
      all === undefined || (operation === "create alerts" && !keeps) ? rest : { ...rest, channels: all };
    const another = { ...twice, id: hexId("a", 60), name: "Busy, too", threshold: 7 };
    const { channels: _channels, ...one } = { ...twice, id: hexId("a", 61), name: "Plain", threshold: 8 };
    const { outcomes, exitCode } = await importInto(stack, archiveOf(twice, another, one));
    const alerts = outcomes.filter(({ kind }) => kind === "alerts");
    expect([alerts.map(({ status }) => status), alerts.map(({ code }) => code)]).toEqual([statuses, codes]);
    expect([exitCode, recordsOn(stack, "alerts").length]).toEqual([keeps ? 0 : 3, sent]);
  });
});

describe("a record that --fit-limits would change", () => {
  const tagged = { ...board, tags: [LONG_TAG] };

  it.each([
    ["in the form that a write would not take", LONG_TAG],
    ["in the fitted form", LONG_TAG.slice(0, 32)],
  ])("is unchanged where the target has it %s", async (_, tag) => {
    const stack = usualTarget({ dashboards: [{ ...theirBoard, tags: [tag] }] });
    const run = await imports(stack, tagged, { ...update, fitLimits: true });
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "unchanged" });
    expect(writesOn(stack)).toEqual([]);
  });

  it("is blocked without the flag where the target has the fitted form", async () => {
    const stack = usualTarget({ dashboards: [{ ...theirBoard, tags: [LONG_TAG.slice(0, 32)] }] });
    const run = await imports(stack, tagged, update);
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "blocked", code: "needs-fitting" });
  });
});

describe("a metric without a column, as the web interface makes it", () => {
  const metric = { aggFn: "avg", metricName: "cpu.load", metricType: "gauge", valueExpression: "", where: "" };
  const withMetric = (more: JsonObject): JsonObject => {
    const config = { displayType: "line", sourceId: archiveIds.source, select: [{ ...metric, ...more }] };
    return { ...board, tiles: [{ id: "t", name: "T", config }] };
  };

  it("is blocked by name before the write", async () => {
    const stack = usualTarget();
    const run = await imports(stack, withMetric({}));
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "blocked", code: "needs-fitting" });
    expect(outcomeOf(run, "Board")?.message).toContain("config.select.0");
    expect(writesOn(stack)).toEqual([]);
  });

  it("gets the column of accepted ones under --fit-limits, which is said, and the next run writes nothing", async () => {
    const stack = usualTarget();
    const run = await imports(stack, withMetric({}), { fitLimits: true });
    expect(run.plan.items[0]?.fitted).toMatchObject([{ pointer: "/tiles/0/config/select/0" }]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([
      { tiles: [{ config: { select: [{ valueExpression: "Value" }] } }] },
    ]);
    const again = await imports(stack, withMetric({}), { ...update, fitLimits: true });
    expect(outcomeOf(again, "Board")).toMatchObject({ action: "unchanged" });
  });

  it("is allowed if the tile counts rows", async () => {
    const run = await imports(usualTarget(), withMetric({ aggFn: "count" }));
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "create", status: "done" });
  });
});
