import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import {
  excluding,
  importInto,
  importStage,
  including,
  outcomeOf,
  planInto,
  bodiesSentTo,
  tileIds,
  writesDuring,
  writesOn,
  type JsonObject,
} from "../../support/import-stage.ts";
import { memoryStack, namesOn, type MemoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, linkingTable, records, tileWith, source } from "../../support/stack-records.ts";
import { logs, dependencies, update } from "../../support/import-samples.ts";
import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { documentOf, type CliRun } from "../../support/run-cli.ts";
import { programWithArchive } from "../../support/program-with-archive.ts";

const BOARD = hexId("a", 16);

function tile(number: number, name: string, more: JsonObject = {}): JsonObject {
  const config = { displayType: "line", sourceId: logs["id"] ?? "", select: [{ aggFn: "count" }] };
  return tileWith(hexId("d", number), name, config, more);
}

const board = (tiles: readonly JsonObject[], more: JsonObject = {}): JsonObject =>
  dashboard(BOARD, "Overview", "", { tiles, ...more });
const watch = (number: number, tileId: string): JsonObject =>
  alert(hexId("b", number), `Alert ${number}`, { id: BOARD, tiles: [{ id: tileId }] }, hexId("a", 2));
const archiveOf = (body: JsonObject) => records({ dashboards: [body], ...dependencies.ours });
const ownStack = (body: JsonObject, alerts: readonly JsonObject[] = []): MemoryStack =>
  memoryStack({ dashboards: [body], alerts, ...dependencies.ours });

/** Updates a stack's dashboard `there` to the archive's dashboard `archived`. */
async function updated(there: JsonObject, archived: JsonObject, alerts: readonly JsonObject[] = []) {
  const stack = ownStack(there, alerts);
  const run = await importStage(stack).run(archiveOf(archived), update);
  const [sent] = bodiesSentTo(stack, "update dashboards");
  return { stack, run, sent };
}
const requests = board([tile(1, "Requests")]);
const both = board([tile(1, "Requests"), tile(2, "Errors")]);

describe("an update of the archive's own stack", () => {
  const other = board([tile(1, "Errors by service", { config: { displayType: "markdown", markdown: "new" } })]);

  it("is blocked where the target has a new tile that an alert watches", async () => {
    const { stack, run } = await updated(both, requests, [watch(1, hexId("d", 2))]);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
    expect([run.exitCode, writesOn(stack)]).toEqual([3, []]);
  });

  it("puts a tile back under its own id, whatever the target has made of it, and its alert stays on it", async () => {
    const { stack, run, sent } = await updated(other, requests, [watch(1, hexId("d", 1))]);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", status: "done" });
    expect(sent).toMatchObject({ tiles: [{ id: hexId("d", 1), name: "Requests" }] });
    expect(recordsOn(stack, "alerts")).toMatchObject([{ tileId: hexId("d", 1) }]);
  });

  it("gives no tile, and no alert on it, the content of another tile that somebody has made equal to it", async () => {
    const twice = board([tile(1, "Errors"), tile(2, "Errors")]);
    const { sent } = await updated(twice, both, [watch(1, hexId("d", 1))]);
    expect(sent).toMatchObject({
      tiles: [
        { id: hexId("d", 1), name: "Requests" },
        { id: hexId("d", 2), name: "Errors" },
      ],
    });
  });

  it("names every alert that it would cost, one without a name by what it watches", async () => {
    const unnamed: JsonObject = { ...watch(2, hexId("d", 2)), name: null };
    const { run } = await updated(both, requests, [watch(1, hexId("d", 2)), unnamed]);
    expect(outcomeOf(run, "Overview")?.message).toContain("Alert 1, on Errors (Overview)");
  });

  it("is written if no alert watches the removed tile, and keeps the ids of the other tiles", async () => {
    const { run, sent } = await updated(both, requests, [watch(1, hexId("d", 1))]);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", status: "done", targetId: BOARD });
    expect(tileIds(sent)).toEqual([hexId("d", 1)]);
  });
});

it.each([
  ["become two tiles of the target, never one", [tile(11, "Requests"), tile(12, "Requests")], [11, 12]],
  ["take one tile of the target once: the other is new there", [tile(11, "Requests")], [11, undefined]],
])("two equal tiles of a dashboard %s", async (_, there, ids) => {
  const twins = board([tile(1, "Requests"), tile(2, "Requests", { x: 6 })]);
  const { sent } = await updated(board(there, { tags: ["theirs"] }), twins);
  expect(tileIds(sent)).toEqual(ids.map((id) => id && hexId("d", id)));
});

