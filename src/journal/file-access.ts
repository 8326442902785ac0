import type { Stats } from "node:fs";
import process from "node:process";
import { StackferryError } from "../core/errors.ts";

/** The access to a journal, and to this machine's key. */
export interface JournalAccess {
  /** Folder of this machine with the key that seals journals. */
  readonly stateFolder: string;
  /** Accept a journal that this machine's key did not seal. */
  readonly trust: boolean;
}

const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_READ = 0o077;

/**
 * Refuses a file that another user could have written: a rollback deletes the records in a journal.
 * @param what such as `the journal`
 * @throws StackferryError `journal`, with the command that repairs it
 */
export function refuseShared(
  path: string,
  { uid, mode }: Pick<Stats, "uid" | "mode">,
  what: string,
  secret = false,
): void {
  const ownUserId = process.getuid?.();
  // Windows has no owners and modes of this form.
  if (ownUserId === undefined) return;
  const file = shellWord(path);
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

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
