import { byCodeUnit, groupBy, partition } from "../core/collections.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Repository, StoredFile } from "../core/ports.ts";
import { fileTimeStamp } from "../core/text/format.ts";

/** Named `<stack>/<UTC time>.zip`, or `.zip.age` if encrypted. */
export interface ArchiveFile {
  readonly name: string;
  readonly stack: string;
  /** Creation time in Unix milliseconds, always a whole second. */
  readonly at: number;
  readonly encrypted: boolean;
  readonly bytes: number;
}

export interface StoredArchive extends ArchiveFile {
  readonly modifiedAt: number;
  /** False if the archive has no entry, because its run was killed or is still at work. */
  readonly isComplete: boolean;
  /** True if the archive has a signature file, valid or not. */
  readonly isSigned: boolean;
  readonly isAccepted: boolean;
  /** Unix milliseconds, the newest first. A run that finds the stack unchanged can add a confirmation. */
  readonly confirmations: readonly number[];
}

export interface StoredSideFile {
  readonly name: string;
  /** Unix milliseconds; 0 for a half-written file, whose ending is `part`. */
  readonly at: number;
  readonly ending: string;
  readonly modifiedAt: number;
}

/** A run learns most facts from the names of the files. */
export interface StoredStack {
  readonly stack: string;
  readonly hadGood: boolean;
  /** The newest comes first. */
  readonly archives: readonly StoredArchive[];
  readonly sideFiles: readonly StoredSideFile[];
}

const ENDINGS = String.raw`zip|zip\.age|zip\.sig|zip\.age\.sig|json|accepted|unchanged|run-[0-9a-f]+`;
/** The last alternative is a half-written file. */
const OURS = new RegExp(
  String.raw`^([A-Za-z0-9][A-Za-z0-9._-]*)/(?:(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.(${ENDINGS})|(good)|\..+\.[0-9a-f]{16}\.part)$`,
);

export const STORED_FILE = /^\d{8}T\d{6}Z\.(?:zip|zip\.age|json)$/;

/** Only names of the years 0 to 9999 are read back. */
export function formatStoredName(stack: string, at: number, encrypted: boolean): string {
  return sideFileName({ stack, at }, encrypted ? "zip.age" : "zip");
}

export function sideFileName({ stack, at }: Pick<ArchiveFile, "stack" | "at">, ending: string): string {
  return `${stack}/${fileTimeStamp(at)}.${ending}`;
}

export function goodFileName(stack: string): string {
  return `${stack}/good`;
}

export async function listStoredStacks(
  repository: Repository,
  stack?: string,
  signal?: AbortSignal,
): Promise<StoredStack[]> {
  const files = await repository.list(stack === undefined ? "" : `${stack}/`, signal);
  const byStack = groupBy(files.flatMap(parseName), (file) => file.stack);
  const sorted = [...byStack].toSorted(([left], [right]) => byCodeUnit(left, right));
  return sorted.map(([name, ofStack]) => ({ stack: name, ...sortFiles(ofStack) }));
}

interface OurFile extends StoredSideFile {
  readonly stack: string;
  readonly bytes: number;
}

function parseName({ name, bytes, modifiedAt }: StoredFile): OurFile[] {
  const match = OURS.exec(name);
  if (match === null) return [];
  const [, stack = "", year, month, day, hour, minute, second, ending, good = "part"] = match;
  if (ending === undefined) return [{ name, stack, at: 0, ending: good, bytes, modifiedAt }];
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  // `Date.UTC` turns 30 February into a day of March, so the rebuilt name is compared.
  return sideFileName({ stack, at }, ending) === name ? [{ name, stack, at, ending, bytes, modifiedAt }] : [];
}

function sortFiles(files: readonly OurFile[]): Omit<StoredStack, "stack"> {
  const names = new Set(files.map(({ name }) => name));
  const [stored, others] = partition(files, ({ ending }) => ending === "zip" || ending === "zip.age");
  const times = (ending: string): number[] => files.filter((file) => file.ending === ending).map(({ at }) => at);
  const entries = times("json").toSorted((left, right) => left - right);
  const unchanged = times("unchanged").toSorted((left, right) => right - left);
  let next = Infinity;
  const newestFirst = stored.toSorted((left, right) => right.at - left.at || byCodeUnit(left.name, right.name));
  const archives = newestFirst.map(({ name, stack, at, ending, bytes, modifiedAt }): StoredArchive => {
    const isComplete = names.has(sideFileName({ stack, at }, "json"));
    // A confirmation after a later entry, even of a removed archive, does not confirm this archive.
    while ((entries.at(-1) ?? at) > at) next = entries.pop() ?? at;
    const confirmations = isComplete ? unchanged.filter((time) => time > at && time < next) : [];
    const isSigned = names.has(`${name}.sig`);
    const isAccepted = names.has(sideFileName({ stack, at }, "accepted"));
    const encrypted = ending === "zip.age";
    return { name, stack, at, encrypted, bytes, modifiedAt, isComplete, isSigned, isAccepted, confirmations };
  });
  const [marks, sideFiles] = partition(others, ({ ending }) => ending === "good");
  return { hadGood: marks.length > 0, archives, sideFiles };
}

export async function isFileListed(name: string, repository: Repository, signal?: AbortSignal): Promise<boolean> {
  return (await repository.list(name, signal)).some((file) => file.name === name);
}

/** Returns undefined if name and content agree. A renamed archive keeps its valid signature. */
export function identityProblem(archive: ArchiveFile, { createdAt, stack }: Manifest): string | undefined {
  if (stack === undefined) return "it is an export that somebody copied there, not a backup";
  if (stack !== archive.stack) return "it is a backup of another stack";
  if (formatStoredName(stack, Date.parse(createdAt), archive.encrypted) === archive.name) return undefined;
  return `it was made at ${createdAt}, but its name has another time`;
}
