import { appendFile, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
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
} from "../../support/journal-file.ts";
import {
  isWrite,
  outcomesOf,
  programWithArchive,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { documentOf } from "../../support/run-cli.ts";

afterEach(() => vi.restoreAllMocks());

/** Opens a journal, writes its first line, and records which methods of its file are called. */
async function begunJournal() {
  const path = journalPath();
  const files = await methodsOfFiles();
  const journal = await openJournal(path);
  await journal.append(beginEntry);
  return Object.assign(journal, { path, files });
}

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
    "fails for each entry of its turn on a full disk (%s); the lines before it stay whole, and the next can be written",
    async (method) => {
      await using journal = await begunJournal();
      const { path, files } = journal;
      const before = [intentEntry(8, "Übersicht – 概要 🚨"), intentEntry(9, "Kosten €")];
      for (const entry of before) await journal.append(entry);
      vi.spyOn(files, method).mockImplementationOnce(async () => {
        await appendFile(path, '{"type":"inte');
        throw fullDisk();
      });
      const tries = await Promise.allSettled([journal.append(intentEntry(1)), journal.append(intentEntry(2))]);
      const failed = tries.filter(({ status }) => status === "rejected");
      expect(failed.length).toBeGreaterThan(0);
      for (const each of failed) expect(each).toMatchObject({ reason: { code: "journal" } });
      await journal.append(intentEntry(3));
      const stored = [intentEntry(1), intentEntry(2)].filter((_, index) => tries[index]?.status === "fulfilled");
      expect(await readJournal(path)).toEqual([headerEntry, beginEntry, ...before, ...stored, intentEntry(3)]);
    },
  );

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

  const createsOn = ({ to }: ProgramWithArchive): number => {
    const { byRoute } = to.stats();
    return (byRoute["POST dashboards"] ?? 0) + (byRoute["POST alerts"] ?? 0);
  };

  it.each<[string, (store: number) => boolean, least: number, most: number]>([
    ["the first line", () => true, 0, 0],
    ["one entry", (store) => store === 3, 0, 2],
    ["any entry after the third", (store) => store > 3, 1, 4],
  ])(
    "is not sent once the journal could not store %s (exit 2), and the next run does the rest",
    async (_, isFull, least, most) => {
      await using program = await programWithArchive();
      const files = await methodsOfFiles();
      const datasync = Reflect.get(files, "datasync");
      let stores = 0;
      const sync = vi.spyOn(files, "datasync").mockImplementation(function (this: unknown) {
        stores += 1;
        return isFull(stores) ? Promise.reject(fullDisk()) : Reflect.apply(datasync, this, []);
      });
      const stopped = await program.import();
      const hint = expect.stringMatching(/run the same command again(?!.*nothing was written)/);
      expect(documentOf(stopped)).toMatchObject({ exitCode: 2, error: { code: "journal", hint } });
      const types = program.entries().map(({ type }) => type);
      expect(types).not.toContain("end");
      // Without a first line, the run has not begun, and has no outcomes.
      const isBegun = types.length > 0;
      expect(isBegun && outcomesOf(stopped).some(({ code }) => code === "not-started")).toBe(isBegun);
      const sent = createsOn(program);
      expect(sent).toBeGreaterThanOrEqual(least);
      expect(sent).toBeLessThanOrEqual(Math.min(most, types.filter((type) => type === "intent").length));
      sync.mockRestore();
      expect((await program.import()).exitCode).toBe(0);
      expect(createsOn(program)).toBe(5);
    },
  );
});
