import { dirname } from "node:path";
import { journalFinder, type FindJournal, type JournalPlace } from "../../library/steps/journal-place.ts";
import type { Session } from "../program/session.ts";
import { journalsFolder, loadSessionConfig, type JournalsFlag } from "../wiring/config.ts";

/** Returns the place of journals. Names of code files are relative to the folder of the configuration file. */
export async function journalPlaceOf(request: JournalsFlag, session: Session): Promise<JournalPlace> {
  const { path } = await loadSessionConfig(session);
  return { folder: await journalsFolder(request, session), base: path === undefined ? session.io.cwd : dirname(path) };
}

export async function findJournalOf(request: JournalsFlag, session: Session): Promise<FindJournal> {
  return journalFinder(await journalPlaceOf(request, session));
}
