import { describe, expect, it } from "vitest";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  bodiesSentTo,
  writesOn,
  planInto,
  outcomeLines,
  warningMessages,
  type JsonObject,
  type StackRecord,
  type RunOptions,
} from "../../support/import-stage.ts";
import { memoryStack, refusalError, failOperation, type MemoryStack } from "../../support/memory-stack.ts";
import {
  alert,
  dashboard,
  hexId,
  records,
  source,
  tileOf,
  webhook,
  tileWith,
  targetIds,
  archiveIds,
} from "../../support/stack-records.ts";
import { theirHook, logs } from "../../support/import-samples.ts";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { programWithSampleArchive } from "../../support/program-with-sample-archive.ts";
import { documentOf } from "../../support/run-cli.ts";
import {
  emptySeed,
  outcomesOf,
  programWithArchive,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";

const ours = (number: number, name: string, table = "otel_logs"): JsonObject =>
  source(hexId("a", number), name, hexId("c", 1), table);
const theirs = (number: number, name: string, table = "otel_logs"): JsonObject =>
  source(hexId("b", number), name, hexId("c", 2), table);
const target = (seed: Readonly<Record<string, readonly JsonObject[]>>): MemoryStack =>
  memoryStack({ dashboards: [], alerts: [], sources: [theirs(1, "Logs")], webhooks: [], ...seed });
const board = (number: number, name: string, on: number, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), name, hexId("a", on), more);
const plan = async (stack: MemoryStack, archive: readonly StackRecord[], options = {}) =>
  (await importStage(stack).run(archive, options)).plan;
describe("a map file's entry", () => {
  it("precedes the journal's pair of another dashboard, which is then created and overwrites nothing", async () => {
    const stack = target({});
    const stage = importStage(stack);
    const two = records({ sources: [ours(1, "Logs")], dashboards: [board(16, "One", 1), board(17, "Two", 1)] });
    await stage.run(two);
    const [first] = recordsOn(stack, "dashboards");
    stack.requests.length = 0;
    const run = await stage.run(two, {
      mapping: { dashboards: { Two: String(first?.["id"]) } },
      onConflict: "overwrite",
    });
    expect(outcomeOf(run, "One")).toMatchObject({ action: "create", status: "done" });
    expect(writesOn(stack).filter((write) => write === "create dashboards")).toHaveLength(1);
    expect(outcomeOf(run, "One")?.targetId).not.toBe(first?.["id"]);
  });

  it("pairs a dashboard with a dashboard of another name, and precedes the journal", async () => {
    const stack = target({ dashboards: [dashboard(hexId("b", 20), "Other name", targetIds.source)] });
    const stage = importStage(stack);
    const one = records({ dashboards: [board(16, "One", 1)], sources: [ours(1, "Logs")] });
    await stage.run(one);
    const run = await stage.run(one, { mapping: { dashboards: { One: hexId("b", 20) } } });
    expect(outcomeOf(run, "One")).toMatchObject({ action: "skip", targetId: hexId("b", 20) });
  });
});

