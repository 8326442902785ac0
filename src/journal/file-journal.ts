import { constants, type Stats } from "node:fs";
import { readdir, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { StackferryError } from "../core/errors.ts";
import { compactJson } from "../core/json.ts";
import {
  JOURNAL_FORMAT,
  JOURNAL_VERSION,
  type Journal,
  type JournalEntry,
  type JournalPair,
} from "../core/plan/journal.ts";
import { quoteShellWord } from "../core/text/format.ts";
import { PRIVATE_FILE_MODE, syncDirectory, writeAtomically } from "../files/atomic-write.ts";
import { systemErrorCode, systemMessage } from "../files/errors.ts";
import { openRegularFile } from "../files/regular-file.ts";
import { compactJournal } from "./compact.ts";
import { foldJournal, type History } from "./fold.ts";
import { parseJournal, type ParsedJournal } from "./format.ts";

export async function readFileJournal(path: string): Promise<readonly JournalEntry[] | undefined> {
  return readEntries(path, textIn);
}

async function readEntries(
  path: string,
  textOf: (file: FileHandle, path: string) => Promise<string>,
): Promise<readonly JournalEntry[] | undefined> {
  try {
    await using file = await openRegularFile(path, { refusesLinks: true });
    return parseJournal(await textOf(file, path), path).entries;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ENOTDIR") return undefined;
    throw error instanceof StackferryError ? error : journalError(path, "cannot be read", error, UNREADABLE);
  }
}

export interface ListedJournal {
  readonly path: string;
  readonly pair: JournalPair;
}

export interface StoredJournal extends ListedJournal {
  readonly entries: readonly JournalEntry[];
  readonly history: History;
}

/**
 * Reads only first lines, so damage further down in the journal of another stack stops no run.
 * @throws StackferryError `journal`
 */
export async function listJournals(folder: string): Promise<readonly ListedJournal[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw journalError(folder, "cannot be listed", error, UNREADABLE);
  });
  const paths = names.filter((name) => name.endsWith(JOURNAL_SUFFIX)).map((name) => join(folder, name));
  const listed: ListedJournal[] = [];
  for (const path of paths.toSorted()) {
    const [first] = (await readEntries(path, firstLineIn)) ?? [];
    if (first?.type === "journal") listed.push({ path, pair: first });
  }
  return listed;
}

export function readJournals(listed: readonly ListedJournal[]): Promise<readonly StoredJournal[]> {
  return Promise.all(
    listed.map(async (each) => {
      const entries = (await readFileJournal(each.path)) ?? [];
      return { ...each, entries, history: foldJournal(entries) };
    }),
  );
}

/** A file with a longer first line is not listed as a journal. */
const MAX_FIRST_LINE_BYTES = 64 * 1024;

async function firstLineIn(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_FIRST_LINE_BYTES), 0, MAX_FIRST_LINE_BYTES, 0);
  const text = buffer.toString("utf8", 0, bytesRead);
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end + 1);
}

export const JOURNAL_SUFFIX = ".journal";

/** A journal must fit into one string. */
const MAX_JOURNAL_BYTES = 384 * 1024 * 1024;

async function textIn(file: FileHandle, path: string): Promise<string> {
  const stats = await file.stat();
  refuseSharedFile(path, stats);
  if (stats.size <= MAX_JOURNAL_BYTES) return file.readFile("utf8");
  throw new StackferryError("journal", `the journal ${path} is larger than ${MAX_JOURNAL_BYTES / 1024 ** 2} MiB`, {
    hint: "Move it away: the next run begins a new one, and takes records that were renamed for new ones.",
  });
}

const OTHERS = 0o007;
const GROUP = 0o070;

/** A journal decides what a mirror or a rollback deletes, so other users must have no access. */
function refuseSharedFile(path: string, { uid, gid, mode }: Pick<Stats, "uid" | "gid" | "mode">): void {
  const ownUserId = process.getuid?.();
  // Windows has no owners and modes like those of Unix.
  if (ownUserId === undefined) return;
  const isOfOurGroup = (mode & GROUP) !== 0 && (process.getgroups?.() ?? []).includes(gid);
  const file = quoteShellWord(path);
  if (uid !== ownUserId && !isOfOurGroup) {
    throw new StackferryError("journal", `the journal ${path} belongs to another user (${uid})`, {
      hint: `If you know that it is yours: sudo chown ${ownUserId} ${file} && chmod 600 ${file}`,
    });
  }
  if ((mode & OTHERS) === 0 && ((mode & GROUP) === 0 || isOfOurGroup)) return;
  throw new StackferryError("journal", `other users can read or write the journal ${path}`, {
    hint: `If you know that it is yours and nobody has changed it: chmod 600 ${file}`,
  });
}

