import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { StackferryError } from "../core/errors.ts";
import { PRIVATE_FILE_MODE, syncDirectory } from "../files/atomic-write.ts";
import { systemErrorCode, systemMessage } from "../files/errors.ts";
import { openRegularFile } from "../files/regular-file.ts";
import {
  refuseSharedFile,
  readOrMakeMachineKey,
  readMachineKey,
  SealChain,
  unprovenJournalError,
  type JournalAccess,
  type MachineKey,
} from "./seal.ts";
import { parseJournal, type ParsedJournal } from "./format.ts";
import {
  JOURNAL_FORMAT,
  JOURNAL_VERSION,
  type Journal,
  type JournalEntry,
  type JournalSubject,
} from "../core/plan/journal.ts";
import { compactJson } from "../core/json.ts";
import type { Clock } from "../core/ports.ts";

/**
 * Reads a journal without changing it; returns undefined if there is none. Refuses a symbolic link, and a file that another user
 * could have written.
 * @param access if given, a journal that this machine's key did not seal is refused, unless `trust` is set
 */
export async function readFileJournal(
  path: string,
  access?: JournalAccess,
): Promise<readonly JournalEntry[] | undefined> {
  try {
    await using file = await openRegularFile(path, { refusesLinks: true });
    const { entries, lines } = parseJournal(await textIn(file, path), path);
    if (access !== undefined) checkSeal(path, lines, access, await readMachineKey(access.stateFolder));
    return entries;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error instanceof StackferryError ? error : journalError(path, "cannot be read", error, UNREADABLE);
  }
}

/** Maximum size of a journal in bytes: it must fit into one string. The journals of the largest imports are a tenth as long. */
const MAX_JOURNAL_BYTES = 384 * 1024 * 1024;

/** Reads a journal's text. Refuses a file that another user could have written, and a file that is too large. */
async function textIn(file: FileHandle, path: string): Promise<string> {
  const stats = await file.stat();
  refuseSharedFile(path, stats, "the journal");
  if (stats.size <= MAX_JOURNAL_BYTES) return file.readFile("utf8");
  throw new StackferryError("journal", `the journal ${path} is larger than ${MAX_JOURNAL_BYTES / 1024 ** 2} MiB`, {
    hint: "check the path: an import's journal is smaller",
  });
}

/** Refuses lines that the key did not seal, unless `trust` is set. Returns the chain for further lines, if there is a key. */
function checkSeal(
  path: string,
  lines: readonly string[],
  { trust }: JournalAccess,
  key: Buffer | undefined,
): SealChain | undefined {
  const chain = key === undefined ? undefined : new SealChain(key);
  const proven = chain?.continueWith(lines) ?? lines.length === 0;
  if (!proven && !trust) throw unprovenJournalError(path, lines);
  return chain;
}

/**
 * Opens a journal for writing, or creates one that only its owner can read. Refuses a symbolic link. The caller holds the lock of the
 * target, so no other process writes the journal.
 * @param access if given, every line is sealed with this machine's key; otherwise no line is sealed
 */
export async function openFileJournal(path: string, access?: JournalAccess): Promise<Journal> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;
  const file = await openRegularFile(path, { flags, mode: PRIVATE_FILE_MODE, refusesLinks: true }).catch(
    (cause: unknown) => {
      throw journalError(path, "cannot be opened", cause, UNUSABLE);
    },
  );
  try {
    const text = await textIn(file, path);
    const { entries, lines, bytes } = parseJournal(text, path);
    const { key, problem: unsealed }: MachineKey = access ? await readOrMakeMachineKey(access.stateFolder) : {};
    const chain = access && checkSeal(path, lines, access, key);
    if (bytes < Buffer.byteLength(text)) await file.truncate(bytes);
    // A new file survives a crash of the machine only if its directory is flushed to the disk as well.
    if (bytes === 0) await syncDirectory(dirname(path));
    return journalIn(path, file, { entries, bytes }, { chain, unsealed });
  } catch (error) {
    await file.close();
    throw error instanceof StackferryError ? error : journalError(path, "cannot be read", error, UNUSABLE);
  }
}

