import { appendFile, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  beginEntry,
  fullDisk,
  intentEntry,
  journalPath,
  methodsOfFiles,
  openJournal,
  readJournal,
  type JournalEntry,
} from "../support/journal-file.ts";
import { documentOf } from "../support/run-cli.ts";
import {
  changeListedRecord,
  importedBench,
  isWrite,
  passThrough,
  listRecords,
  outcomesOf,
  refuseRoute,
  smallBench,
  watchWrites,
} from "../support/small-bench.ts";

afterEach(() => vi.restoreAllMocks());

async function writeJournal(path: string, entries: readonly JournalEntry[], more = ""): Promise<void> {
  await writeFile(path, `${entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")}${more}`);
}

/** Opens a journal, writes its first line, and records which methods of its file are called. */
async function begunJournal() {
  const path = journalPath();
  const files = await methodsOfFiles();
  const journal = await openJournal(path);
  await journal.append(beginEntry);
  return Object.assign(journal, { path, files });
}

/** Makes the flush to disk fail with "disk full" whenever `isFull` is true for its number. */
async function fillDisk(isFull: (store: number) => boolean) {
  const files = await methodsOfFiles();
  const datasync = Reflect.get(files, "datasync");
  let stores = 0;
  return vi.spyOn(files, "datasync").mockImplementation(function (this: unknown) {
    stores += 1;
    return isFull(stores) ? Promise.reject(fullDisk()) : Reflect.apply(datasync, this, []);
  });
}

async function appendTo(path: string, ...entries: readonly JournalEntry[]): Promise<void> {
  await using journal = await openJournal(path);
  for (const entry of entries) await journal.append(entry);
}

describe("a journal whose last line was cut off", () => {
  it("keeps the lines before it and those that are written after it", async () => {
    const path = journalPath();
    const before = [beginEntry, intentEntry(1, "Größe – 日本")];
    await writeJournal(path, before, '{"type":"intent","name":"Grö');
    await appendTo(path, intentEntry(2, "Übersicht"), intentEntry(3));
    expect(await readJournal(path)).toEqual([...before, intentEntry(2, "Übersicht"), intentEntry(3)]);
  });

  it("is empty if its first line was cut off as well", async () => {
    const path = journalPath();
    await writeFile(path, '{"type":"beg');
    expect(await readJournal(path)).toEqual([]);
    await appendTo(path, beginEntry);
    expect(await readJournal(path)).toEqual([beginEntry]);
  });

  it("does not count a last line without a line break as whole, even if its JSON is", async () => {
    const path = journalPath();
    await writeJournal(path, [beginEntry], JSON.stringify(intentEntry(1)));
    await appendTo(path, intentEntry(2));
    expect(await readJournal(path)).toEqual([beginEntry, intentEntry(2)]);
  });

  it("is not changed if it is only read", async () => {
    const path = journalPath();
    await writeJournal(path, [beginEntry], '{"type"');
    const text = await readFile(path, "utf8");
    expect(await readJournal(path)).toEqual([beginEntry]);
    expect(await readFile(path, "utf8")).toBe(text);
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
  });
});

describe("a file that is no journal of this program", () => {
  const text = (entry: unknown): string => `${JSON.stringify(entry)}\n`;
  it.each<[string, string]>([
    ["has a line in the middle that is no JSON", `${text(beginEntry)}{"type":"int\n${text(intentEntry(1))}`],
    ["has an entry of an unknown type", `${text(beginEntry)}${text({ ...intentEntry(1), type: "other" })}`],
    ["has an entry with an unknown member", `${text(beginEntry)}${text({ ...intentEntry(1), more: 1 })}`],
    ["has an entry without its key", `${text(beginEntry)}${text({ ...intentEntry(1), key: undefined })}`],
    ["has a key without a kind", `${text(beginEntry)}${text({ ...intentEntry(1), key: "dashboards" })}`],
    ["is of a later version", text({ ...beginEntry, version: 2 })],
    ["is of another format", text({ ...beginEntry, format: "other" })],
    ["does not begin with what it belongs to", text(intentEntry(1))],
  ])("is refused where it %s, for reading and for writing", async (_, content) => {
    const path = journalPath();
    await writeFile(path, content);
    await expect(readJournal(path)).rejects.toMatchObject({ code: "journal" });
    await expect(openJournal(path)).rejects.toMatchObject({ code: "journal" });
    expect(await readFile(path, "utf8")).toBe(content);
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
  });

  it("is refused if it is a folder or a link; a missing file is no error", async () => {
    const path = journalPath();
    expect(await readJournal(path)).toBeUndefined();
    await mkdir(path);
    await expect(readJournal(path)).rejects.toMatchObject({ code: "journal" });
    const link = `${path}-link`;
    await writeFile(`${path}-else`, "");
    await symlink(`${path}-else`, link);
    await expect(openJournal(link)).rejects.toMatchObject({ code: "journal" });
    expect(await readFile(`${path}-else`, "utf8")).toBe("");
  });
});

