import { byCodeUnit, getOrMake } from "../core/collections.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Repository, StoredFile } from "../core/ports.ts";
import { fileTimeStamp } from "../core/text/format.ts";

/** The parts of a stored archive's name: `<stack>/<UTC time>.zip`, or `.zip.age` if the archive is encrypted. */
export interface StoredName {
  readonly name: string;
  readonly stack: string;
  /** Creation time in Unix milliseconds, always a whole second. */
  readonly at: number;
  readonly encrypted: boolean;
}

export interface ArchiveFile extends StoredName {
  readonly bytes: number;
}

export interface StoredArchive extends ArchiveFile {
  /** Time of the last write by the repository's clock, Unix milliseconds. */
  readonly modifiedAt: number;
  /** False without the archive's entry, which a run writes last: the run was killed, or is still at work. */
  readonly isComplete: boolean;
  /** True if it has a signature, which only `--signer` checks. */
  readonly isSigned: boolean;
  /** True if the user said that the stack really holds so little. */
  readonly isAccepted: boolean;
  /** When runs found the stack equal to the archive and stored nothing, Unix milliseconds, the newest first. */
  readonly confirmations: readonly number[];
}

/** A file beside the archives: it says something about the archive of its time, or is left of a killed run. */
export interface StoredSideFile {
  readonly name: string;
  readonly at: number;
  readonly ending: string;
  readonly modifiedAt: number;
}

/** The files of one stack in a repository. No file is ever changed, so their names alone tell most of what a run has to know. */
export interface StoredStack {
  readonly stack: string;
  /** True once the stack has had a good backup in this repository. */
  readonly hadGood: boolean;
  /** The newest first. */
  readonly archives: readonly StoredArchive[];
  readonly sideFiles: readonly StoredSideFile[];
  /** The files that are still being written, or were when their run was killed. */
  readonly halfWritten: readonly StoredFile[];
}

const STACK = "([A-Za-z0-9][A-Za-z0-9._-]*)";
const TIMED = new RegExp(
  String.raw`^${STACK}/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.(zip|zip\.age|zip\.sig|zip\.age\.sig|json|accepted|unchanged|run-[0-9a-f]+)$`,
);
/** Matches the mark of a good backup, and the hidden names of files that are still being written. */
const UNTIMED = new RegExp(String.raw`^${STACK}/(?:good|(\..+\.[0-9a-f]{16}\.part))$`);

/** Matches the names of files that only a stack's folder in a repository contains. */
export const STORED_FILE = /^\d{8}T\d{6}Z\.(?:zip|zip\.age|json)$/;

/** Returns the name of a stack's archive made at the given time. Only names of the years 0 to 9999 are read back. */
export function formatStoredName(stack: string, at: number, encrypted: boolean): string {
  return sideFileName({ stack, at }, encrypted ? "zip.age" : "zip");
}

export function sideFileName({ stack, at }: Pick<StoredName, "stack" | "at">, ending: string): string {
  return `${stack}/${fileTimeStamp(at)}.${ending}`;
}

/** The file that a stack's folder has once the stack has had a good backup. */
export function goodFileName(stack: string): string {
  return `${stack}/good`;
}

/** Lists the files of one stack, or of all stacks by name. Other files of the repository are ignored. */
export async function listStoredStacks(
  repository: Repository,
  stack?: string,
  signal?: AbortSignal,
): Promise<StoredStack[]> {
  const files = await repository.list(stack === undefined ? "" : `${stack}/`, signal);
  const byStack = new Map<string, { timed: TimedFile[]; halfWritten: StoredFile[]; hadGood: boolean }>();
  for (const file of files) {
    const timed = parseTimedName(file);
    const [, untimedOwner, part] = UNTIMED.exec(file.name) ?? [];
    const owner = timed?.stack ?? untimedOwner;
    if (owner === undefined) continue;
    const found = getOrMake(byStack, owner, () => ({ timed: [], halfWritten: [], hadGood: false }));
    if (timed !== undefined) found.timed.push(timed);
    else if (part !== undefined) found.halfWritten.push(file);
    else found.hadGood = true;
  }
  const sorted = [...byStack].toSorted(([left], [right]) => byCodeUnit(left, right));
  return sorted.map(([name, { timed, ...others }]) => ({ stack: name, ...others, ...archivesAmong(timed) }));
}

interface TimedFile extends StoredSideFile {
  readonly stack: string;
  readonly bytes: number;
}

function parseTimedName({ name, bytes, modifiedAt }: StoredFile): TimedFile | undefined {
  const match = TIMED.exec(name);
  if (match === null) return undefined;
  const [, stack = "", year, month, day, hour, minute, second, ending = ""] = match;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  // `Date.UTC` turns 30 February into a day of March, so the name is built again from the time and compared.
  return sideFileName({ stack, at }, ending) === name ? { name, stack, at, ending, bytes, modifiedAt } : undefined;
}

function archivesAmong(timed: readonly TimedFile[]): Pick<StoredStack, "archives" | "sideFiles"> {
  const isArchive = ({ ending }: TimedFile): boolean => ending === "zip" || ending === "zip.age";
  const timesOf = (ending: string): Set<number> =>
    new Set(timed.flatMap((file) => (file.ending === ending ? [file.at] : [])));
  const [complete, accepted] = [timesOf("json"), timesOf("accepted")];
  const unchanged = [...timesOf("unchanged")].toSorted((left, right) => right - left);
  const signed = new Set(timed.flatMap(({ ending, name }) => (ending.endsWith(".sig") ? [name] : [])));
  let next = Infinity;
  const newestFirst = timed
    .filter(isArchive)
    .toSorted((left, right) => right.at - left.at || byCodeUnit(left.name, right.name));
  const archives = newestFirst.map(({ name, stack, at, ending, bytes, modifiedAt }): StoredArchive => {
    const isComplete = complete.has(at);
    // A run confirms the newest complete archive, so a confirmation belongs to the last one before it.
    const confirmations = isComplete ? unchanged.filter((time) => time > at && time < next) : [];
    if (isComplete) next = at;
    const encrypted = ending === "zip.age";
    const state = { isComplete, isSigned: signed.has(`${name}.sig`), isAccepted: accepted.has(at), confirmations };
    return { name, stack, at, encrypted, bytes, modifiedAt, ...state };
  });
  return { archives, sideFiles: timed.filter((file) => !isArchive(file)) };
}

export async function isFileListed(name: string, repository: Repository, signal?: AbortSignal): Promise<boolean> {
  return (await repository.list(name, signal)).some((file) => file.name === name);
}

/**
 * Describes how a stored archive contradicts its name; undefined if the two agree. An attacker who can write to a repository but
 * cannot sign could copy a signed archive: an old archive to a name with a new time, or the archive of one stack to another stack.
 */
export function identityProblem(archive: StoredName, { createdAt, stack }: Manifest): string | undefined {
  if (stack === undefined) return "it is an export that somebody copied there, not a backup";
  if (stack !== archive.stack) return "it is a backup of another stack";
  if (formatStoredName(stack, Date.parse(createdAt), archive.encrypted) === archive.name) return undefined;
  return `it was made at ${createdAt}, but its name has another time`;
}
