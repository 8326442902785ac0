import { isAbsolute, join } from "node:path";
import type { JournalAccess } from "../../journal/seal.ts";
import { journalAccess } from "../../library/steps/journal-location.ts";
import type { Session } from "../program/session.ts";

/** How this run may use journals. The key that seals them is kept in the state folder. */
export function journalAccessOf({ io: { env } }: Pick<Session, "io">, acceptForeignJournal: boolean): JournalAccess {
  const folder = stateFolder(env);
  return journalAccess({ acceptForeignJournal, stateFolder: folder });
}

/** The folder for state. A relative `XDG_STATE_HOME` is ignored, as its specification demands. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_STATE_HOME: state, HOME: home } = env;
  if (state !== undefined && isAbsolute(state)) return join(state, "stackferry");
  return home !== undefined && isAbsolute(home) ? join(home, ".local", "state", "stackferry") : undefined;
}
