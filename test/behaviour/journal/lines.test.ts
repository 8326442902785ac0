import { appendFile, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  beginEntry,
  fullDisk,
  headerEntry,
  intentEntry,
  journalPath,
  methodsOfFiles,
  openJournal,
  readJournal,
  type JournalEntry,
} from "../../support/journal-file.ts";
import { documentOf } from "../../support/run-cli.ts";
import {
  isWrite,
  passThrough,
  outcomesOf,
  refuseRoute,
  programWithArchive,
} from "../../support/program-with-archive.ts";

const at = "2026-01-01T00:00:00.000Z";

afterEach(() => vi.restoreAllMocks());

async function writeJournal(path: string, entries: readonly JournalEntry[], more = ""): Promise<void> {
  const text = `${entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")}${more}`;
  await writeFile(path, text, { mode: 0o600 });
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
    const before = [headerEntry, beginEntry, intentEntry(1, "Größe – 日本")];
    await writeJournal(path, before, '{"type":"intent","name":"Grö');
    await appendTo(path, intentEntry(2, "Übersicht"), intentEntry(3));
    expect(await readJournal(path)).toEqual([...before, intentEntry(2, "Übersicht"), intentEntry(3)]);
  });

  it.each([
    ["before its first byte", ""],
    ["within its first line", '{"type":"jour'],
    ["before the end of its first line", JSON.stringify(headerEntry)],
  ])("is empty if it was cut off %s", async (_where, torn) => {
    const path = journalPath();
    await writeFile(path, torn, { mode: 0o600 });
    expect(await readJournal(path)).toEqual([]);
    await appendTo(path, beginEntry);
    expect(await readJournal(path)).toEqual([headerEntry, beginEntry]);
  });

  it("does not count a last line without a line break as whole, even if its JSON is", async () => {
    const path = journalPath();
    await writeJournal(path, [headerEntry, beginEntry], JSON.stringify(intentEntry(1)));
    await appendTo(path, intentEntry(2));
    expect(await readJournal(path)).toEqual([headerEntry, beginEntry, intentEntry(2)]);
  });

  it("is not changed if it is only read", async () => {
    const path = journalPath();
    await writeJournal(path, [headerEntry, beginEntry], '{"type"');
    const text = await readFile(path, "utf8");
    expect(await readJournal(path)).toEqual([headerEntry, beginEntry]);
    expect(await readFile(path, "utf8")).toBe(text);
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
  });
});

it("a long journal stays as it is, and is written on, if a shorter one cannot be made", async () => {
  const runs = Array.from({ length: 50 }, (_, index): JournalEntry[] => [
    { type: "begin", at, run: index + 1 },
    intentEntry(1),
    { type: "done", at, key: "dashboards/1", write: "create", targetId: "t1", content: `of ${index}` },
    { type: "end", at },
  ]).flat();
  // No second file fits beside a file with such a name.
  const long = join(dirname(journalPath()), `${"j".repeat(240)}.journal`);
  const short = journalPath();
  for (const path of [long, short]) {
    await writeJournal(path, [headerEntry, ...runs]);
    await appendTo(path, { type: "begin", at, run: 51 });
  }
  expect(await readJournal(long)).toHaveLength(runs.length + 2);
  expect((await readJournal(short))?.length).toBeLessThan(runs.length);
});