describe("an append", () => {
  it("ends once the entry is stored, and not before", async () => {
    const path = journalPath();
    const files = await methodsOfFiles();
    let store: () => void = () => {};
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    await using journal = await openJournal(path);
    const sync = vi.spyOn(files, "datasync").mockImplementationOnce(() => stored);
    let isAppended = false;
    const appending = (async () => {
      await journal.append(beginEntry);
      isAppended = true;
    })();
    await vi.waitFor(() => expect(sync).toHaveBeenCalledTimes(1));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAppended).toBe(false);
    store();
    await appending;
    expect(await readJournal(path)).toEqual([beginEntry]);
  });

  it("is flushed together with the other waiting appends, in their order", async () => {
    await using journal = await begunJournal();
    const { path, files } = journal;
    const sync = vi.spyOn(files, "datasync");
    const entries = Array.from({ length: 50 }, (_, number) => intentEntry(number));
    await Promise.all(entries.map((entry) => journal.append(entry)));
    expect(sync.mock.calls.length).toBeGreaterThan(0);
    expect(sync.mock.calls.length).toBeLessThanOrEqual(2);
    expect(await readJournal(path)).toEqual([beginEntry, ...entries]);
  });

  it("is finished before the journal is closed", async () => {
    const path = journalPath();
    const journal = await openJournal(path);
    const appending = Promise.all([beginEntry, intentEntry(1), intentEntry(2)].map((entry) => journal.append(entry)));
    await journal[Symbol.asyncDispose]();
    await appending;
    expect(await readJournal(path)).toHaveLength(3);
  });

  it.each(["datasync", "appendFile"] as const)(
    "fails for each entry of its turn on a full disk (%s), and leaves a journal that can be written later",
    async (method) => {
      await using journal = await begunJournal();
      const { path, files } = journal;
      vi.spyOn(files, method).mockImplementationOnce(async () => {
        await appendFile(path, '{"type":"inte');
        throw fullDisk();
      });
      const tries = await Promise.allSettled([journal.append(intentEntry(1)), journal.append(intentEntry(2))]);
      const failed = tries.filter(({ status }) => status === "rejected");
      expect(failed.length).toBeGreaterThan(0);
      for (const each of failed) expect(each).toMatchObject({ reason: { code: "journal" } });
      await journal.append(intentEntry(3));
      const intactEntries = [intentEntry(1), intentEntry(2)].filter((_, index) => tries[index]?.status === "fulfilled");
      expect(await readJournal(path)).toEqual([beginEntry, ...intactEntries, intentEntry(3)]);
    },
  );

  it("leaves the lines before it intact if it fails, whatever letters their names have", async () => {
    await using journal = await begunJournal();
    const { path, files } = journal;
    const intactEntries = [intentEntry(1, "Übersicht – 概要 🚨"), intentEntry(2, "Kosten €")];
    for (const entry of intactEntries) await journal.append(entry);
    vi.spyOn(files, "datasync").mockImplementationOnce(() => Promise.reject(fullDisk()));
    await expect(journal.append(intentEntry(3))).rejects.toMatchObject({ code: "journal" });
    expect(await readJournal(path)).toEqual([beginEntry, ...intactEntries]);
  });

  it("fails for good if a partly written line could not be removed", async () => {
    await using journal = await begunJournal();
    const { path, files } = journal;
    vi.spyOn(files, "datasync").mockImplementationOnce(() => Promise.reject(fullDisk()));
    const truncate = vi.spyOn(files, "truncate").mockImplementationOnce(() => Promise.reject(fullDisk()));
    await expect(journal.append(intentEntry(1))).rejects.toMatchObject({ code: "journal" });
    expect(truncate).toHaveBeenCalledTimes(1);
    const text = await readFile(path, "utf8");
    await expect(journal.append(intentEntry(2))).rejects.toMatchObject({ code: "journal" });
    expect(await readFile(path, "utf8")).toBe(text);
  });
});

