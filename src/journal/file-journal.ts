import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { StackferryError, errorMessage } from "../core/errors.ts";
import type { Journal, JournalEntry } from "../core/journal.ts";
import { PRIVATE_FILE, syncDirectory } from "../files/atomic-write.ts";
import { systemCode } from "../files/errors.ts";
import type { ParsedJournal } from "./format.ts";
import { parseJournal } from "./format.ts";
import type { FileLock } from "./lock-file.ts";
import { takeLock } from "./lock-file.ts";

/** What is in a journal; undefined where there is none. Changes nothing. */
export async function readFileJournal(path: string): Promise<readonly JournalEntry[] | undefined> {
  try {
    return parseJournal(await readFile(path, "utf8"), path).entries;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error instanceof StackferryError ? error : unusable(path, "cannot be read", error);
  }
}

/**
 * Opens a journal for writing, or begins one: readable by its owner only, never through a link that was there before, and
 * by one process at a time (`locked`).
 */
export async function openFileJournal(path: string): Promise<Journal> {
  const lock = await takeLock(`${path}.lock`);
  try {
    return await openLocked(path, lock);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

async function openLocked(path: string, lock: FileLock): Promise<Journal> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
  const file = await open(path, flags, PRIVATE_FILE).catch((cause: unknown) => {
    throw unusable(path, "cannot be opened", cause);
  });
  try {
    const text = await file.readFile("utf8");
    const { entries, bytes } = parseJournal(text, path);
    if (bytes < Buffer.byteLength(text)) await file.truncate(bytes);
    // A new file survives a crash of the machine only once its directory is flushed, too.
    if (bytes === 0) await syncDirectory(dirname(path));
    return new FileJournal(path, file, { entries, bytes }, lock);
  } catch (error) {
    await file.close();
    throw error instanceof StackferryError ? error : unusable(path, "cannot be read", error);
  }
}

class FileJournal implements Journal {
  readonly path: string;
  readonly entries: readonly JournalEntry[];
  readonly #file: FileHandle;
  readonly #lock: FileLock;
  #waiting: { readonly line: string; readonly done: () => void; readonly failed: (error: unknown) => void }[] = [];
  #flushing: Promise<void> | undefined;
  /** Bytes of whole lines that are stored. */
  #bytes: number;
  /** Why nothing more can be written: what is in the file behind the last whole line could not be taken back. */
  #broken: unknown;

  constructor(path: string, file: FileHandle, { entries, bytes }: ParsedJournal, lock: FileLock) {
    this.#lock = lock;
    this.path = path;
    this.#file = file;
    this.#bytes = bytes;
    this.entries = entries;
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
    await this.#lock[Symbol.asyncDispose]();
  }

  /** Entries that come while the disk is busy are stored together: one fsync serves all of them. */
  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#store(batch.map(({ line }) => line).join(""));
        for (const { done } of batch) done();
      } catch (error) {
        const failure = unusable(this.path, "cannot be written", error);
        for (const { failed } of batch) failed(failure);
      }
    }
    // In the same breath as the look at what waits: whoever appends right after would wait for a flush that has ended.
    this.#flushing = undefined;
  }

  /** Stores lines whole or not at all: half a line in the middle would make the journal unreadable (a full disk). */
  async #store(lines: string): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      await this.#file.appendFile(lines);
      await this.#file.datasync();
      this.#bytes += Buffer.byteLength(lines);
    } catch (error) {
      await this.#file.truncate(this.#bytes).catch(() => {
        this.#broken = error;
      });
      throw error;
    }
  }
}

function unusable(path: string, problem: string, cause: unknown): StackferryError {
  const hint =
    "Nothing is written to a stack that is not recorded first. Name a file that can be written with --journal.";
  return new StackferryError("journal", `the journal ${path} ${problem}: ${errorMessage(cause)}`, { cause, hint });
}