describe("alerts of one name", () => {
  const [first, second] = [board(16, "One", 1), board(17, "Two", 1)];
  const hook = webhook(archiveIds.webhook, "oncall");
  const slow = (number: number, on: JsonObject): JsonObject =>
    alert(hexId("a", number), "Slow", on, archiveIds.webhook);

  it("are told apart by the tile that they watch", async () => {
    const archive = records({
      dashboards: [first, second],
      alerts: [slow(32, first), slow(33, second)],
      sources: [ours(1, "Logs")],
      webhooks: [hook],
    });
    const stack = target({ webhooks: [theirHook] });
    await importStage(stack).run(archive);
    changeOn(stack, "alerts", { threshold: 99 });
    const { items } = await plan(stack, archive, { onConflict: "overwrite" });
    expect(items.filter(({ kind }) => kind === "alerts").map(({ action }) => action)).toEqual(["update", "update"]);
    for (const number of [32, 33]) {
      const item = items.find(({ sourceId }) => sourceId === hexId("a", number));
      const on = items.find(({ sourceId }) => sourceId === hexId("a", number - 16));
      expect(stack.records.get("alerts")?.get(item?.targetId ?? "")?.["dashboardId"]).toBe(on?.targetId);
    }
  });

  it("are blocked as ambiguous, with the candidates, if several dashboards of the target could be theirs", async () => {
    const twins = [8, 9].map((number) =>
      dashboard(hexId("b", number), "One", targetIds.source, { tags: [`${number}`] }),
    );
    const archive = records({
      dashboards: [first],
      alerts: [slow(32, first)],
      sources: [ours(1, "Logs")],
      webhooks: [hook],
    });
    const stack = target({ webhooks: [theirHook], dashboards: twins });
    const options = {
      source: { variant: "self-hosted", baseUrl: "http://elsewhere.test" } as const,
      kinds: ["alerts"],
    };
    const { items, unresolved } = await plan(stack, archive, options);
    expect(items.find(({ kind }) => kind === "alerts")).toMatchObject({
      action: "blocked",
      code: "ambiguous",
    });
    expect(unresolved).toMatchObject([{ space: "dashboards", id: hexId("a", 16), reason: "ambiguous" }]);
    expect(unresolved[0]?.candidates.map(({ id }) => id)).toEqual(twins.map(({ id }) => id));
    expect(writesOn(stack)).toEqual([]);
  });

  it("without a name follow a copy of their dashboard", async () => {
    const unnamed = alert(hexId("a", 32), null, first, archiveIds.webhook);
    const there = dashboard(hexId("b", 20), "One", targetIds.source, { tags: ["theirs"] });
    const stack = target({ dashboards: [there], webhooks: [theirHook] });
    const archive = records({ dashboards: [first], alerts: [unnamed], sources: [ours(1, "Logs")], webhooks: [hook] });
    await importStage(stack).run(archive, { namePrefix: "Copy: " });
    const copy = recordsOn(stack, "dashboards").find(({ id }) => id !== hexId("b", 20)) as JsonObject;
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ dashboardId: copy["id"], tileId: tileOf(copy) }]);
  });

  it("without a name follow a copy under another name on the stack of the archive", async () => {
    const unnamed = alert(hexId("a", 32), null, first, archiveIds.webhook);
    const content = { dashboards: [first], alerts: [unnamed], sources: [ours(1, "Logs")], webhooks: [hook] };
    const stack = memoryStack(content);
    const stage = importStage(stack);
    const options = { namePrefix: "Copy " };
    await stage.run(records(content), options);
    const copy = recordsOn(stack, "dashboards").find(({ name }) => name === "Copy One") as JsonObject;
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ dashboardId: copy["id"], tileId: tileOf(copy) }]);
    const { plan: second } = await importStage(stack).run(records(content), options);
    expect(second.items.filter(({ action }) => action === "create")).toEqual([]);
  });
});

const sources = [logs];
const elsewhere = { variant: "self-hosted", baseUrl: "http://elsewhere.test" } as const;
describe("a webhook that the target does not list", () => {
  const board = dashboard(hexId("a", 16), "Board", archiveIds.source);
  const alerts = (...hooks: readonly string[]) =>
    hooks.map((hook, number) => alert(hexId("a", 20 + number), `Alert ${number}`, board, hook));
  const [A, B] = [hexId("a", 2), hexId("b", 2)];
  const mapping = { webhooks: { [A]: hexId("b", 7) } };
  const all = { webhooks: { "*": hexId("b", 8) } };

  it.each<[string, theirHooks: string[], RunOptions, rules: string[]]>([
    ["none by itself, whatever the paired alerts use", [B, B], {}, []],
    ["the one for all others, whatever they use", [B], { mapping: all }, [`${hexId("b", 8)} map-file`]],
    ["the map file's, whatever they use", [B], { mapping }, [`${hexId("b", 7)} map-file`]],
  ])("%s", async (_, theirHooks, options, rules) => {
    const stack = memoryStack({ dashboards: [board], sources, alerts: alerts(...theirHooks) }, "managed");
    const webhooks = [webhook(A, "pager")];
    const archive = records({ dashboards: [board], sources, alerts: alerts(A, A, A), webhooks });
    const { plan } = await importStage(stack).run(archive, { ...options, source: elsewhere });
    const matches = plan.matches.filter(({ space }) => space === "webhooks");
    expect(outcomeLines(matches, "to", "rule")).toEqual(rules);
    const last = plan.items.find(({ name }) => name === "Alert 2");
    expect(last).toMatchObject(
      rules.length > 0 ? { action: "create" } : { action: "blocked", code: "missing-reference" },
    );
    const to = rules[0]?.split(" ")[0];
    for (const { channel } of bodiesSentTo(stack, "create alerts"))
      expect(channel).toEqual({ type: "webhook", webhookId: to });
  });

  it("alone can have one line for all others in a map file", async () => {
    const archive = records({ dashboards: [board], sources });
    const stack = memoryStack({ dashboards: [], sources, alerts: [] });
    const others = { mapping: { sources: { "*": "Logs" } } };
    await expect(importStage(stack).run(archive, others)).rejects.toMatchObject({ code: "usage" });
  });
});

