import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  bodiesSentTo,
  writesOn,
  type JsonObject,
  type RunOptions,
  warningsBesidesJournal,
} from "../../support/import-stage.ts";
import { memoryStack, lostAnswerError, type MemoryStack } from "../../support/memory-stack.ts";
import {
  alert,
  dashboard,
  hexId,
  records,
  webhook,
  heatmap,
  rawSql,
  source,
  tileWith,
  targetIds,
  archiveIds,
} from "../../support/stack-records.ts";
import { fromOtherStack, dependencies, update } from "../../support/import-samples.ts";
import { startSandbox } from "../../support/start-sandbox.ts";
import { documentOf, runCli } from "../../support/run-cli.ts";
import { journalsIn } from "../../support/program-with-archive.ts";
import { sandboxEnv } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const START = "2026-11-01T06:00:00.000Z";
const theirs = dashboard(hexId("b", 16), "Overview", targetIds.source);
const ours = dashboard(hexId("a", 16), "Overview", archiveIds.source);

/** Returns an archive with one alert; `target` returns a target with the counterpart of this alert. */
const archiveOf = (more: JsonObject) =>
  records({
    alerts: [alert(hexId("a", 32), "Busy", ours, archiveIds.webhook, { threshold: 5, ...more })],
    dashboards: [ours],
    ...dependencies.ours,
  });
const target = (more: JsonObject): MemoryStack =>
  memoryStack({
    alerts: [alert(hexId("b", 32), "Busy", theirs, targetIds.webhook, more)],
    dashboards: [theirs],
    ...dependencies.theirs,
  });

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
    const stack = target(there);
    const run = await importStage(stack).run(archiveOf(archived), update);
    expect(outcomeOf(run, "Busy")).toMatchObject({ action: "update", status: "done" });
    expect(recordsOn(stack, "alerts")).toMatchObject([{ threshold: 5, ...kept }]);
    expect(run.warnings).toEqual([]);
  });

  it("names what the target keeps all the same", async () => {
    const stack = target({ scheduleStartAt: START });
    stack.replaceStored = (operation, body) =>
      operation === "update alerts" ? { ...body, scheduleStartAt: START } : body;
    const run = await importStage(stack).run(archiveOf({}), update);
    expect(run.warnings).toMatchObject([{ code: "not-stored", pointer: "/scheduleStartAt" }]);
  });
});

describe("the upper end of a range, which no update removes", () => {
  const range = { thresholdType: "between", thresholdMax: 20 };

  it("is named in the plan before the write, and does not count as a difference afterwards", async () => {
    const stack = target(range);
    const run = await importStage(stack).run(archiveOf({}), update);
    expect(warningsBesidesJournal(run.plan)).toMatchObject([{ code: "not-stored", pointer: "/thresholdMax" }]);
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
    expect(bodiesSentTo(stack, "update alerts")).toMatchObject([{ thresholdMax: 30 }]);
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
  ])("is blocked before the write, and changed to fit under --fit-limits: %s", async (_what, schedule, sent) => {
    const stack = empty();
    const blocked = await importStage(stack).run(archiveOf(schedule));
    expect(outcomeOf(blocked, "Busy")).toMatchObject({ action: "blocked", code: "needs-fitting" });
    await importStage(stack).run(archiveOf(schedule), { fitLimits: true });
    const [body = {}] = bodiesSentTo(stack, "create alerts");
    expect({ scheduleOffsetMinutes: body["scheduleOffsetMinutes"], scheduleStartAt: body["scheduleStartAt"] }).toEqual({
      scheduleOffsetMinutes: undefined,
      scheduleStartAt: undefined,
      ...sent,
    });
  });
});

const second = hexId("a", 3);
it.each<[string, hooks: JsonObject[], channels: number[], RunOptions]>([
  ["a map", [webhook(second, "second")], [2, 3], { mapping: { webhooks: { [second]: hexId("b", 2) } } }],
  [
    "its line for all other webhooks",
    [4, 5].map((number) => webhook(hexId("a", number), `gone ${number}`)),
    [4, 5],
    { mapping: { webhooks: { "*": hexId("b", 2) } } },
  ],
])("two channels that %s makes one are sent once, and the plan says so", async (_, webhooks, numbers, options) => {
  const channels = numbers.map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
  const archive = [...archiveOf({ channel: channels[0] ?? {}, channels }), ...records({ webhooks })];
  const stack = target({});
  stack.records.get("alerts")?.clear();
  const run = await importStage(stack).run(archive, options);
  expect(outcomeOf(run, "Busy")).toMatchObject({ action: "create", status: "done" });
  const once = { type: "webhook", webhookId: targetIds.webhook };
  expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ channel: once, channels: [once] }]);
  expect(run.plan.warnings).toMatchObject([{ code: "fitted", pointer: "/channels" }]);
  const again = await importStage(stack).run(archive, { ...update, ...options });
  expect(outcomeOf(again, "Busy")).toMatchObject({ action: "unchanged" });
  expect(bodiesSentTo(stack, "update alerts")).toEqual([]);
});