describe("what an update sends", () => {
  const filter = (number: number, name: string): JsonObject => ({
    id: hexId("e", number),
    name,
    expression: name,
    type: "QUERY_EXPRESSION",
    sourceId: logs["id"] ?? "",
  });

  it("holds an id for each filter that is new, another for each, and the same the next time", async () => {
    const wanted = board([tile(1, "Requests")], { filters: [filter(1, "Service"), filter(2, "Host")] });
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const { filters } = (await updated(requests, wanted)).sent as { filters: { id: string }[] };
        return filters.map(({ id }) => id);
      }),
    );
    expect(new Set(ids[0]).size).toBe(2);
    expect(ids[1]).toEqual(ids[0]);
    for (const id of ids[0] ?? []) expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(ids[0]).not.toContain(hexId("e", 1));
  });

  it("gives new filters uuids where the dashboard has one", async () => {
    const uuid = "6f1c9a52-0000-4000-8000-00000000000a";
    const theirs = { ...board([tile(1, "Requests")]), id: uuid };
    const { sent } = await updated(theirs, board([tile(1, "Requests")], { filters: [filter(1, "Service")] }));
    const { filters } = sent as { filters: { id: string }[] };
    expect(filters[0]?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("takes out what the archive's dashboard lacks, and keeps what it has", async () => {
    const theirs = { savedQuery: "a:b", savedQueryLanguage: "sql", filters: [filter(9, "Theirs")], tags: ["x"] };
    const { filters: _none, ...bare } = board([tile(1, "Requests")], { tags: ["ours"] });
    const { sent } = await updated(board([tile(1, "Requests")], theirs), bare);
    expect(sent).toMatchObject({ savedQuery: null, filters: [], tags: ["ours"] });
  });

  it("takes a note out of an alert that the archive's has not", async () => {
    const plain = alert(hexId("a", 32), "Slow", board([tile(1, "Requests")]), hexId("a", 2));
    const stack = ownStack(board([tile(1, "Requests")]), [{ ...plain, message: "theirs", numConsecutiveWindows: 3 }]);
    const archive = [...archiveOf(board([tile(1, "Requests")])), ...records({ alerts: [plain] })];
    await importStage(stack).run(archive, update);
    expect(bodiesSentTo(stack, "update alerts")).toMatchObject([{ message: null, numConsecutiveWindows: null }]);
    expect(recordsOn(stack, "alerts")).toHaveLength(1);
  });

  it("is compared with what the plan was made of, so that a change since then is not overwritten", async () => {
    const stack = ownStack(board([tile(1, "Requests")], { tags: ["theirs"] }));
    stack.intercept = (operation) => {
      if (operation === "get dashboards") stack.records.get("dashboards")?.set(BOARD, board([tile(3, "Brand new")]));
    };
    const run = await importStage(stack).run(archiveOf(board([tile(1, "Requests")])), update);
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "failed", code: "changed-since" });
    expect(run.exitCode).toBe(3);
    expect(writesOn(stack)).toEqual([]);
  });
});