describe("two alerts of the archive that are alike, and one of the target that was changed", () => {
  const board = dashboard(hexId("a", 16), "Board", archiveIds.source);
  const hook = webhook(archiveIds.webhook, "oncall");
  const one = alert(hexId("a", 32), "Busy", board, archiveIds.webhook);
  const twin = { ...one, id: hexId("a", 33) };
  const theirs = { ...one, id: hexId("b", 32), threshold: 1000 };
  const archive = records({ dashboards: [board], alerts: [one, twin], sources, webhooks: [hook] });
  const target = () => memoryStack({ dashboards: [board], alerts: [theirs], sources, webhooks: [hook] });

  it("are blocked with the reason", async () => {
    const { items } = await planInto(target(), archive);
    const alerts = items.filter(({ kind }) => kind === "alerts");
    expect(alerts.map(({ action, message }) => [action, message])).toEqual(
      [1, 2].map(() => ["blocked", expect.stringContaining(`"Busy" ${theirs.id}`) as string]),
    );
  });

  it("are told apart by a map file that names one of them", async () => {
    const mapping = { alerts: { [String(one["id"])]: theirs.id } };
    const { items } = await planInto(target(), archive, { mapping, onConflict: "overwrite" });
    const alerts = items.filter(({ kind }) => kind === "alerts");
    expect(alerts.map(({ sourceId, action, targetId }) => [sourceId, action, targetId])).toEqual([
      [one["id"], "update", theirs.id],
      [twin.id, "create", undefined],
    ]);
  });
});

const archive = records({ dashboards: [dashboard(hexId("a", 16), "One", "", { tags: ["x"] })] });
const empty = () => memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [] });

it("an import plans nothing if a list of the target cannot be read", async () => {
  const stack = empty();
  failOperation(stack, "list dashboards", () => refusalError("unauthorized", "no"));
  await expect(importStage(stack).run(archive)).rejects.toMatchObject({ code: "unauthorized" });
  expect(writesOn(stack)).toEqual([]);
});

const SOURCE = hexId("b", 1);
const listed = records({
  dashboards: [dashboard(hexId("a", 1), "One", SOURCE)],
  sources: [source(SOURCE, "Logs", hexId("c", 1))],
});

it("a record of the target that cannot be read is named", async () => {
  const stack = memoryStack({
    dashboards: [{ id: hexId("d", 1), name: 7, tiles: "none" }],
    alerts: [],
    sources: [source(hexId("d", 2), "Logs", hexId("d", 3))],
    webhooks: [],
  });
  const { events } = await importStage(stack).run(listed);
  expect(events).toContainEqual({
    type: "warning",
    warning: expect.objectContaining({ code: "unreadable-record", message: expect.stringContaining(hexId("d", 1)) }),
  });
});

it("a webhook's name in the map file is accepted although no alert of the archive uses the webhook", async () => {
  const stack = memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [webhook(hexId("d", 1), "There")] });
  const archived = records({
    webhooks: [webhook(archiveIds.webhook, "Here")],
    dashboards: [dashboard(hexId("a", 1), "One", "")],
  });
  const { plan } = await importStage(stack).run(archived, { mapping: { webhooks: { Here: "There" } } });
  // The target lists its webhooks, so the run need not verify the id.
  expect(plan.matches).toEqual([
    { space: "webhooks", from: hexId("a", 2), to: hexId("d", 1), name: "Here", targetName: "There", rule: "map-file" },
  ]);
});

/** Creates a program whose target has two sources with the name of the archive's source. */
function twoLogs(): Promise<ProgramWithArchive> {
  const seed = emptySeed("b");
  return programWithArchive({
    ...seed,
    sources: [...(seed.sources ?? []), source(hexId("b", 4), "Logs", hexId("b", 8))],
  });
}

it("two sources of one name are ambiguous, and the drafted map asks which", async () => {
  await using stage = await twoLogs();
  const run = await stage.import("--dry-run", "--draft-map", "map.yaml");
  expect(run.exitCode, run.stdout).toBe(3);
  const { unresolved } = documentOf(run);
  const candidates = [{ id: hexId("b", 1) }, { id: hexId("b", 4) }];
  expect(unresolved).toMatchObject([{ space: "sources", id: hexId("a", 1), reason: "ambiguous", candidates }]);
  expect(outcomesOf(run)).toContainEqual(expect.objectContaining({ kind: "sources", code: "ambiguous" }));
  const map = await readFile(join(stage.cwd, "map.yaml"), "utf8");
  for (const id of [hexId("a", 1), hexId("b", 1), hexId("b", 4)]) expect(map).toContain(id);
  const before = outcomesOf(run).filter(({ action }) => action === "create");
  expect(before).toEqual([]);
});

