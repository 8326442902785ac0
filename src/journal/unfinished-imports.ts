import { Buffer } from "node:buffer";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { StackferryError } from "../core/errors.ts";
import { compactJson } from "../core/json.ts";
import type { JournalEntry, JournalSubject } from "../core/plan/journal.ts";
import { systemErrorCode } from "../files/errors.ts";
import { openRegularFile } from "../files/regular-file.ts";
import { readFileJournal } from "./file-journal.ts";
import { replayJournal, type JournalReplay } from "./replay.ts";
import type { JournalAccess } from "./seal.ts";

/** An import that was interrupted and has been neither resumed nor undone, according to its journal. */
export interface UnfinishedImport {
  /** Full path of the journal. */
  readonly path: string;
  /** File name of the backup that was imported; undefined if the archive is no backup. */
  readonly backup: string | undefined;
  /** ISO 8601, UTC. */
  readonly begunAt: string;
  /** Full path of the import's state file, if it kept one. */
  readonly state: string | undefined;
  readonly replay: JournalReplay;
}

/** The journal that a run uses by default. */
export interface DefaultJournal {
  readonly path: string;
  /** Path prefix that the journals of the archive share, also those of the archive's earlier contents. */
  readonly base: string;
  readonly subject: Pick<JournalSubject, "target" | "namePrefix">;
}

/**
 * Finds the unfinished imports into one target whose journals lie beside the journal of this run: journals of earlier contents of
 * the same archive, or of other backups of the same stack. Skips a journal that cannot be read or that this machine's key did not
 * seal.
 */
export async function findUnfinishedImports(
  { path: ownPath, base, subject }: DefaultJournal,
  access: JournalAccess,
): Promise<UnfinishedImport[]> {
  const folder = dirname(ownPath);
  const names = await readdir(folder).catch((): string[] => []);
  const series = seriesOf(basename(base));
  const paths = names
    .filter((name) => JOURNAL_ENDING.test(name) && seriesOf(prefixOf(name)) === series)
    .map((name) => join(folder, name));
  const found: UnfinishedImport[] = [];
  for (const path of paths.toSorted()) {
    if (path === ownPath) continue;
    const unfinished = await readUnfinished(path, subject, access).catch(passOver);
    if (unfinished !== undefined) found.push(unfinished);
  }
  return found;
}

/** The ending that a default path of a journal adds to its prefix. */
const JOURNAL_ENDING = /\.[0-9a-f]{8}\.journal$/;
/** The file name of a backup, with which the prefix of its journals ends. */
const BACKUP_FILE = /\d{8}T\d{6}Z\.zip(?:\.age)?$/;

function prefixOf(path: string): string {
  return path.replace(JOURNAL_ENDING, "");
}

/** Returns the part of a path prefix that the backups of one stack have in common. */
function seriesOf(prefix: string): string {
  return prefix.replace(BACKUP_FILE, "");
}

function passOver(error: unknown): undefined {
  if (!(error instanceof StackferryError) && systemErrorCode(error) === undefined) throw error;
}

async function readUnfinished(
  path: string,
  { target, namePrefix }: DefaultJournal["subject"],
  access: JournalAccess,
): Promise<UnfinishedImport | undefined> {
  if (await endsFinished(path)) return undefined;
  const entries = (await readFileJournal(path, access)) ?? [];
  const [first] = entries;
  if (first?.type !== "begin" || isLastRunFinished(entries)) return undefined;
  const isSame =
    compactJson({ ...first.subject.target }) === compactJson({ ...target }) && first.subject.namePrefix === namePrefix;
  if (!isSame) return undefined;
  const state = first.state === undefined ? undefined : resolve(dirname(path), first.state);
  const [backup] = BACKUP_FILE.exec(prefixOf(path)) ?? [];
  return { path, backup, begunAt: first.at, state, replay: replayJournal(entries) };
}

/** Number of bytes that are read at the end of a journal: enough for the last line, if that is the end of a run. */
const TAIL_BYTES = 512;

/** Tells, without reading the whole file, whether a journal's last line is the end of a run that was not stopped. */
async function endsFinished(path: string): Promise<boolean> {
  await using file = await openRegularFile(path, { refusesLinks: true });
  const { size } = await file.stat();
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  await file.read(tail, 0, tail.length, size - tail.length);
  const last = tail.toString("utf8").trimEnd().split("\n").at(-1) ?? "";
  return last.startsWith('{"type":"end"') && /"result":"(?:in)?complete"/.test(last);
}

/** Tells whether the last run has ended without being stopped, or a rollback has undone it. */
function isLastRunFinished(entries: readonly JournalEntry[]): boolean {
  const run = replayJournal(entries).runs.at(-1);
  if (run === undefined || run.result === "complete" || run.result === "incomplete") return true;
  return entries.some((entry) => entry.type === "rollback" && entry.undoes.includes(run.number));
}