describe("unfit tiles", () => {
  const sourcesOf = (letter: "a" | "b", kinds: readonly string[] = ["log", "trace", "session"]): JsonObject[] =>
    ["Logs", "Traces", "Sessions"].map((name, index) => ({
      ...source(hexId(letter, index + 1), name, hexId("c", letter === "a" ? 1 : 2)),
      kind: kinds[index] ?? "",
    }));
  const [LOGS, TRACES, SESSIONS] = [1, 2, 3];

  /** Returns "Overview" with one tile for each of these configurations, side by side. */
  const overview = (letter: "a" | "b", configs: readonly JsonObject[], more: JsonObject = {}): JsonObject => {
    const tiles = configs.map((config, index) =>
      tileWith(hexId(letter, 64 + index), `Tile ${index}`, config, { x: index, w: 1 }),
    );
    return { ...dashboard(hexId(letter, 16), "Overview", "", more), tiles };
  };
  const select = [{ aggFn: "count", where: "", whereLanguage: "lucene" }];
  const line = (id: string): JsonObject => ({ displayType: "line", sourceId: id, fillNulls: true, select });
  const formula = (id: string, expression = "A * 2"): JsonObject => ({ ...line(id), formulas: [{ expression }] });

  const sql = (sqlTemplate: string): JsonObject => ({ ...rawSql(hexId("c", 1), sqlTemplate, "line"), fillNulls: true });

  const target = (there: readonly JsonObject[], more: Record<string, JsonObject[]> = {}): MemoryStack =>
    memoryStack({
      dashboards: [overview("b", there, { tags: ["theirs"] })],
      alerts: [],
      sources: sourcesOf("b"),
      connections: [{ id: hexId("c", 1), name: "Main", host: "http://store", username: "r" }],
      webhooks: [webhook(hexId("b", 12), "oncall")],
      ...more,
    });

  describe("an update with a heatmap or formula on a source on which the API takes no new one", () => {
    const [a, b] = [(of: number) => hexId("a", of), (of: number) => hexId("b", of)];
    it.each<[what: string, archived: JsonObject[], there: JsonObject[], action: "update" | "blocked"]>([
      ["a heatmap of logs beside what is there", [line(a(LOGS)), heatmap(a(LOGS))], [line(b(LOGS))], "blocked"],
      ["a heatmap that was there, of traces until now", [heatmap(a(LOGS))], [heatmap(b(TRACES))], "blocked"],
      ["a heatmap that was there on these logs", [heatmap(a(LOGS))], [heatmap(b(LOGS))], "update"],
      ["a new heatmap of traces", [line(a(LOGS)), heatmap(a(TRACES))], [line(b(LOGS))], "update"],
      ["a line of sessions that gets a formula", [formula(a(SESSIONS))], [line(b(SESSIONS))], "blocked"],
      ["another formula of sessions", [formula(a(SESSIONS), "A * 3")], [formula(b(SESSIONS))], "blocked"],
      ["the formula of sessions that was there", [formula(a(SESSIONS))], [formula(b(SESSIONS))], "update"],
      ["a formula that moves from logs to sessions", [formula(a(SESSIONS))], [formula(b(LOGS))], "blocked"],
      ["a formula that moves to logs", [formula(a(LOGS))], [formula(b(SESSIONS))], "update"],
      [
        "a formula that a pie does not keep",
        [{ ...formula(a(SESSIONS)), displayType: "pie" }],
        [line(b(SESSIONS))],
        "update",
      ],
    ])("is blocked before the write if a tile does not fit its source: %s", async (_what, archived, there, action) => {
      const stack = target(there);
      const archive = records({ dashboards: [overview("a", archived)], sources: sourcesOf("a") });
      const run = await importStage(stack).run(archive, update);
      const code = action === "blocked" ? { code: "would-be-refused" } : {};
      expect(outcomeOf(run, "Overview")).toMatchObject({ action, ...code });
      expect(writesOn(stack)).toEqual(action === "update" ? ["update dashboards"] : []);
    });

    it.each<[what: string, kindsThere: string[], action: "create" | "blocked"]>([
      ["takes it, whatever the archive calls that source", ["trace", "log", "session"], "create"],
      ["is of another kind than the archive's", ["log", "session", "trace"], "blocked"],
    ])("goes by the target's source, which %s", async (_what, kindsThere, action) => {
      const stack = target([], { dashboards: [], sources: sourcesOf("b", kindsThere) });
      const tile = action === "create" ? heatmap(a(LOGS)) : heatmap(a(TRACES));
      const archive = records({ dashboards: [overview("a", [tile])], sources: sourcesOf("a") });
      const mapping = { sources: { [a(LOGS)]: b(1), [a(TRACES)]: b(2) } };
      const run = await importStage(stack).run(archive, { mapping });
      expect(outcomeOf(run, "Overview")).toMatchObject({ action });
      expect(writesOn(stack)).toEqual(action === "create" ? ["create dashboards"] : []);
    });

    it("is known of a source that only the target has told of", async () => {
      const stack = target([], { dashboards: [] });
      const archive = records({ dashboards: [overview("a", [heatmap(b(LOGS))])] });
      const run = await importStage(stack).run(archive);
      expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code: "would-be-refused" });
      expect(writesOn(stack)).toEqual([]);
    });
  });

  describe("an alert on a tile that is otherwise on the target", () => {
    const [plain, timed] = [sql("SELECT 1"), sql("SELECT {intervalSeconds:Int64}")];
    it.each<[what: string, archived: JsonObject, there: JsonObject, onConflict: "keep" | "overwrite", sent: string[]]>([
      ["the target's SQL has no interval, and stays", timed, plain, "keep", []],
      [
        "the target's SQL has no interval, and gets one",
        timed,
        plain,
        "overwrite",
        ["update dashboards", "create alerts"],
      ],
      ["the archive's SQL has no interval, and the target's stays", plain, timed, "keep", ["create alerts"]],
      ["the archive's SQL has no interval, and comes", plain, timed, "overwrite", ["update dashboards"]],
    ])(
      "is judged by the target's tile that the alert will watch: %s",
      async (_what, archived, there, onConflict, sent) => {
        const stack = target([there]);
        const board = overview("a", [archived]);
        const busy = alert(hexId("a", 32), "Busy", board, hexId("a", 12));
        const archive = records({
          dashboards: [board],
          alerts: [busy],
          connections: [{ id: hexId("c", 1), name: "Main", host: "http://store", username: "r" }],
          webhooks: [webhook(hexId("a", 12), "oncall")],
        });
        const run = await importStage(stack).run(archive, { onConflict });
        const taken = sent.includes("create alerts");
        expect(outcomeOf(run, "Busy")).toMatchObject(
          taken ? { action: "create" } : { action: "blocked", code: "would-be-refused" },
        );
        expect(writesOn(stack)).toEqual(sent);
      },
    );
  });
});