/**
 * The caller must hold the lock of the target.
 * @throws StackferryError `journal` if the file is of another pair, or cannot be used
 */
export async function openFileJournal(path: string, pair: JournalPair): Promise<Journal> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;
  const file = await openRegularFile(path, { flags, mode: PRIVATE_FILE_MODE, refusesLinks: true }).catch(
    (cause: unknown) => {
      throw journalError(path, "cannot be opened", cause, UNUSABLE);
    },
  );
  try {
    const text = await textIn(file, path);
    const parsed = parseJournal(text, path);
    const { bytes } = parsed;
    const compacted = compactJournal(parsed.entries);
    if (compacted !== undefined && (await replaceJournal(path, compacted))) {
      await file.close();
      return await openFileJournal(path, pair);
    }
    if (bytes < Buffer.byteLength(text)) await file.truncate(bytes);
    const journal = new FileJournal(path, file, parsed);
    const [first] = journal.entries;
    if (first !== undefined) refuseOtherPair(path, first, pair);
    else await journal.append({ type: "journal", format: JOURNAL_FORMAT, version: JOURNAL_VERSION, ...pair });
    // A crash of the machine can lose a new file whose directory was not flushed.
    if (bytes === 0) await syncDirectory(dirname(path));
    return journal;
  } catch (error) {
    await file.close();
    throw error instanceof StackferryError ? error : journalError(path, "cannot be read", error, UNUSABLE);
  }
}

async function replaceJournal(path: string, entries: readonly JournalEntry[]): Promise<boolean> {
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  return await writeAtomically(path, text).then(
    () => true,
    () => false,
  );
}

export function refuseOtherPair(path: string, first: JournalEntry, pair: JournalPair): void {
  if (first.type === "journal" && pairText(first) === pairText(pair)) return;
  throw new StackferryError("journal", `the journal ${path} is of another source or target`, {
    hint: "Its first line names them. If it was renamed or moved, put it back; else move it away, and the run begins a new one.",
  });
}

function pairText({ source, target, namePrefix = "" }: JournalPair): string {
  return compactJson({ source: { ...source }, target: { ...target }, namePrefix });
}

interface WaitingLine {
  readonly line: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Cuts off partial lines, which would make the journal unreadable. One fsync serves all lines that wait for the disk. */
class FileJournal implements Journal {
  readonly path: string;
  readonly entries: readonly JournalEntry[];
  readonly #file: FileHandle;
  #bytes: number;
  /** Set if a partial line cannot be removed: further writes then fail with this error. */
  #broken: unknown;
  #waiting: WaitingLine[] = [];
  #flushing: Promise<void> | undefined;

  constructor(path: string, file: FileHandle, { entries, bytes }: ParsedJournal) {
    this.path = path;
    this.entries = entries;
    this.#file = file;
    this.#bytes = bytes;
  }

  append(entry: JournalEntry): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ line: `${JSON.stringify(entry)}\n`, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flushing;
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(batch.map(({ line }) => line).join(""));
        for (const { done } of batch) done();
      } catch (cause) {
        const error = journalError(this.path, "cannot be written", cause, FULL);
        for (const { failed } of batch) failed(error);
      }
    }
    // An `await` between the loop's check and this line could leave a line waiting forever.
    this.#flushing = undefined;
  }

  async #write(text: string): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      await this.#file.appendFile(text);
      await this.#file.datasync();
      this.#bytes += Buffer.byteLength(text);
    } catch (error) {
      await this.#file.truncate(this.#bytes).catch(() => {
        this.#broken = error;
      });
      throw error;
    }
  }
}

const UNREADABLE = "You need permission to read it; or move it away, if it is not yours.";
const UNUSABLE =
  "Nothing was written, because the journal must record each write first. Make the folder writable, or name another one: `journals:` in the configuration, or --journals.";
const FULL =
  "Make room or make the file writable, then run the same command again: it looks on the target for what the journal could not record.";

function journalError(path: string, problem: string, cause: unknown, hint: string): StackferryError {
  return new StackferryError("journal", `the journal ${path} ${problem}: ${systemMessage(cause)}`, { cause, hint });
}
