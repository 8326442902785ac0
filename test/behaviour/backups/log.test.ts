import { describe, expect, it } from "vitest";
import type { LogEntry, LoggedChange } from "../../../src/core/diff.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { sampleRecord } from "../../support/archive-samples.ts";
import { backupStage, besideOf, dailyBackups, DAY, nameAt } from "../../support/backup-stage.ts";
import { board, editedStack, loggedEdits, logOf, searchBackups, tile } from "../../support/edited-stack.ts";
import { including } from "../../support/import-stage.ts";

/** Returns a line for each change, such as `changed Checkout`. */
const changeLines = ({ changes }: LogEntry): string[] => changes.map(({ change, name }) => `${change} ${name}`);

/** Returns the changes of a stack from one day to the next. */
async function changesBetween(...days: [StackRecord[], StackRecord[]]): Promise<readonly LoggedChange[]> {
  const [entry] = (await logOf(await dailyBackups(...days))).entries;
  return entry?.changes ?? [];
}

const hook = (name: string): StackRecord => sampleRecord("one", "webhooks", { name, service: "generic" });

describe("the log of a stack", () => {
  it("shows added, removed and changed records, the newest backup first, with tiles by name", async () => {
    const edited = [board("a", "A", [tile("t1", { w: 12 }), tile("t2")]), board("b", "B")];
    const stage = await dailyBackups([board("a", "A"), board("b", "B")], edited, edited, [
      board("a", "A", [tile("t1", { w: 12 })]),
      board("c", "C"),
    ]);
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
    const moved = await changesBetween(
      [board("a", "A"), alertOn("t1")],
      [board("a", "A", [tile("t2")]), alertOn("t2")],
    );
    expect(moved.find(({ kind }) => kind === "alerts")?.members).toMatchObject([
      { pointer: "/tileId", fromName: "tile t1", toName: "tile t2" },
    ]);
  });

  it("shows a rename in one line by the id, and a record that was made again as removed and added", async () => {
    const before = [board("a", "A"), board("b", "B")];
    expect(await changesBetween(before, [board("a", "New"), board("c", "B")])).toMatchObject([
      { change: "removed", name: "B", leftId: "b" },
      { change: "added", name: "B", rightId: "c" },
      { change: "changed", name: "New", formerName: "A" },
    ]);
  });

  it("takes two records of one name for removed and added if nothing tells which is which", async () => {
    const changes = await changesBetween([board("a", "A"), board("b", "A")], [board("c", "A")]);
    expect(changes.map(({ change }) => change)).toEqual(["removed", "removed", "added"]);
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

  it.each([
    ["that has no other change", [hook("2"), board("a", "A")], []],
    ["with its other changes", [hook("2"), board("a", "B"), board("c", "C")], ["changed B", "added C"]],
  ])("names the backup after one with a damaged record, %s, and compares the others", async (_, second, changes) => {
    const stage = await dailyBackups([hook("1"), board("a", "A")], second, [...second, board("d", "D")]);
    await stage.damage(nameAt(0), "first record");
    const { entries } = await logOf(stage);
    expect(entries.map(changeLines)).toEqual([["added D"], changes]);
    expect(entries[1]?.problem).toMatchObject({
      code: "unreadable-record",
      message: expect.stringContaining(nameAt(0)),
    });
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
    const all = ["A", "B", "C", "D"].map((name) => board(name, name));
    const some = all.slice(0, 3);
    const selection = { filter: { include: ["A", "B", "C"], exclude: [] } };
    const stage = await backupStage();
    await stage.clock.advance(5 * DAY);
    await stage.store(nameAt(0), all);
    await stage.store(nameAt(24), some, false, selection);
    await stage.store(nameAt(48), some, false, selection);
    await stage.store(nameAt(72), all);
    expect((await logOf(stage)).entries).toEqual([]);
    await stage.store(nameAt(96), some, false, selection);
    await stage.store(nameAt(120), some);
    const { entries } = await logOf(stage);
    expect(entries.map((entry) => [entry.archive, changeLines(entry)])).toEqual([[nameAt(120), ["removed D"]]]);
  });

  it("does not read equal records from the archives", async () => {
    const same = Array.from({ length: 40 }, (_, index) => board(`d${index}`, `D${index}`));
    const stage = await dailyBackups(...["1", "2", "3"].map((name) => [...same, board("a", name)]));
    const reads: string[] = [];
    const { openArchive } = stage.context;
    const counting: typeof openArchive = async (path) => {
      const reader = await openArchive(path);
      return { ...reader, read: (entry) => (reads.push(entry.path), reader.read(entry)) };
    };
    expect((await logOf({ context: { ...stage.context, openArchive: counting } })).entries).toHaveLength(2);
    expect(new Set(reads)).toEqual(new Set(["dashboards/a.json"]));
  });
});

it("the log of 15 days of edits equals the list of the edits, each once, on the right backup", async () => {
  const { stage, edits } = await editedStack(4, 15);
  expect(edits.length).toBeGreaterThan(15);
  expect(loggedEdits(await logOf(stage))).toEqual(edits);
});
