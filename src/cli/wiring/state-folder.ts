import { isAbsolute, join } from "node:path";
import type { JournalAccess } from "../../journal/seal.ts";
import { journalAccess } from "../../library/steps/find-journal.ts";
import type { Session } from "../program/session.ts";

/** Returns the settings by which this run trusts journals. The key that seals journals is kept in the state folder. */
export function journalAccessOf({ io: { env } }: Pick<Session, "io">, acceptForeignJournal: boolean): JournalAccess {
  return journalAccess({ acceptForeignJournal, stateFolder: stateFolder(env) });
}

/** Returns the folder for the program's state, if any. A relative `XDG_STATE_HOME` is ignored, as its specification demands. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_STATE_HOME: state, HOME: home } = env;
  if (state !== undefined && isAbsolute(state)) return join(state, "stackferry");
  return home !== undefined && isAbsolute(home) ? join(home, ".local", "state", "stackferry") : undefined;
}
