import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { importStage, writesDuring, type StackRecord } from "../../support/import-stage.ts";
import { board, usualTarget } from "../../support/import-samples.ts";
import {
  beginEntry,
  headerEntry,
  intentEntry,
  journalPath,
  openJournal,
  readJournal,
  runNumbers,
  type JournalEntry,
} from "../../support/journal-file.ts";
import { archive, update } from "../../support/mirror-stage.ts";
import { recordOn, sortedNamesOn } from "../../support/on-stack.ts";
import { journalOf, rollBackJournal } from "../../support/rollback-runs.ts";

const textOf = (...entries: readonly unknown[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");

/** Writes a file in the place of a journal, and returns its path. */
async function fileOf(text: string, path = journalPath()): Promise<string> {
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

async function appendTo(path: string, ...entries: readonly JournalEntry[]): Promise<void> {
  await using journal = await openJournal(path);
  for (const entry of entries) await journal.append(entry);
}

describe("a last line of a journal that was cut off", () => {
  it.each<[string, readonly JournalEntry[], string]>([
    ["within an entry", [headerEntry, beginEntry, intentEntry(1, "Größe – 日本")], '{"type":"intent","name":"Grö'],
    ["right before its line break", [headerEntry, beginEntry], JSON.stringify(intentEntry(1))],
    ["before the first byte of the file", [], ""],
    ["within the first line of the file", [], '{"type":"jour'],
    ["right before the first line break", [], JSON.stringify(headerEntry)],
  ])("%s counts for nothing: a reader leaves it, and the next entry replaces it", async (_where, whole, torn) => {
    const text = textOf(...whole) + torn;
    const path = await fileOf(text);
    expect(await readJournal(path)).toEqual(whole);
    expect(await readFile(path, "utf8")).toBe(text);
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
    const more = [intentEntry(2, "Übersicht"), intentEntry(3)];
    await appendTo(path, ...more);
    expect(await readJournal(path)).toEqual([...(whole.length > 0 ? whole : [headerEntry]), ...more]);
  });
});

describe("a file that is no journal of this program", () => {
  it.each<[string, string]>([
    [
      "has a line in the middle that is no JSON",
      `${textOf(headerEntry, beginEntry)}{"type":"int\n${textOf(beginEntry)}`,
    ],
    ["has an entry of an unknown type", textOf(headerEntry, { ...intentEntry(1), type: "other" })],
    ["has an entry with an unknown member", textOf(headerEntry, { ...intentEntry(1), more: 1 })],
    ["has an entry without its key", textOf(headerEntry, { ...intentEntry(1), key: undefined })],
    ["has a key without a kind", textOf(headerEntry, { ...intentEntry(1), key: "dashboards" })],
    ["is of a later version", textOf({ ...headerEntry, version: 2 })],
    ["is of another format", textOf({ ...headerEntry, format: "other" })],
    ["does not begin with what it belongs to", textOf(beginEntry, intentEntry(1))],
    ["has one line of something else", "remember: call Ada"],
  ])("is refused where it %s, for reading and for writing", async (_, text) => {
    const path = await fileOf(text);
    await expect(readJournal(path)).rejects.toMatchObject({ code: "journal" });
    await expect(openJournal(path)).rejects.toMatchObject({ code: "journal" });
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it("is refused for writing where it is of another pair", async () => {
    const path = await fileOf(textOf({ ...headerEntry, namePrefix: "Copy of " }));
    await expect(openJournal(path)).rejects.toMatchObject({ code: "journal" });
  });

  it("is refused if it is a folder or a link; a missing file is no error", async () => {
    const path = journalPath();
    expect(await readJournal(path)).toBeUndefined();
    await mkdir(path);
    await expect(readJournal(path)).rejects.toMatchObject({ code: "journal" });
    const [link, linked] = [`${path}-link`, await fileOf("", `${path}-else`)];
    await symlink(linked, link);
    await expect(openJournal(link)).rejects.toMatchObject({ code: "journal" });
    expect(await readFile(linked, "utf8")).toBe("");
  });
});

describe("a journal of 41 runs", () => {
  const tagged = (run: number, name = "Board 17"): StackRecord[] =>
    archive([board(16, { tags: [`${run}`] }), board(17, { name })]);

  /** Makes a target and the journal of the runs: all write the first dashboard, only the first run writes the second. */
  async function longJournal(path: string) {
    const stack = usualTarget();
    const stage = importStage(stack);
    for (let run = 1; run <= 41; run += 1) await stage.run(tagged(run), update);
    await fileOf(textOf(headerEntry, ...stage.history), path);
    return { stack, stage };
  }

  it("is shortened to the last 20, of which each can be undone, and to what is known of every record", async () => {
    const path = journalPath();
    const { stack, stage } = await longJournal(path);
    // The next run sees the first dashboard alone.
    const tagged42 = archive([board(16, { tags: ["42"] })]);
    await using journal = await openJournal(path);
    await stage.run(tagged42, { ...update, journal });
    const entries = (await readJournal(path)) ?? [];
    expect(runNumbers(entries)).toEqual(Array.from({ length: 21 }, (_, index) => 22 + index));
    const again = journalOf([...entries]);
    expect(await writesDuring(stack, () => stage.run(tagged42, { ...update, journal: again }))).toEqual([]);
    await stage.run(tagged(42, "Renamed"), { ...update, journal: again });
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Renamed"]);
    expect((await rollBackJournal(stack, entries, { run: 42 })).exitCode).toBe(0);
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["41"] });
  });

  it("stays as it is, and is written on, if a shorter one cannot be made", async () => {
    // No second file fits beside a file with such a name.
    const path = join(dirname(journalPath()), `${"j".repeat(240)}.journal`);
    await longJournal(path);
    await appendTo(path, { ...beginEntry, run: 42 } as JournalEntry);
    expect(runNumbers((await readJournal(path)) ?? [])).toHaveLength(42);
  });
});
