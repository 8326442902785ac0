import { describe, expect, it } from "vitest";
import {
  importStage,
  outcomeOf,
  storedRecords,
  writesOn,
  statefulStage,
  type JsonObject,
  type RunOptions,
  type StageRun,
  type ImportStage,
} from "../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, webhook } from "../support/stack-records.ts";
import { hook, logs, dependencies, usualTarget, fromOtherStack } from "../support/import-samples.ts";

const MANAGED = { variant: "managed", baseUrl: "http://managed.test" } as const;
const LONG_TAG = "t".repeat(40);

const board = dashboard(hexId("a", 16), "Board", hexId("a", 1));
const theirBoard = dashboard(hexId("b", 16), "Board", hexId("b", 1));
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

  it.each<[string, JsonObject[], "managed" | "self-hosted", "unchanged" | "update"]>([
    [
      "no difference where the archive is from another variant: a write would lose it again",
      [{}],
      "managed",
      "unchanged",
    ],
    ["a difference where it has another value there", [{ severity: "warning" }], "managed", "update"],
    ["a difference where something else differs, too", [{ slackChannelId: "C1" }], "managed", "update"],
    ["a difference where another record has such a member", [{}, { severity: "info" }], "managed", "update"],
    ["a difference between two stacks of one variant", [{}], "self-hosted", "update"],
  ])("is %s", async (_, channels, variant, action) => {
    const alerts = channels.map((more, at) => {
      return { ...onBoard("b", theirBoard, more), id: hexId("b", 32 + at), name: at === 0 ? "Busy" : "Other" };
    });
    const stack = target([theirBoard], alerts);
    const source = { variant, baseUrl: "http://other.test" };
    const run = await imports(stack, [board], [severe], { onConflict: "update", source });
    expect(outcomeOf(run, "Busy")).toMatchObject({ action, status: "done" });
    expect(writesOn(stack)).toEqual(action === "update" ? ["update alerts"] : []);
    if (action === "update")
      expect(storedRecords(stack, "alerts")[0]).toMatchObject({ channel: { severity: "critical" } });
  });

  it("is named with its place", async () => {
    const stack = target([theirBoard], [onBoard("b", theirBoard, {})]);
    const run = await imports(stack, [board], [severe], { source: MANAGED });
    expect(run.plan.warnings).toMatchObject([{ code: "not-kept", pointer: "/channels/0/severity" }]);
  });

  it("is a difference where the target shows the member without a value: it knows the member", async () => {
    const stack = target([{ ...theirBoard, tags: [] }]);
    const run = await imports(stack, [{ ...board, tags: ["new"] }], [], { onConflict: "update", source: MANAGED });
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "update", status: "done" });
    expect(run.plan.warnings).toEqual([]);
  });

  it("counts as a difference if the target's filter has no condition", async () => {
    const filter = { id: hexId("e", 1), type: "QUERY_EXPRESSION", name: "F", expression: "A", sourceId: hexId("b", 1) };
    const stack = target([{ ...theirBoard, filters: [filter] }]);
    const filtered = { ...board, filters: [{ ...filter, sourceId: hexId("a", 1), where: "A = 1" }] };
    const run = await imports(stack, [filtered], [], { onConflict: "update", source: MANAGED });
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "update", status: "done" });
  });
});

describe("an alert of several channels on a managed stack", () => {
  const hooks = [2, 3].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
  const twice = { ...onBoard("a", board, {}), channel: hooks[0] ?? null, channels: hooks };
  const managed = (shown: readonly JsonObject[]): MemoryStack => {
    const webhooks = [webhook(hexId("b", 2), "oncall"), webhook(hexId("b", 3), "second")];
    return memoryStack({ ...dependencies.theirs, dashboards: [theirBoard], alerts: shown, webhooks }, "managed");
  };
  const run = async (stack: MemoryStack): Promise<StageRun> => {
    const webhooks = [hook, webhook(hexId("a", 3), "second")];
    return importStage(stack).run(records({ dashboards: [board], alerts: [twice], sources: [logs], webhooks }));
  };

  it("is written whole where the stack's own answers show several", async () => {
    const stack = managed([{ ...onBoard("b", theirBoard, {}), name: "Theirs", threshold: 3 }]);
    expect(outcomeOf(await run(stack), "Busy")).toMatchObject({ action: "create", status: "done" });
    expect(storedRecords(stack, "alerts")[1]).toMatchObject({
      channels: [{ webhookId: hexId("b", 2) }, { webhookId: hexId("b", 3) }],
    });
  });

  it("is blocked where nothing tells", async () => {
    const { channels: _channels, ...one } = onBoard("b", theirBoard, {});
    const blocked = { action: "blocked", code: "several-channels" };
    for (const shown of [[], [{ ...one, name: "Theirs" }]])
      expect(outcomeOf(await run(managed(shown)), "Busy")).toMatchObject(blocked);
  });
});