describe("copies on own stack", () => {
  function linked(number: number, name: string, to: number): JsonObject {
    const config = linkingTable(hexId("a", to), hexId("a", 1));
    return dashboard(hexId("a", number), name, "", { tiles: [tileWith(hexId("d", number), "Table", config)] });
  }

  const overview = linked(16, "Overview", 17);
  const latency = linked(17, "Latency", 16);
  const slow = alert(hexId("a", 32), "Slow", latency, hexId("a", 2));
  const content = { dashboards: [overview, latency], alerts: [slow], ...dependencies.ours };
  const archive = records(content);

  /** Creates the stack from which the archive was made; one of its dashboards has changed since. */
  function ownStack(changed: JsonObject = { ...latency, tags: ["theirs"] }): MemoryStack {
    return memoryStack({ ...content, dashboards: [overview, changed] });
  }

  describe("importing onto the archive's own stack", () => {
    it("never takes somebody's removed link for an import that was cut short", async () => {
      const tiles = [{ id: hexId("d", 17), name: "Table", config: { displayType: "table", sourceId: hexId("a", 1) } }];
      const stack = ownStack({ ...latency, tiles });
      await expect(planInto(stack, archive, { onConflict: "fail" })).rejects.toMatchObject({ code: "incomplete" });
      await importInto(stack, archive);
      expect(writesOn(stack)).toEqual([]);
    });

    it("makes copies under another name, and never renames what is there", async () => {
      const stack = ownStack();
      const namePrefix = "[copy] ";
      const copy = () => importInto(stack, archive, { namePrefix, onConflict: "overwrite" });
      const writes = await writesDuring(stack, copy);
      expect(namesOn(stack).toSorted()).toEqual(["Latency", "Overview", "[copy] Latency", "[copy] Overview"]);
      expect(writes.filter((name) => name.startsWith("create"))).toHaveLength(3);
      expect(await writesDuring(stack, copy)).toEqual([]);
    });

    it("makes no copies of copies", async () => {
      const unnamed = alert(hexId("a", 33), null, overview, hexId("a", 2));
      const stack = memoryStack({ ...content, alerts: [slow, unnamed] });
      const namePrefix = "[copy] ";
      await importInto(stack, records({ ...content, alerts: [slow, unnamed] }), { namePrefix });
      const kinds = ["dashboards", "alerts", "sources", "webhooks"] as const;
      const newer = records(Object.fromEntries(kinds.map((kind) => [kind, recordsOn(stack, kind) as JsonObject[]])));
      const again = (more = {}) => importInto(stack, newer, { namePrefix, ...more });
      expect(await writesDuring(stack, () => expect(again()).rejects.toMatchObject({ code: "usage" }))).toEqual([]);
      expect(await writesDuring(stack, () => again({ filter: excluding("[copy] *") }))).toEqual([]);
    });

    it("refuses a map file that makes a copy of the original", async () => {
      const mapping = { dashboards: { Latency: hexId("a", 17) } };
      const copy = (more = {}) => importInto(ownStack(), archive, { mapping, namePrefix: "[copy] ", ...more });
      await expect(copy({ onConflict: "overwrite" })).rejects.toMatchObject({
        code: "usage",
        faults: [expect.stringContaining('"Latency"')],
      });
      expect(await copy({ filter: including("Overview") })).toMatchObject({ exitCode: 0 });
    });
  });

  describe("two sources of the archive", () => {
    it("are never matched with one of the target's", async () => {
      const old = { ...source(hexId("a", 3), "Old name", hexId("c", 1), "t2") };
      const first = { ...source(hexId("a", 1), "Logs", hexId("c", 1), "t1") };
      const target = memoryStack({
        dashboards: [],
        alerts: [],
        webhooks: [],
        sources: [source(hexId("b", 1), "Logs", hexId("c", 2), "t2")],
      });
      const boards = [dashboard(hexId("a", 16), "One", hexId("a", 1)), dashboard(hexId("a", 17), "Two", hexId("a", 3))];
      const plan = await planInto(target, records({ dashboards: boards, sources: [first, old] }));
      expect(new Set(plan.matches.filter(({ space }) => space === "sources").map(({ to }) => to)).size).toBe(1);
      expect(plan.items.filter(({ kind }) => kind === "dashboards").map(({ code }) => code)).toContain(
        "missing-reference",
      );
    });
  });

  it("refuses a selection that leaves nothing", async () => {
    await expect(planInto(ownStack(), archive, { filter: including("nope*") })).rejects.toMatchObject({
      code: "usage",
    });
  });
});

const AGE = "age-encryption.org/v1\n-> X25519 somebody's\n";

async function stage() {
  const program = await programWithArchive();
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  await writeFile(join(program.cwd, "sign.key"), pem, { mode: 0o600 });
  return {
    put: (name: string, text: string): Promise<void> => writeFile(join(program.cwd, name), text),
    textOf: (name: string): Promise<string> => readFile(join(program.cwd, name), "utf8"),
    exportTo: (name: string, ...more: string[]): Promise<CliRun> =>
      program.run(["export", "--from", program.from.stack, "--out", name, ...more]),
    [Symbol.asyncDispose]: async () => program[Symbol.asyncDispose](),
  };
}

it("an export to an object store is refused, with the command that stores backups there", async () => {
  await using folder = await stage();
  const run = documentOf(await folder.exportTo("s3://bucket/place/a.zip"));
  expect(run).toMatchObject({
    exitCode: 2,
    error: { code: "usage", hint: expect.stringContaining("backup --to s3://") },
  });
  expect(run).toMatchObject({ requests: { total: 0 } });
});

it.each([
  ["a text", "notes.zip", "somebody's notes"],
  ["another program's zip", "other.zip", "PK\u0003\u0004another program's zip"],
  ["an encrypted file under the name of a plain one", "key.zip", AGE],
])("an export onto a file that is %s is refused before the stack is asked, and it stays", async (_, name, text) => {
  await using folder = await stage();
  await folder.put(name, text);
  const run = documentOf(await folder.exportTo(name));
  expect(run).toMatchObject({ exitCode: 2, error: { code: "usage" }, requests: { total: 0 } });
  expect(run).toMatchObject({ error: { message: expect.stringContaining(`/${name} exists`) } });
  expect(await folder.textOf(name)).toBe(text);
});

it("an export replaces an archive of ours with its signature, and no signature that is none", async () => {
  await using folder = await stage();
  for (const _ of [1, 2]) expect((await folder.exportTo("a.zip", "--sign", "sign.key")).exitCode).toBe(0);
  await folder.put("a.zip.sig", "somebody's");
  const archive = await folder.textOf("a.zip");
  const refused = documentOf(await folder.exportTo("a.zip", "--sign", "sign.key"));
  expect(refused).toMatchObject({ exitCode: 2, error: { code: "usage" } });
  expect([await folder.textOf("a.zip.sig"), await folder.textOf("a.zip")]).toEqual(["somebody's", archive]);
  await folder.put("only.zip.sig", "somebody's");
  expect((await folder.exportTo("only.zip", "--sign", "sign.key")).exitCode).toBe(2);
});