describe("an alert on another tile than the target's alert of its name, without a state", () => {
  const config = { displayType: "line", sourceId: SOURCE, select: [{ aggFn: "count" }] };
  const tiles = ["CPU", "Memory"].map((name, at) => tileWith(hexId("b", 20 + at), name, config, { x: 6 * at }));
  const board = dashboard(hexId("a", 1), "One", SOURCE, { tiles });
  const busy = (number: number, tile: number, name: string | null = "Busy") =>
    alert(hexId("a", number), name, board, targetIds.webhook, { tileId: hexId("b", 20 + tile) });
  const archiveOf = (...alerts: JsonObject[]) =>
    records({
      dashboards: [board],
      alerts,
      sources: [source(SOURCE, "Logs", hexId("c", 1))],
      webhooks: [webhook(targetIds.webhook, "pager")],
    });
  const fromOther = { source: { variant: "self-hosted", baseUrl: "http://other.test" } } as const;

  /** Imports the alert on the first tile. Later runs do not get this run's journal. */
  async function imported(name: string | null = "Busy") {
    const logs = source(hexId("d", 1), "Logs", hexId("d", 8));
    const stack = memoryStack({
      dashboards: [],
      alerts: [],
      sources: [logs],
      webhooks: [webhook(hexId("d", 2), "pager")],
    });
    await importStage(stack).run(archiveOf(busy(32, 0, name)), fromOther);
    const [targetId = ""] = stack.records.get("alerts")?.keys() ?? [];
    return { stack, targetId };
  }

  it.each(["Busy", null])("is created as a second one, as nothing tells that it has moved (name: %s)", async (name) => {
    const { stack, targetId } = await imported(name);
    await importStage(stack).run(archiveOf(busy(32, 1, name)), fromOther);
    expect(recordsOn(stack, "alerts").map(({ id }) => id)).toContain(targetId);
    expect(bodiesSentTo(stack, "create alerts")).toHaveLength(2);
  });

  it.each([
    ["of the same name and content", "Busy", {}],
    ["without a name", null, {}],
    ["with other content", "Busy", { threshold: 7 }],
  ] as const)("on another dashboard, %s, is its own", async (_, name, change) => {
    const { stack, targetId } = await imported(name);
    const other = dashboard(hexId("a", 2), "Two", SOURCE, { tiles: [tileWith(hexId("b", 30), "CPU", config)] });
    const moved = { ...alert(hexId("a", 32), name, other, targetIds.webhook), ...change };
    const archive = [...archiveOf(), ...records({ dashboards: [other], alerts: [moved] })];
    await importStage(stack).run(archive, fromOther);
    expect(recordsOn(stack, "alerts").map(({ id }) => id)).toContain(targetId);
    expect(bodiesSentTo(stack, "create alerts")).toHaveLength(2);
  });

  it("is moved if a map file names it", async () => {
    const { stack, targetId } = await imported();
    const mapping = { alerts: { [hexId("a", 32)]: targetId } };
    const run = await importStage(stack).run(archiveOf(busy(32, 1)), {
      ...fromOther,
      mapping,
      onConflict: "overwrite",
    });
    expect(warningMessages(run.plan, "created-beside")).toEqual([]);
    expect(bodiesSentTo(stack, "create alerts")).toHaveLength(1);
    expect(recordOn(stack, "alerts", "Busy")["tileId"]).toBe(
      (recordOn(stack, "dashboards", "One")["tiles"] as JsonObject[])[1]?.["id"],
    );
  });

  it("is no second one if the source has both", async () => {
    const { stack } = await imported();
    const { plan } = await importStage(stack).run(archiveOf(busy(32, 0), busy(33, 1)), fromOther);
    expect(warningMessages(plan, "created-beside")).toEqual([]);
  });
});

/** Ids of connections in the map file and in the draft. The target does not list connections, so it accepts any id. */
const [MAP, DRAFT] = ["c0".repeat(12), "d0".repeat(12)] as const;

describe("a drafted map file", () => {
  it("keeps the lines that somebody has filled in, and --map decides where both have one", async () => {
    await using stage = await programWithSampleArchive({ api: "contract" });
    await writeFile(join(stage.cwd, "given.yaml"), `connections:\n  "both": "${MAP}"\n`);
    await writeFile(join(stage.cwd, "draft2.yaml"), `connections:\n  "both": "${DRAFT}"\n  "old": "kept"\n`);
    const run = await stage.run("import a.zip --to $TO --map given.yaml --dry-run --draft-map draft2.yaml");
    expect([0, 3]).toContain(run.exitCode);
    const text = await readFile(join(stage.cwd, "draft2.yaml"), "utf8");
    expect(text).toContain(`"both": "${MAP}"`);
    expect(text).toContain('"old": "kept"');
    expect(text).not.toContain(DRAFT);
  });
});