// Members that the server owns change by themselves (docs/api.md#alert-updates). Such a change is not an edit of the alert.

it("a migration that stopped half-way is continued although an alert of the source has fired since", async () => {
  let state = "OK";
  await using from = await startSandbox({
    variant: "self-hosted",
    seed: "sample",
    intercept: async ({ route }, proceed) => {
      const answer = await proceed();
      if (route !== "GET alerts") return answer;
      return new Response((await answer.text()).replaceAll('"state":"OK"', `"state":"${state}"`), answer);
    },
  });
  let writes = 0;
  await using to = await startSandbox({
    variant: "self-hosted",
    seed: "bare",
    intercept: ({ method }, proceed) => {
      if (method === "POST") writes += 1;
      return method === "POST" && writes === 5 ? Response.json({ message: "no" }, { status: 401 }) : proceed();
    },
  });
  const cwd = temporaryFolder();
  const args = ["migrate", "--from", from.stack, "--to", to.stack, "--create", "saved-searches,webhooks"];
  const run = () => runCli([...args, "--json"], { env: sandboxEnv(from, to), cwd });
  expect((await run()).exitCode).not.toBe(0);
  const before = journalsIn(cwd);
  expect(before).toHaveLength(1);
  state = "ALERT";
  const second = documentOf(await run());
  expect(journalsIn(cwd)).toEqual(before);
  expect(second).toMatchObject({ journal: before[0], run: 1 });
});