describe("a record that --fit-limits would change", () => {
  const tagged = { tags: [LONG_TAG] };

  it("is unchanged where the target has it in the form that a write would not take", async () => {
    const stack = target([{ ...theirBoard, ...tagged }]);
    const run = await imports(stack, [{ ...board, ...tagged }], [], { onConflict: "update", fitLimits: true });
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "unchanged" });
    expect(writesOn(stack)).toEqual([]);
  });

  it("is unchanged with --fit-limits where the target has the fitted form, and is blocked without the flag", async () => {
    const stack = target([{ ...theirBoard, tags: [LONG_TAG.slice(0, 32)] }]);
    const fitted = await imports(stack, [{ ...board, ...tagged }], [], { onConflict: "update", fitLimits: true });
    expect(outcomeOf(fitted, "Board")).toMatchObject({ action: "unchanged" });
    const plain = await imports(stack, [{ ...board, ...tagged }], [], { onConflict: "update" });
    expect(outcomeOf(plain, "Board")).toMatchObject({ action: "blocked", code: "needs-fitting" });
  });

  it("says what is changed where it is written", async () => {
    const stack = target();
    const run = await imports(stack, [{ ...board, ...tagged }], [], { fitLimits: true });
    expect(run.plan.items.find(({ name }) => name === "Board")?.fitted).toMatchObject([{ pointer: "/tags/0" }]);
    expect(storedRecords(stack, "dashboards")).toMatchObject([{ tags: [LONG_TAG.slice(0, 32)] }]);
  });
});

describe("a metric without a column, as the web interface makes it", () => {
  const metric = { aggFn: "avg", metricName: "cpu.load", metricType: "gauge", valueExpression: "", where: "" };
  const tiles = [{ id: "t", name: "T", config: { displayType: "line", sourceId: hexId("a", 1), select: [metric] } }];

  it("is blocked by name before the write", async () => {
    const stack = target();
    const run = await imports(stack, [{ ...board, tiles }], []);
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "blocked", code: "needs-fitting" });
    expect(outcomeOf(run, "Board")?.message).toContain("/tiles/0/config/select/0");
    expect(writesOn(stack)).toEqual([]);
  });

  it("gets the column of accepted ones under --fit-limits, which is said, and the next run writes nothing", async () => {
    const stack = target();
    const run = await imports(stack, [{ ...board, tiles }], [], { fitLimits: true });
    expect(run.plan.items.find(({ name }) => name === "Board")?.fitted).toMatchObject([
      { pointer: "/tiles/0/config/select/0" },
    ]);
    expect(storedRecords(stack, "dashboards")).toMatchObject([
      { tiles: [{ config: { select: [{ valueExpression: "Value" }] } }] },
    ]);
    const again = await imports(stack, [{ ...board, tiles }], [], { fitLimits: true, onConflict: "update" });
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
    const unnamed = alert(hexId("a", 32), "", board, hexId("a", 2));
    const named = alert(hexId("a", 33), "Busy", board, hexId("a", 2));
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
    const webhook = { space: "webhooks", id: hexId("a", 9), reason: "missing", candidates: [hexId("b", 2)] };
    expect(await missing(target())).toEqual([{ ...webhook, unlisted: false }]);
    const { sources } = dependencies.theirs;
    const used = { ...onBoard("b", theirBoard, {}), name: "Theirs" };
    const unlisted = memoryStack({ dashboards: [theirBoard], alerts: [used], sources });
    expect(await missing(unlisted)).toEqual([{ ...webhook, unlisted: true }]);
  });
});

const NAMES = ["chat", "pager", "mail"];
const hooks = (letter: "a" | "b"): JsonObject[] => NAMES.map((name, at) => webhook(hexId(letter, 2 + at), name));

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
