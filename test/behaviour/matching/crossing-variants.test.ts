import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  writesOn,
  type JsonObject,
  type RunOptions,
  type StageRun,
  warningsBesidesJournal,
} from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, records, webhook, archiveIds, targetIds } from "../../support/stack-records.ts";
import { hook, logs, dependencies, usualTarget } from "../../support/import-samples.ts";

const MANAGED = { variant: "managed", baseUrl: "http://managed.test" } as const;
const LONG_TAG = "t".repeat(40);

const board = dashboard(hexId("a", 16), "Board", archiveIds.source);
const theirBoard = dashboard(hexId("b", 16), "Board", targetIds.source);
const onBoard = (letter: "a" | "b", on: JsonObject, more: JsonObject): JsonObject => {
  const channel = { type: "webhook", webhookId: hexId(letter, 2), ...more };
  return alert(hexId(letter, 32), "Busy", on, hexId(letter, 2), { channel, channels: [channel] });
};
const target = (dashboards: readonly JsonObject[] = [], alerts: readonly JsonObject[] = []): MemoryStack =>
  usualTarget({ dashboards, alerts });
const imports = (
  stack: MemoryStack,
  dashboards: readonly JsonObject[],
  alerts: readonly JsonObject[],
  options: RunOptions = {},
): Promise<StageRun> => importStage(stack).run(records({ dashboards, alerts, ...dependencies.ours }), options);

describe("a member that no record of the target has", () => {
  const severe = onBoard("a", board, { severity: "critical" });

  it.each<[string, JsonObject[], "managed" | "self-hosted"]>([
    ["where the archive is from another variant", [{}], "managed"],
    ["where it has another value there", [{ severity: "warning" }], "managed"],
    ["where something else differs, too", [{ slackChannelId: "C1" }], "managed"],
    ["where another record has such a member", [{}, { severity: "info" }], "managed"],
    ["between two stacks of one variant", [{}], "self-hosted"],
  ])("is a difference %s", async (_, channels, variant) => {
    const alerts = channels.map((more, at) => {
      return { ...onBoard("b", theirBoard, more), id: hexId("b", 32 + at), name: at === 0 ? "Busy" : "Other" };
    });
    const stack = target([theirBoard], alerts);
    const source = { variant, baseUrl: "http://other.test" };
    const run = await imports(stack, [board], [severe], { onConflict: "overwrite", source });
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "update", status: "done" });
    expect(writesOn(stack)).toEqual(["update alerts"]);
    expect(recordsOn(stack, "alerts")[0]).toMatchObject({ channel: { severity: "critical" } });
  });

  it("is sent once if the target drops it, which is named", async () => {
    const stack = target([theirBoard], [onBoard("b", theirBoard, {})]);
    const dropped = onBoard("b", theirBoard, {});
    stack.replaceStored = (operation, stored) =>
      operation === "update alerts"
        ? { ...stored, channel: dropped["channel"] ?? null, channels: dropped["channels"] ?? [] }
        : stored;
    const stage = importStage(stack);
    const archive = records({ dashboards: [board], alerts: [severe], ...dependencies.ours });
    const run = await stage.run(archive, { onConflict: "overwrite", source: MANAGED });
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "update" });
    expect(run.warnings).toMatchObject([{ code: "not-stored" }]);
    const again = await stage.run(archive, { onConflict: "overwrite", source: MANAGED });
    expect(outcomeOf(again, "Busy")).toMatchObject({ action: "unchanged" });
    expect(writesOn(stack)).toEqual(["update alerts"]);
  });

  it("is a difference where the target shows the member without a value: it knows the member", async () => {
    const stack = target([{ ...theirBoard, tags: [] }]);
    const run = await imports(stack, [{ ...board, tags: ["new"] }], [], { onConflict: "overwrite", source: MANAGED });
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "update", status: "done" });
    expect(warningsBesidesJournal(run.plan)).toEqual([]);
  });

  it("counts as a difference if the target's filter has no condition", async () => {
    const filter = {
      id: hexId("e", 1),
      type: "QUERY_EXPRESSION",
      name: "F",
      expression: "A",
      sourceId: targetIds.source,
    };
    const stack = target([{ ...theirBoard, filters: [filter] }]);
    const filtered = { ...board, filters: [{ ...filter, sourceId: archiveIds.source, where: "A = 1" }] };
    const run = await imports(stack, [filtered], [], { onConflict: "overwrite", source: MANAGED });
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "update", status: "done" });
  });
});