describe("a file that is no journal of this program", () => {
  const text = (...entries: unknown[]): string => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  const header = text(headerEntry);
  it.each<[string, string]>([
    ["has a line in the middle that is no JSON", `${header}${text(beginEntry)}{"type":"int\n${text(intentEntry(1))}`],
    ["has an entry of an unknown type", `${header}${text({ ...intentEntry(1), type: "other" })}`],
    ["has an entry with an unknown member", `${header}${text({ ...intentEntry(1), more: 1 })}`],
    ["has an entry without its key", `${header}${text({ ...intentEntry(1), key: undefined })}`],
    ["has a key without a kind", `${header}${text({ ...intentEntry(1), key: "dashboards" })}`],
    ["is of a later version", text({ ...headerEntry, version: 2 })],
    ["is of another format", text({ ...headerEntry, format: "other" })],
    ["does not begin with what it belongs to", text(beginEntry, intentEntry(1))],
    ["has one line of something else", "remember: call Ada"],
  ])("is refused where it %s, for reading and for writing", async (_, content) => {
    const path = journalPath();
    await writeFile(path, content, { mode: 0o600 });
    await expect(readJournal(path)).rejects.toMatchObject({ code: "journal" });
    await expect(openJournal(path)).rejects.toMatchObject({ code: "journal" });
    expect(await readFile(path, "utf8")).toBe(content);
  });

  it("is refused for writing where it is of another pair", async () => {
    const path = journalPath();
    await writeJournal(path, [{ ...headerEntry, namePrefix: "Copy of " } as JournalEntry]);
    await expect(openJournal(path)).rejects.toMatchObject({ code: "journal" });
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
    expect(await readJournal(path)).toEqual([headerEntry, beginEntry]);
  });

  it("is flushed together with the other waiting appends, in their order", async () => {
    await using journal = await begunJournal();
    const { path, files } = journal;
    const sync = vi.spyOn(files, "datasync");
    const entries = Array.from({ length: 50 }, (_, number) => intentEntry(number));
    await Promise.all(entries.map((entry) => journal.append(entry)));
    expect(sync.mock.calls.length).toBeGreaterThan(0);
    expect(sync.mock.calls.length).toBeLessThanOrEqual(2);
    expect(await readJournal(path)).toEqual([headerEntry, beginEntry, ...entries]);
  });

  it("is finished before the journal is closed", async () => {
    const path = journalPath();
    const journal = await openJournal(path);
    const appending = Promise.all([beginEntry, intentEntry(1), intentEntry(2)].map((entry) => journal.append(entry)));
    await journal[Symbol.asyncDispose]();
    await appending;
    expect(await readJournal(path)).toHaveLength(4);
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
      expect(await readJournal(path)).toEqual([headerEntry, beginEntry, ...intactEntries, intentEntry(3)]);
    },
  );

  it("leaves the lines before it intact if it fails, whatever letters their names have", async () => {
    await using journal = await begunJournal();
    const { path, files } = journal;
    const intactEntries = [intentEntry(1, "Übersicht – 概要 🚨"), intentEntry(2, "Kosten €")];
    for (const entry of intactEntries) await journal.append(entry);
    vi.spyOn(files, "datasync").mockImplementationOnce(() => Promise.reject(fullDisk()));
    await expect(journal.append(intentEntry(3))).rejects.toMatchObject({ code: "journal" });
    expect(await readJournal(path)).toEqual([headerEntry, beginEntry, ...intactEntries]);
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

describe("a write to a stack", () => {
  it("is stored in the journal before its request is sent", async () => {
    await using program = await programWithArchive();
    const writes: [string, number, number][] = [];
    const writeOf: Readonly<Record<string, string>> = { POST: "create", PUT: "link", DELETE: "delete" };
    program.watch = (request, proceed) => {
      if (isWrite(request)) {
        const kind = request.route.split(/[ /]/)[1] ?? "";
        const begun = program.entries().filter(({ type, key, write }) => {
          return type === "intent" && write === writeOf[request.method] && String(key).startsWith(`${kind}/`);
        });
        writes.push([request.route, request.routeCount, begun.length]);
      }
      return proceed();
    };
    expect((await program.import()).exitCode).toBe(0);
    expect((await program.rollback()).exitCode).toBe(0);
    expect(writes).toHaveLength(11);
    for (const [route, sent, begun] of writes) expect([route, begun]).toEqual([route, Math.max(begun, sent)]);
  });

  it("is not sent once the journal cannot be written (exit 2), and the next run does the rest", async () => {
    await using program = await programWithArchive();
    const sync = await fillDisk((store) => store > 3);
    const run = documentOf(await program.import());
    const hint = expect.stringMatching(/run the same command again(?!.*nothing was written)/);
    expect(run).toMatchObject({ exitCode: 2, error: { code: "journal", hint } });
    const { byRoute } = program.to.stats();
    const sent = (byRoute["POST dashboards"] ?? 0) + (byRoute["POST alerts"] ?? 0);
    const begun = program.entries().filter(({ type }) => type === "intent");
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThanOrEqual(begun.length);
    expect(sent).toBeLessThan(5);
    sync.mockRestore();
    expect((await program.import()).exitCode).toBe(0);
    const after = program.to.stats().byRoute;
    expect((after["POST dashboards"] ?? 0) + (after["POST alerts"] ?? 0)).toBe(5);
  });

  it("is the last one if a single journal entry could not be stored (exit 2)", async () => {
    await using program = await programWithArchive();
    await fillDisk((store) => store === 3);
    const run = await program.import();
    expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "journal" } });
    expect(outcomesOf(run).some(({ code }) => code === "not-started")).toBe(true);
    expect(program.entries().map(({ type }) => type)).not.toContain("end");
    expect(program.to.stats().byRoute["POST dashboards"] ?? 0).toBeLessThan(3);
  });

  it("is not sent if the journal's first line cannot be stored", async () => {
    await using program = await programWithArchive();
    await fillDisk(() => true);
    expect(documentOf(await program.import())).toMatchObject({ exitCode: 2, error: { code: "journal" } });
    expect(program.to.stats().byRoute["POST dashboards"]).toBeUndefined();
  });

  it("is recorded as refused if the stack refuses it, and the run as incomplete", async () => {
    await using program = await programWithArchive();
    refuseRoute(program, "POST alerts", 400, 1);
    expect((await program.import()).exitCode).toBe(3);
    const entries = program.entries();
    const refused = entries.filter(({ type }) => type === "refused");
    expect(refused).toMatchObject([{ write: "create", code: "rejected" }]);
    expect(entries.filter(({ type, key }) => type === "done" && key === refused[0]?.["key"])).toEqual([]);
    expect(entries.at(-1)).toMatchObject({ type: "end" });
    program.watch = passThrough;
    expect(documentOf(await program.import())).toMatchObject({ exitCode: 0, counts: { create: 1, unchanged: 4 } });
    expect(program.entries().at(-1)).toMatchObject({ type: "end" });
  });

  it("leaves a journal without an end if it stops the run, and the next run goes on under its number", async () => {
    await using program = await programWithArchive();
    refuseRoute(program, "POST alerts", 401);
    expect((await program.import()).exitCode).toBe(5);
    expect(program.entries().map(({ type }) => type)).not.toContain("end");
    program.watch = passThrough;
    expect((await program.import()).exitCode).toBe(0);
    expect(program.entries().flatMap(({ type, run }) => (type === "begin" ? [run] : []))).toEqual([1, 1]);
    expect(program.entries().at(-1)).toMatchObject({ type: "end" });
  });
});
