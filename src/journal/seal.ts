import { quoteShellWord } from "../core/text/format.ts";
import { createHmac, randomBytes } from "node:crypto";
import { StackferryError } from "../core/errors.ts";
import { link, rm } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder, siblingPath, writeNewFile } from "../files/atomic-write.ts";
import { systemErrorCode, systemMessage } from "../files/errors.ts";
import { openRegularFile } from "../files/regular-file.ts";
import type { Stats } from "node:fs";
import process from "node:process";

// Each line of a journal ends with a code (an HMAC), made with this machine's key from this line and all lines before it, so the
// code of the last line proves the whole journal. An attacker who sends an archive with a forged journal does not have the key.

const CODE = /,"mac":"([0-9a-f]{64})"\}$/;

/** Splits a sealed line into the text without the code, and the code. */
export function splitSeal(line: string): { readonly body: string; readonly mac: string | undefined } {
  const mac = CODE.exec(line)?.[1];
  return { body: mac === undefined ? line : line.replace(CODE, "}"), mac };
}

/** Seals the lines of a file in sequence: each code covers all lines before it. */
export class SealChain {
  readonly #key: Buffer;
  #last = "";

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Adds a line to the chain, and returns the code of this line. */
  nextCode(body: string): string {
    this.#last = createHmac("sha256", this.#key).update(`${this.#last}\n${body}`).digest("hex");
    return this.#last;
  }

  /** Continues the chain with a journal's lines. Tells whether the last of these lines was sealed with this key. */
  continueWith(lines: readonly string[]): boolean {
    let proven = true;
    for (const line of lines) {
      const { body, mac } = splitSeal(line);
      proven = this.nextCode(body) === mac;
    }
    return proven;
  }

  /** Adds a line to the chain, and returns the line with its code. */
  sealLine(body: string): string {
    return `${body.slice(0, -1)},"mac":"${this.nextCode(body)}"}`;
  }

  /** Adds the codes to the lines and stores them with `store`. If storing fails, the chain does not change. */
  async seal(bodies: readonly string[], store: (lines: string[]) => Promise<void>): Promise<void> {
    const before = this.#last;
    try {
      await store(bodies.map((body) => this.sealLine(body)));
    } catch (error) {
      this.#last = before;
      throw error;
    }
  }
}

/** Makes the error for a journal that may be forged: a rollback deletes the records that a journal lists. */
export function unprovenJournalError(path: string, lines: readonly string[]): StackferryError {
  const isSealed = splitSeal(lines.at(-1) ?? "").mac !== undefined;
  const why = isSealed
    ? "was made on another machine or by another user, or was changed since"
    : "has no proof of who made it: an earlier version made it, or a run that had no place to store a key";
  const hint =
    "If you know that the journal is yours, add --journal FILE and --accept-foreign-journal (a rollback needs only --accept-foreign-journal). " +
    "Otherwise move it to another folder, and run the command again.";
  return new StackferryError("journal", `the journal ${path} ${why}`, { hint });
}

/** The key that seals this user's journals, or the reason why none exists. */
export interface MachineKey {
  readonly key?: Buffer;
  readonly problem?: string;
}

const KEY_FILE = "journal.key";
const KEY_BYTES = 32;
const KEY_TEXT = /^[0-9a-f]{64}\n$/;

/**
 * Reads the key that seals this user's journals; returns undefined if no key was made yet.
 * @throws StackferryError `journal` for a file that is not a key, or is not private
 */
export async function readMachineKey(folder: string): Promise<Buffer | undefined> {
  const path = join(folder, KEY_FILE);
  try {
    await using file = await openRegularFile(path, { refusesLinks: true });
    refuseSharedFile(path, await file.stat(), "the key", true);
    const text = await file.readFile("utf8");
    if (!KEY_TEXT.test(text)) throw new Error("it is not a key that stackferry made");
    return Buffer.from(text.trim(), "hex");
  } catch (error) {
    if (error instanceof StackferryError) throw error;
    if (systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ENOTDIR") return undefined;
    const hint = `Delete ${path}; the next run makes a new key. Journals that were sealed with the old key then need --accept-foreign-journal.`;
    throw new StackferryError("journal", `the key ${path} cannot be read: ${systemMessage(error)}`, {
      cause: error,
      hint,
    });
  }
}

/** Reads the key, or makes one. If the folder cannot be written (in a container), returns the problem instead of throwing it. */
export async function readOrMakeMachineKey(folder: string): Promise<MachineKey> {
  const existingKey = await readMachineKey(folder);
  if (existingKey !== undefined) return { key: existingKey };
  const path = join(folder, KEY_FILE);
  const temporary = siblingPath(path, "part");
  try {
    await makePrivateFolder(folder);
    await writeNewFile(temporary, `${randomBytes(KEY_BYTES).toString("hex")}\n`);
    // If two runs make a key at the same time, one key wins as a whole, because a link never replaces a file.
    await link(temporary, path).catch((error: unknown) => {
      if (systemErrorCode(error) !== "EEXIST") throw error;
    });
  } catch (error) {
    return { problem: `${path} cannot be made: ${systemMessage(error)}` };
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
  const machineKey = await readMachineKey(folder);
  return machineKey === undefined ? { problem: `${path} was removed` } : { key: machineKey };
}

/** The place of this machine's key, and whether journals without its seal are accepted. */
export interface JournalAccess {
  /** Folder of this machine with the key that seals journals. */
  readonly stateFolder: string;
  /** Whether to accept a journal that this machine's key did not seal. */
  readonly trust: boolean;
}

const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_READ = 0o077;

/**
 * Refuses a file that another user could have written: a rollback deletes the records that a journal lists.
 * @param what the file's noun in messages, such as `the journal`
 * @throws StackferryError `journal`, with the command that repairs owner and mode
 */
export function refuseSharedFile(
  path: string,
  { uid, mode }: Pick<Stats, "uid" | "mode">,
  what: string,
  secret = false,
): void {
  const ownUserId = process.getuid?.();
  // Windows has no file owners and modes like those of Unix.
  if (ownUserId === undefined) return;
  const file = quoteShellWord(path);
  if (uid !== ownUserId) {
    throw new StackferryError("journal", `${what} ${path} belongs to another user (${uid})`, {
      hint: `If you know that it is yours: sudo chown ${ownUserId} ${file} && chmod 600 ${file}`,
    });
  }
  if ((mode & (secret ? OTHERS_MAY_READ : OTHERS_MAY_WRITE)) === 0) return;
  const may = secret ? "read or written" : "written";
  throw new StackferryError("journal", `${what} ${path} can be ${may} by other users`, {
    hint: `If nobody has changed it: chmod 600 ${file}`,
  });
}
