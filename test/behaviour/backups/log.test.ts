import { including } from "../../support/import-stage.ts";
import { describe, expect, it, afterAll, beforeAll } from "vitest";
import type { LogEntry } from "../../../src/core/diff.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { sampleRecord } from "../../support/archive-samples.ts";
import { board, editedStack, searchBackups, loggedEdits, logOf, tile } from "../../support/edited-stack.ts";
import { backupStage, besideOf, dailyBackups, nameAt } from "../../support/backup-stage.ts";
import { copyFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "../../support/start-sandbox.ts";
import type { CliRun } from "../../support/run-cli.ts";
import { START, programWithBackups, type ProgramWithBackups } from "../../support/program-with-backups.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { changeDashboard } from "../../support/read-sandbox.ts";

const DAY = 86_400_000;

/** Returns a line for each change, such as `changed Checkout`. */
const changeLines = ({ changes }: LogEntry): string[] => changes.map(({ change, name }) => `${change} ${name}`);

describe("the log of a stack", () => {
  it("shows added, removed and changed records, the newest backup first, with tiles by name", async () => {
    const stage = await dailyBackups(
      [board("a", "A"), board("b", "B")],
      [board("a", "A", [tile("t1", { w: 12 }), tile("t2")]), board("b", "B")],
      [board("a", "A", [tile("t1", { w: 12 }), tile("t2")]), board("b", "B")],
      [board("a", "A", [tile("t1", { w: 12 })]), board("c", "C")],
    );
    const { entries, compared, first } = await logOf(stage);
    expect(entries.map(({ archive }) => archive)).toEqual([nameAt(72), nameAt(24)]);
    expect(entries.map(changeLines)).toEqual([["changed A", "removed B", "added C"], ["changed A"]]);
    const members = entries.map(({ changes }) => changes[0]?.members);
    expect(members[0]).toMatchObject([{ change: "removed", child: { noun: "tile", name: "tile t2" } }]);
    expect(members[1]).toMatchObject([{ change: "changed", child: { name: "tile t1" }, from: 6, to: 12 }]);
    expect(compared).toBe(4);
    expect(first).toMatchObject({ archive: nameAt(0), records: 2 });
  });

  it("names the tiles of an alert that was moved, even if one of them is removed", async () => {
    const alertOn = (tileId: string): StackRecord =>
      sampleRecord("x", "alerts", { name: "Busy", source: "tile", dashboardId: "a", tileId });
    const stage = await dailyBackups([board("a", "A"), alertOn("t1")], [board("a", "A", [tile("t2")]), alertOn("t2")]);
    const [entry] = (await logOf(stage)).entries;
    expect(entry?.changes.find(({ kind }) => kind === "alerts")?.members).toMatchObject([
      { pointer: "/tileId", fromName: "tile t1", toName: "tile t2" },
    ]);
  });

  it("shows a rename in one line by the id, and a record that was made again as removed and added", async () => {
    const stage = await dailyBackups([board("a", "A"), board("b", "B")], [board("a", "New"), board("c", "B")]);
    const [entry] = (await logOf(stage)).entries;
    expect(entry?.changes).toMatchObject([
      { change: "removed", name: "B", leftId: "b" },
      { change: "added", name: "B", rightId: "c" },
      { change: "changed", name: "New", formerName: "A" },
    ]);
  });

  it("takes two records of one name for removed and added if nothing tells which is which", async () => {
    const stage = await dailyBackups([board("a", "A"), board("b", "A")], [board("c", "A")]);
    const [entry] = (await logOf(stage)).entries;
    expect(entry?.changes.map(({ change }) => change)).toEqual(["removed", "removed", "added"]);
  });

  it("shows no secret from a name in an older backup, nor in its suggestions", async () => {
    const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    const others = [board("y", "Y"), board("z", "Z")];
    const days = [board("a", `A ${secret}`), board("a", "B"), board("a", `C ${secret}`)];
    const stage = await dailyBackups(...days.map((day) => [day, ...others]), others);
    const log = await logOf(stage);
    expect(log.entries.map(changeLines)).toEqual([
      ["removed C «redacted:scanner-github»"],
      ["changed C «redacted:scanner-github»"],
      ["changed B"],
    ]);
    expect(log.entries[2]?.changes).toMatchObject([{ formerName: "A «redacted:scanner-github»" }]);
    expect((await searchBackups(stage, "a"))[0]?.records).toMatchObject([{ name: "C «redacted:scanner-github»" }]);
    const hint = await searchBackups(stage, `A ${secret.replace("c", "d")}`).catch(
      (error: { hint?: string }) => error.hint,
    );
    expect(hint).toBe('did you mean "A «redacted:scanner-github»"?');
    expect(JSON.stringify(log)).not.toContain(secret);
  });

  it("leaves out changes that only the server made", async () => {
    const alertUpdatedAt = (updatedAt: string): StackRecord =>
      sampleRecord("a", "alerts", { state: updatedAt, updatedAt, threshold: 1 });
    expect((await logOf(await dailyBackups([alertUpdatedAt("x")], [alertUpdatedAt("y")]))).entries).toEqual([]);
  });

  it("follows a record by its id under all of its names", async () => {
    const stage = await dailyBackups(
      [board("a", "Old"), board("b", "B")],
      [board("a", "Middle"), board("b", "B", [])],
      [board("a", "Last"), board("b", "B")],
    );
    for (const name of ["Old", "Middle", "Last", "a"]) {
      const { entries } = await logOf(stage, { filter: including(name) });
      expect(entries.map(changeLines)).toEqual([["changed Last"], ["changed Middle"]]);
    }
  });

  it("includes the alerts of a named dashboard, and no other alerts", async () => {
    const on = (id: string, dashboardId: string, threshold: number): StackRecord =>
      sampleRecord(id, "alerts", { dashboardId, tileId: "t1", threshold });
    const stage = await dailyBackups(
      [board("a", "A"), board("b", "B"), on("x", "a", 1), on("y", "b", 1), on("z", "a", 1)],
      [board("a", "A"), board("b", "B"), on("x", "a", 2), on("y", "b", 2)],
    );
    const of = (more: object) => logOf(stage, { filter: including("A"), ...more });
    expect((await of({})).entries.map(changeLines)).toEqual([["changed name of x", "removed name of z"]]);
    expect((await of({ kinds: ["dashboards"] })).entries).toEqual([]);
    const filter = { include: ["A"], exclude: ["name of z"] };
    expect((await of({ filter })).entries.map(changeLines)).toEqual([["changed name of x"]]);
  });

  it("suggests the nearest name from any backup", async () => {
    const stage = await dailyBackups([board("a", "Checkout latency")], [board("b", "Orders")]);
    await expect(logOf(stage, { filter: including("Checkout latncy") })).rejects.toMatchObject({
      code: "usage",
      hint: 'did you mean "Checkout latency"?',
    });
  });

  it("limits the backups by --since, compared with the backup before it, and by an end time", async () => {
    const stage = await dailyBackups([board("a", "1")], [board("a", "2")], [board("a", "3")], [board("a", "4")]);
    const start = stage.clock.now() - 3 * DAY;
    const since = await logOf(stage, { since: start + 2 * DAY });
    expect(since.entries.map(changeLines)).toEqual([["changed 4"], ["changed 3"]]);
    const until = await logOf(stage, { until: start + DAY });
    expect(until.entries.map(changeLines)).toEqual([["changed 2"]]);
  });

  it("names a suspect, a damaged and an encrypted backup, and reports no change for them", async () => {
    const many = Array.from({ length: 10 }, (_, index) => board(`d${index}`, `D${index}`));
    const stage = await dailyBackups(many, many.slice(0, 2), many);
    await stage.clock.advance(2 * DAY);
    await stage.backup({ records: [...many, board("e", "E")] });
    await stage.store(nameAt(72, true), many, true);
    stage.hasKey = false;
    await stage.overwrite(nameAt(48), "not a zip");
    for (const hours of [0, 24, 48, 72]) await stage.overwrite(besideOf(nameAt(hours), "json"), "torn");
    const { entries } = await logOf(stage);
    expect(await searchBackups(stage, "E")).toMatchObject([
      { searched: 3, unread: [nameAt(48), nameAt(72, true)], suspect: [nameAt(24)] },
    ]);
    expect(entries.flatMap(changeLines)).toEqual(["added E"]);
    expect(entries.map(({ archive, problem }) => [archive, problem?.code])).toEqual([
      [nameAt(96), undefined],
      [nameAt(72, true), "wrong-key"],
      [nameAt(48), "damaged-backup"],
      [nameAt(24), "suspect-backup"],
    ]);
  });

  it("names the backup that has a damaged record, and compares the others", async () => {
    const hook = (name: string): StackRecord => sampleRecord("one", "webhooks", { name, service: "generic" });
    const stage = await dailyBackups(
      [hook("1"), board("a", "A")],
      [hook("2"), board("a", "A")],
      [hook("2"), board("a", "B")],
    );
    await stage.damage(nameAt(0), "first record");
    const { entries } = await logOf(stage);
    expect(entries.map(changeLines)).toEqual([["changed B"], []]);
    expect(entries[1]?.problem).toMatchObject({ code: "unreadable-record" });
    expect(entries[1]?.problem?.message).toContain(nameAt(0));
  });

  it("shows the other changes of a backup that has a damaged record", async () => {
    const hook = (name: string): StackRecord => sampleRecord("one", "webhooks", { name, service: "generic" });
    const stage = await dailyBackups([hook("1"), board("a", "A")], [hook("2"), board("a", "B"), board("c", "C")]);
    await stage.damage(nameAt(0), "first record");
    const { entries } = await logOf(stage);
    expect(entries.map(changeLines)).toEqual([["changed B", "added C"]]);
    expect(entries[0]?.problem).toMatchObject({ code: "unreadable-record" });
  });

  it("reports no loss for an unread kind, and compares it with the last backup that has it", async () => {
    const alert = (threshold: number): StackRecord => sampleRecord("x", "alerts", { threshold });
    const failed = { dashboards: { status: "complete", count: 1 }, alerts: { status: "failed", count: 0 } } as const;
    const stage = await dailyBackups([board("a", "A"), alert(1)], { records: [board("a", "A")], kinds: failed }, [
      board("a", "A"),
      alert(2),
    ]);
    await stage.accept();
    const { entries } = await logOf(stage);
    expect(entries.flatMap(changeLines)).toEqual(["changed name of x"]);
    expect(entries.flatMap(({ changes }) => changes)[0]?.members).toMatchObject([{ from: 1, to: 2 }]);
  });

  it("reports no removed records for a selective backup, nor added ones for the next whole backup", async () => {
    const stage = await backupStage();
    const store = async (hours: number, ids: readonly string[], include: readonly string[] = []): Promise<void> => {
      if (hours > 0) await stage.clock.advance(DAY);
      const filter = include.length === 0 ? {} : { filter: { include, exclude: [] } };
      await stage.store(
        nameAt(hours),
        ids.map((id) => board(id, id.toUpperCase())),
        false,
        filter,
      );
    };
    const [all, some] = [
      ["a", "b", "c", "d"],
      ["a", "b", "c"],
    ];
    const selection = ["A", "B", "C"];
    await store(0, all);
    await store(24, some, selection);
    await store(48, some, selection);
    await store(72, all);
    expect((await logOf(stage)).entries).toEqual([]);
    await store(96, some, selection);
    await store(120, some);
    const { entries } = await logOf(stage);
    expect(entries.map((entry) => [entry.archive, changeLines(entry)])).toEqual([[nameAt(120), ["removed D"]]]);
  });

  it("does not read equal records from the archives", async () => {
    const same = Array.from({ length: 40 }, (_, index) => board(`d${index}`, `D${index}`));
    const stage = await dailyBackups(
      [...same, board("a", "1")],
      [...same, board("a", "2")],
      [...same, board("a", "3")],
    );
    const reads: string[] = [];
    const { openArchive } = stage.context;
    const counted = {
      ...stage.context,
      openArchive: async (path: string) => {
        const reader = await openArchive(path);
        return {
          ...reader,
          read: (entry: Parameters<typeof reader.read>[0]) => (reads.push(entry.path), reader.read(entry)),
        };
      },
    };
    expect((await logOf({ context: counted })).entries).toHaveLength(2);
    expect(new Set(reads)).toEqual(new Set(["dashboards/a.json"]));
  });
});

describe("the log of 15 days of edits", () => {
  it("equals the list of the edits, each once, on the right backup", async () => {
    const { stage, edits } = await editedStack(4, 15);
    expect(edits.length).toBeGreaterThan(15);
    expect(loggedEdits(await logOf(stage))).toEqual(edits);
  });
});

const NOON = START + 2 * DAY;

let sandbox: Sandbox;
let fixture: ProgramWithBackups;

const atNoon = (args: string): Promise<CliRun> => fixture.run(args, { now: () => NOON });

describe("the history of a dashboard that was broken on one day", () => {
  beforeAll(async () => {
    sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    fixture = await programWithBackups({ production: sandbox });
    const backup = async (now: number): Promise<void> => {
      const run = await fixture.run("backup production --to place", { now: () => now });
      expect(run.exitCode).toBe(0);
    };
    await backup(START);
    const [body] = await recordsOn(sandbox, "dashboards");
    if (body === undefined) throw new Error("no dashboard");
    await changeDashboard(sandbox, body, { name: "Overview", tiles: (body["tiles"] as object[]).slice(1) });
    await backup(START + DAY);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it("is shown by log: the record, its tile, and its values, with --patch as a whole", async () => {
    const run = await atNoon("log place/production");
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toMatch(/2026-11-22T04:15:00Z {2}production\/20261122T041500Z\.zip\n/);
    expect(run.stdout).toMatch(
      /~ changed dashboard "Overview" \(was ".*"\)\n {4}~ name: ".*" → "Overview"\n {4}- tile "Requests"\n/,
    );
    const patch = await atNoon("log place/production --patch --since 2026-11-21");
    expect(patch.stdout).toMatch(/~ name: ".*" → "Overview"/);
    const before = await fixture.json("log place/production@2026-11-21", { now: () => NOON });
    expect(before).toMatchObject({ log: { entries: [], compared: 1 } });
  });

  it("is shown if a shell has completed the name of the folder", async () => {
    const run = await atNoon("log place/production/");
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain("production/20261122T041500Z.zip");
  });

  it("is shown by list --include: the first and the last backup with the record", async () => {
    const { found } = await fixture.json("list place --include Overview", { now: () => NOON });
    const archives = ["production/20261121T041500Z.zip", "production/20261122T041500Z.zip"];
    expect(found).toMatchObject([{ stack: "production", searched: 2, records: [{ name: "Overview", archives }] }]);
    const run = await atNoon("list place --include Overviw");
    expect(run).toMatchObject({ exitCode: 2 });
    expect(run.stderr).toContain('did you mean "Overview"?');
  });

  it("is drawn by report: a section for each backup that differs", async () => {
    const run = await atNoon("report place/production --out history.html");
    expect(run).toMatchObject({ exitCode: 0 });
    const page = await readFile(join(fixture.cwd, "history.html"), "utf8");
    // Once in the tab, once on the page.
    expect(page.match(/History of production/g)).toHaveLength(2);
    expect(page).toContain("2026-11-22T04:15:00Z");
    expect(page).not.toContain("2026-11-21T04:15:00Z");
  });

  it("may lack changes where a file does not fit its name: log and list --include name it and exit 3", async () => {
    for (const ending of ["zip", "json"]) {
      const copied = join(fixture.repository, `production/20261122T120000Z.${ending}`);
      await copyFile(join(fixture.repository, `production/20261121T041500Z.${ending}`), copied);
    }
    const run = await atNoon("log place/production");
    expect(run).toMatchObject({ exitCode: 3 });
    expect(run.stdout).toMatch(/20261122T120000Z\.zip\n.* its name has another time/);
    const listed = await atNoon("list place --include Overview");
    expect(listed).toMatchObject({ exitCode: 3 });
    expect(listed.stdout).toContain("production/20261122T120000Z.zip");
    for (const ending of ["zip", "json"]) {
      await rm(join(fixture.repository, `production/20261122T120000Z.${ending}`));
    }
  });

  it.each([
    ["log place/staging", "no backup of staging"],
    ["log place/production --since soon", "--since soon is not a time"],
    ["log place/production@soon", "the time of a backup is written"],
    ["log place/production --kinds dashboard", "did you mean dashboards?"],
    ["log place", "a backup is named REPO/STACK"],
    ["log place/", "a backup is named REPO/STACK"],
    ["log place/production/20261121T041500Z.zip", "a backup is named REPO/STACK"],
  ])("%s is refused", async (args, message) => {
    const run = await atNoon(args);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(message);
  });
});