describe("an alert of several channels on a managed stack", () => {
  const hooks = [2, 3].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
  const twice = { ...onBoard("a", board, {}), channel: hooks[0] ?? null, channels: hooks };
  const managed = (shown: readonly JsonObject[]): MemoryStack => {
    const webhooks = [webhook(targetIds.webhook, "oncall"), webhook(hexId("b", 3), "second")];
    return memoryStack({ ...dependencies.theirs, dashboards: [theirBoard], alerts: shown, webhooks }, "managed");
  };
  const run = async (stack: MemoryStack): Promise<StageRun> => {
    const webhooks = [hook, webhook(hexId("a", 3), "second")];
    return importStage(stack).run(records({ dashboards: [board], alerts: [twice], sources: [logs], webhooks }));
  };

  it("is written whole where the stack's own answers show several", async () => {
    const stack = managed([{ ...onBoard("b", theirBoard, {}), name: "Theirs", threshold: 3 }]);
    expect(outcomeOf(await run(stack), "Busy")).toMatchObject({ action: "create", status: "done" });
    expect(recordsOn(stack, "alerts")[1]).toMatchObject({
      channels: [{ webhookId: targetIds.webhook }, { webhookId: hexId("b", 3) }],
    });
  });

  it("is blocked where the stack's own answers show one", async () => {
    const { channels: _channels, ...one } = onBoard("b", theirBoard, {});
    const blocked = { action: "blocked", code: "several-channels" };
    expect(outcomeOf(await run(managed([{ ...one, name: "Theirs" }])), "Busy")).toMatchObject(blocked);
  });

  it.each([
    ["keeps all of them", true, ["done", "done", "done"], [undefined, undefined, undefined], 3],
    ["keeps one", false, ["failed", "failed", "done"], ["not-stored", "several-channels", undefined], 2],
  ])("is sent whole where nothing tells: a stack that %s", async (_, keeps, statuses, codes, sent) => {
    const stack = managed([]);
    stack.replaceStored = (operation, stored) => {
      const { channels, ...rest } = stored;
      return operation === "create alerts" && !keeps && channels !== undefined ? rest : stored;
    };
    const webhooks = [hook, webhook(hexId("a", 3), "second")];
    const another = { ...twice, id: hexId("a", 60), name: "Busy, too", threshold: 7 };
    const { channels: _channels, ...one } = { ...twice, id: hexId("a", 61), name: "Plain", threshold: 8 };
    const { outcomes, exitCode } = await importStage(stack).run(
      records({ dashboards: [board], alerts: [twice, another, one], sources: [logs], webhooks }),
    );
    const alerts = outcomes.filter(({ kind }) => kind === "alerts");
    expect([alerts.map(({ status }) => status), alerts.map(({ code }) => code)]).toEqual([statuses, codes]);
    expect([exitCode, recordsOn(stack, "alerts").length]).toEqual([keeps ? 0 : 3, sent]);
  });
});