it("a journal is readable by its owner only, and a folder that is missing is named", async () => {
  const path = journalPath();
  await using _journal = await openJournal(path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(openJournal(join(path, "no", "folder"))).rejects.toMatchObject({ code: "journal" });
});

describe("the target and the archive of a journal", () => {
  const refused = { exitCode: 2, error: { code: "journal" } };

  it.each<[string, string[], string[][]]>([
    ["nothing", [], [["--name-prefix", "b "]]],
    ["--name-prefix", ["--name-prefix", "a "], [["--name-prefix", "b "], []]],
    ["--tag", ["--tag", "a"], [["--tag", "b"], ["--tag", "a", "--tag", "b"], []]],
  ])("of an import with %s is refused with other labels, before anything is written", async (_, first, others) => {
    await using bench = await importedBench(undefined, ...first);
    const text = await readFile(join(bench.cwd, "j"), "utf8");
    const writes = watchWrites(bench);
    for (const second of others) {
      for (const more of [[], ["--dry-run"]])
        expect(documentOf(await bench.import(...second, ...more))).toMatchObject(refused);
    }
    expect(writes).toEqual([]);
    expect(await readFile(join(bench.cwd, "j"), "utf8")).toBe(text);
    expect(documentOf(await bench.import(...first))).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
  });

  it("are compared before anything is written: another target or archive is refused", async () => {
    await using bench = await importedBench();
    await using other = await smallBench();
    await writeFile(join(other.cwd, "j"), await readFile(join(bench.cwd, "j"), "utf8"));
    expect(documentOf(await other.import())).toMatchObject(refused);
    expect(documentOf(await other.rollback())).toMatchObject(refused);
    expect(await listRecords(other.to, "dashboards")).toEqual([]);

    await changeListedRecord(bench.from, "dashboards", "Three", { tags: ["another"] });
    await bench.run(["export", "--from", bench.from.stack, "--out", "b.zip"]);
    const words = ["import", "b.zip", "--to", bench.to.stack, "--on-conflict", "update", "--journal", "j"];
    expect(documentOf(await bench.run(words))).toMatchObject(refused);
    expect(bench.to.stats().byRoute["PUT dashboards/{id}"]).toBe(1);
  });

  it("has a default file for each combination of --name-prefix and --tag", async () => {
    await using bench = await smallBench();
    const words = ["import", "a.zip", "--to", bench.to.stack];
    const namings = [[], ["--name-prefix", "a "], ["--tag", "a"], ["--name-prefix", "a ", "--tag", "a"]];
    for (const [index, more] of namings.entries()) {
      expect((await bench.run([...words, ...more, "--on-conflict", "update"])).exitCode).toBe(0);
      const journals = (await readdir(bench.cwd)).filter((name) => name.endsWith(".journal"));
      expect(journals).toHaveLength(index + 1);
      expect((await bench.run([...words, ...more])).exitCode).toBe(0);
    }
    expect((await readdir(bench.cwd)).filter((name) => name.endsWith(".journal"))).toHaveLength(namings.length);
  });

  it("get no journal from a run that has nothing to write", async () => {
    await using bench = await smallBench();
    await bench.import("--journal", "first");
    expect(documentOf(await bench.import())).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
    expect((await bench.import("--dry-run", "--journal", "k")).exitCode).toBe(0);
    expect((await readdir(bench.cwd)).toSorted()).toEqual([".stackferry", "a.zip", "first"]);
  });
});

describe("a write to a stack", () => {
  it("is stored in the journal before its request is sent", async () => {
    await using bench = await smallBench();
    const writes: [string, number, number][] = [];
    const writeOf: Readonly<Record<string, string>> = { POST: "create", PUT: "link", DELETE: "delete" };
    bench.watch = (request, proceed) => {
      if (isWrite(request)) {
        const kind = request.route.split(/[ /]/)[1] ?? "";
        const begun = bench.entriesNow().filter(({ type, key, write }) => {
          return type === "intent" && write === writeOf[request.method] && String(key).startsWith(`${kind}/`);
        });
        writes.push([request.route, request.routeCount, begun.length]);
      }
      return proceed();
    };
    expect((await bench.import()).exitCode).toBe(0);
    expect((await bench.rollback()).exitCode).toBe(0);
    expect(writes).toHaveLength(11);
    for (const [route, sent, begun] of writes) expect([route, begun]).toEqual([route, Math.max(begun, sent)]);
  });

  it("is not sent once the journal cannot be written (exit 2), and the next run does the rest", async () => {
    await using bench = await smallBench();
    const sync = await fillDisk((store) => store > 3);
    const run = documentOf(await bench.import());
    const hint = expect.stringMatching(/run the same command again(?!.*nothing was written)/);
    expect(run).toMatchObject({ exitCode: 2, error: { code: "journal", hint } });
    const { byRoute } = bench.to.stats();
    const sent = (byRoute["POST dashboards"] ?? 0) + (byRoute["POST alerts"] ?? 0);
    const begun = (await bench.entries()).filter(({ type }) => type === "intent");
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThanOrEqual(begun.length);
    expect(sent).toBeLessThan(5);
    sync.mockRestore();
    expect((await bench.import()).exitCode).toBe(0);
    const after = bench.to.stats().byRoute;
    expect((after["POST dashboards"] ?? 0) + (after["POST alerts"] ?? 0)).toBe(5);
  });

  it("is the last one if a single journal entry could not be stored (exit 2)", async () => {
    await using bench = await smallBench();
    await fillDisk((store) => store === 2);
    const run = await bench.import();
    expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "journal" } });
    expect(outcomesOf(run).some(({ code }) => code === "not-started")).toBe(true);
    expect((await bench.entries()).at(-1)).toMatchObject({ type: "end", result: "stopped" });
    expect(bench.to.stats().byRoute["POST dashboards"] ?? 0).toBeLessThan(3);
  });

  it("is not sent if the journal's first line cannot be stored", async () => {
    await using bench = await smallBench();
    await fillDisk(() => true);
    expect(documentOf(await bench.import())).toMatchObject({ exitCode: 2, error: { code: "journal" } });
    expect(bench.to.stats().byRoute["POST dashboards"]).toBeUndefined();
  });

  it("is recorded as refused if the stack refuses it, and the run as incomplete", async () => {
    await using bench = await smallBench();
    refuseRoute(bench, "POST alerts", 400, 1);
    expect((await bench.import()).exitCode).toBe(3);
    const entries = await bench.entries();
    const refused = entries.filter(({ type }) => type === "refused");
    expect(refused).toMatchObject([{ write: "create", code: "rejected" }]);
    expect(entries.filter(({ type, key }) => type === "done" && key === refused[0]?.["key"])).toEqual([]);
    expect(entries.at(-1)).toMatchObject({ type: "end", result: "incomplete" });
    bench.watch = passThrough;
    expect(documentOf(await bench.import())).toMatchObject({ exitCode: 0, counts: { create: 1, unchanged: 4 } });
    expect((await bench.entries()).at(-1)).toMatchObject({ type: "end", result: "complete" });
  });

  it("makes the last line of the journal say that the run stopped, if it ends the run", async () => {
    await using bench = await smallBench();
    refuseRoute(bench, "POST alerts", 401);
    expect((await bench.import()).exitCode).toBe(5);
    expect((await bench.entries()).at(-1)).toMatchObject({ type: "end", result: "stopped" });
  });
});