describe("names with blanks", () => {
  // The web interface keeps the blanks around a name, and the API takes them away (docs/api.md#dashboards).

  const NAMES = [" Errors", "Errors ", "\tErrors \n", " Errors"];
  const trimming = (stack: MemoryStack): MemoryStack =>
    Object.assign(stack, {
      replaceStored: (_: string, body: JsonObject) => ({ ...body, name: String(body["name"]).trim() }),
    });
  const board = (name: string) => dashboard(hexId("a", 16), name, archiveIds.source);
  const search = (name: string) => ({ id: hexId("a", 5), name, sourceId: archiveIds.source, where: "x", tags: [] });
  const all = (name: string) => ({
    connections: [{ id: hexId("c", 1), name, host: "http://ch:8123", username: "default" }],
    sources: [source(archiveIds.source, name, hexId("c", 1))],
    webhooks: [webhook(archiveIds.webhook, name)],
    "saved-searches": [search(name)],
    dashboards: [board(name)],
    alerts: [alert(hexId("a", 32), name, board(name), archiveIds.webhook)],
  });
  const create = ["connections", "sources", "webhooks", "saved-searches"] as const;
  const empty = { connections: [], sources: [], webhooks: [], "saved-searches": [], dashboards: [], alerts: [] };
  const update = { ...fromOtherStack, onConflict: "overwrite", create } as const;
  const none = [{ value: null }];
  const answers = { "/password": none, "/headers": none, "/queryParams": none };
  const secrets = { [`connections/${hexId("c", 1)}`]: answers, [`webhooks/${hexId("a", 2)}`]: answers };

  describe.each(NAMES)("records whose name has blanks, as in %j,", (name) => {
    it("are created once, without the blanks, and are unchanged in later runs, with and without a journal", async () => {
      const stack = trimming(memoryStack(empty));
      const stage = importStage(stack);
      const first = await stage.run(records(all(name)), { ...update, secrets });
      expect(first.exitCode).toBe(0);
      for (const kind of Object.keys(empty)) expect(recordsOn(stack, kind)).toMatchObject([{ name: "Errors" }]);
      for (const history of [undefined, []]) {
        if (history !== undefined) stage.history.length = 0;
        stack.requests.length = 0;
        const again = await stage.run(records(all(name)), { ...update, secrets });
        expect(writesOn(stack)).toEqual([]);
        const ends = again.plan.items.map(({ kind, action, code }) => [kind, `${action} ${code ?? ""}`.trim()]);
        expect(Object.fromEntries(ends)).toEqual({
          alerts: "unchanged",
          connections: "skip matched",
          dashboards: "unchanged",
          "saved-searches": "skip matched",
          sources: "skip matched",
          webhooks: "skip matched",
        });
        expect(ends).toHaveLength(6);
      }
    });

    it.each([...create, "dashboards", "alerts"])(
      "are found in the list if the response to their create was lost: %s",
      async (kind) => {
        const stack = trimming(memoryStack(empty));
        let lost = false;
        stack.interceptAfter = (operation) => {
          if (operation !== `create ${kind}` || lost) return;
          lost = true;
          throw lostAnswerError();
        };
        const run = await importStage(stack).run(records(all(name)), { ...update, secrets });
        expect([lost, run.exitCode]).toEqual([true, 0]);
        expect(recordsOn(stack, kind)).toHaveLength(1);
      },
    );

    it.each([...create, "dashboards"])("are named in a map file with and without their blanks: %s", async (kind) => {
      const there = { ...all("Theirs"), alerts: [] };
      const ours = { ...all(name), dashboards: [{ ...board(name), tiles: [] }], alerts: [] };
      const bodies = Object.fromEntries(
        Object.entries(there).map(([each, list]) => [each, list.map((body) => ({ ...body, id: hexId("b", 7) }))]),
      );
      for (const from of [name, "Errors"]) {
        // The right side of a dashboard's line is an id, because an import changes the name.
        const mapping = { [kind]: { [from]: kind === "dashboards" ? hexId("b", 7) : "Theirs " } };
        const run = await importStage(memoryStack(bodies)).run(records(ours), { ...update, secrets, mapping });
        expect(run.plan.items.find((item) => item.kind === kind)).toMatchObject({ targetId: hexId("b", 7) });
      }
    });
  });

  it("an alert of which only the blanks around the name differ from the target's is left as it is", async () => {
    const bodies = all("Errors");
    const stack = memoryStack({ ...bodies, alerts: bodies.alerts });
    const run = await importStage(stack).run(records(all(" Errors ")), { ...update, secrets });
    expect(outcomeOf(run, hexId("a", 32))).toMatchObject({ action: "unchanged" });
    expect(writesOn(stack)).toEqual([]);
  });
});