describe("a record that --fit-limits would change", () => {
  const tagged = { tags: [LONG_TAG] };

  it("is unchanged where the target has it in the form that a write would not take", async () => {
    const stack = target([{ ...theirBoard, ...tagged }]);
    const run = await imports(stack, [{ ...board, ...tagged }], [], { onConflict: "overwrite", fitLimits: true });
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "unchanged" });
    expect(writesOn(stack)).toEqual([]);
  });

  it("is unchanged with --fit-limits where the target has the fitted form, and is blocked without the flag", async () => {
    const stack = target([{ ...theirBoard, tags: [LONG_TAG.slice(0, 32)] }]);
    const fitted = await imports(stack, [{ ...board, ...tagged }], [], { onConflict: "overwrite", fitLimits: true });
    expect(outcomeOf(fitted, "Board")).toMatchObject({ action: "unchanged" });
    const plain = await imports(stack, [{ ...board, ...tagged }], [], { onConflict: "overwrite" });
    expect(outcomeOf(plain, "Board")).toMatchObject({ action: "blocked", code: "needs-fitting" });
  });

  it("says what is changed where it is written", async () => {
    const stack = target();
    const run = await imports(stack, [{ ...board, ...tagged }], [], { fitLimits: true });
    expect(run.plan.items.find(({ name }) => name === "Board")?.fitted).toMatchObject([{ pointer: "/tags/0" }]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: [LONG_TAG.slice(0, 32)] }]);
  });
});

describe("a metric without a column, as the web interface makes it", () => {
  const metric = { aggFn: "avg", metricName: "cpu.load", metricType: "gauge", valueExpression: "", where: "" };
  const tiles = [
    { id: "t", name: "T", config: { displayType: "line", sourceId: archiveIds.source, select: [metric] } },
  ];

  it("is blocked by name before the write", async () => {
    const stack = target();
    const run = await imports(stack, [{ ...board, tiles }], []);
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "blocked", code: "needs-fitting" });
    expect(outcomeOf(run, "Board")?.message).toContain("config.select.0");
    expect(writesOn(stack)).toEqual([]);
  });

  it("gets the column of accepted ones under --fit-limits, which is said, and the next run writes nothing", async () => {
    const stack = target();
    const run = await imports(stack, [{ ...board, tiles }], [], { fitLimits: true });
    expect(run.plan.items.find(({ name }) => name === "Board")?.fitted).toMatchObject([
      { pointer: "/tiles/0/config/select/0" },
    ]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([
      { tiles: [{ config: { select: [{ valueExpression: "Value" }] } }] },
    ]);
    const again = await imports(stack, [{ ...board, tiles }], [], { fitLimits: true, onConflict: "overwrite" });
    expect(outcomeOf(again, "Board")).toMatchObject({ action: "unchanged" });
  });

  it("is allowed if the tile counts rows", async () => {
    const counted = [{ ...tiles[0], config: { displayType: "line", select: [{ ...metric, aggFn: "count" }] } }];
    const run = await imports(target(), [{ ...board, tiles: counted }], []);
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "create", status: "done" });
  });
});

describe("a plan", () => {
  it("calls an alert without a name by what it watches, and no other", async () => {
    const unnamed = alert(hexId("a", 32), "", board, archiveIds.webhook);
    const named = alert(hexId("a", 33), "Busy", board, archiveIds.webhook);
    const { plan } = await imports(target(), [board], [unnamed, named]);
    expect(plan.items.flatMap(({ kind, displayName }) => (kind === "alerts" ? [displayName] : []))).toEqual([
      "on Requests (Board)",
      undefined,
    ]);
  });

  it("says of a missing record whether the target lists its kind", async () => {
    const elsewhere = alert(hexId("a", 32), "Busy", board, hexId("a", 9));
    const missing = async (stack: MemoryStack): Promise<unknown> => {
      const { plan } = await imports(stack, [board], [elsewhere]);
      return plan.unresolved.map(({ space, id, reason, candidates, unlisted = false }) => {
        return { space, id, reason, unlisted, candidates: candidates.map((each) => each.id) };
      });
    };
    const webhook = { space: "webhooks", id: hexId("a", 9), reason: "missing", candidates: [targetIds.webhook] };
    expect(await missing(target())).toEqual([{ ...webhook, unlisted: false }]);
    const { sources } = dependencies.theirs;
    const used = { ...onBoard("b", theirBoard, {}), name: "Theirs" };
    const unlisted = memoryStack({ dashboards: [theirBoard], alerts: [used], sources });
    expect(await missing(unlisted)).toEqual([{ ...webhook, unlisted: true }]);
  });
});