function journalIn(
  path: string,
  file: FileHandle,
  { entries, bytes }: Pick<ParsedJournal, "entries" | "bytes">,
  { chain, unsealed }: { readonly chain: SealChain | undefined; readonly unsealed?: string },
): Journal {
  const store = lineWriter(file, bytes);
  const queue = new LineQueue(async (lines) => {
    try {
      await (chain ? chain.seal(lines, store) : store(lines));
    } catch (error) {
      throw journalError(path, "cannot be written", error, FULL);
    }
  });
  return {
    path,
    entries,
    unsealed,
    append: (entry) => queue.append(JSON.stringify(entry)),
    async [Symbol.asyncDispose]() {
      await queue.flushed();
      await file.close();
    },
  };
}

type WriteLines = (lines: readonly string[]) => Promise<void>;

/**
 * Makes a function that appends lines completely or not at all: a partial line, left by a full disk, would make the journal
 * unreadable.
 * @param bytesBefore number of bytes of all complete lines in the file
 */
function lineWriter(file: FileHandle, bytesBefore: number): WriteLines {
  let bytes = bytesBefore;
  /** The error with which every further write fails, because a partial line could not be removed from the end of the file. */
  let broken: unknown;
  return async (lines) => {
    if (broken !== undefined) throw broken;
    const text = lines.map((line) => `${line}\n`).join("");
    try {
      await file.appendFile(text);
      await file.datasync();
      bytes += Buffer.byteLength(text);
    } catch (error) {
      await file.truncate(bytes).catch(() => {
        broken = error;
      });
      throw error;
    }
  };
}

interface WaitingLine {
  readonly line: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Writes all waiting lines at once: one fsync serves all lines that arrived while the disk was busy. */
class LineQueue {
  readonly #write: WriteLines;
  #waiting: WaitingLine[] = [];
  #flushing: Promise<void> | undefined;

  constructor(write: WriteLines) {
    this.#write = write;
  }

  /** Resolves once the line is written. */
  append(line: string): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ line, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  async flushed(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(batch.map(({ line }) => line));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    // No `await` may come between this line and the check above: a line appended in between would wait for a flush that has
    // already ended.
    this.#flushing = undefined;
  }
}

const UNREADABLE = "Name the journal file itself; you need permission to read it.";
const UNUSABLE =
  "Nothing was written, because the journal must record each write first. Make the file writable, or give an import another one with --journal.";
/** The hint for a journal that was opened and can no longer be written. It may lack entries for writes that succeeded. */
const FULL =
  "Make room or make the file writable, then run the same command again: it looks on the target for what the journal could not record.";

function journalError(path: string, problem: string, cause: unknown, hint: string): StackferryError {
  return new StackferryError("journal", `the journal ${path} ${problem}: ${systemMessage(cause)}`, { cause, hint });
}

/**
 * Records in a new journal which import it belongs to, or checks that an existing journal belongs to this import. Throws `journal`
 * if the archive, the target or the naming options differ: the run would take another import's writes for its own.
 * @param state path of the state file for the import, relative to the journal's folder
 */
export async function beginJournal(
  journal: Journal,
  subject: JournalSubject,
  clock: Clock,
  state?: string,
): Promise<void> {
  const [first] = journal.entries;
  if (!first) {
    const at = new Date(clock.now()).toISOString();
    await journal.append({ type: "begin", at, format: JOURNAL_FORMAT, version: JOURNAL_VERSION, subject, state });
    return;
  }
  const other = first.type === "begin" ? differingMember(first.subject, subject) : "content";
  if (other === undefined) return;
  const path = journal.path ?? "";
  if (other === "archive") {
    const message = `the journal ${path} belongs to an import of another archive, or of files that have changed since that import`;
    const hint =
      "Leave out --journal, or name a new file: each archive, and each version of the files, has its own journal. Keep the old one: `rollback` needs it to undo that import.";
    throw new StackferryError("journal", message, { hint });
  }
  throw new StackferryError("journal", `the journal ${path} belongs to an import with another ${other}`, {
    hint: "Name another file with --journal, or use the archive and target it belongs to.",
  });
}

function differingMember(theirs: JournalSubject, ours: JournalSubject): string | undefined {
  const isSameArchive =
    theirs.recordsDigest === undefined
      ? theirs.contentDigest === ours.contentDigest
      : theirs.recordsDigest === ours.recordsDigest;
  if (!isSameArchive) return "archive";
  if (compactJson({ ...theirs.target }) !== compactJson({ ...ours.target })) return "target";
  const sameNames = theirs.namePrefix === ours.namePrefix && compactJson(theirs.tags) === compactJson(ours.tags);
  if (!sameNames) return "--name-prefix or --tag";
  return theirs.transforms === ours.transforms ? undefined : "set of transforms";
}
