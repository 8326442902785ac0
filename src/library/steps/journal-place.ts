import { dirname, join, relative, resolve } from "node:path";
import { distinctNamePart, stackNameFromAddress } from "../../config/stacks/stack-address.ts";
import type { Bases } from "../../core/plan/base.ts";
import { memoryJournal, type Journal, type JournalEntry, type JournalPair } from "../../core/plan/journal.ts";
import { isSameStack, recordKey, splitKey, type StackIdentity } from "../../core/records/record.ts";
import {
  JOURNAL_SUFFIX,
  type ListedJournal,
  listJournals,
  openFileJournal,
  readFileJournal,
  readJournals,
  refuseOtherPair,
} from "../../journal/file-journal.ts";
import { foldJournal, withLastRun, type History } from "../../journal/fold.ts";
import type { OptionNames } from "../options/option-values.ts";
import { takeTargetLock } from "../../journal/target-lock.ts";

export interface ImportPair {
  readonly source: StackIdentity;
  /** Full path of the folder or file, if the source is code files. */
  readonly files?: string | undefined;
  readonly target: StackIdentity;
  readonly namePrefix?: string | undefined;
}

export interface ImportJournal {
  readonly path?: string | undefined;
  /** Reads the entries of earlier runs; none if there is no journal yet. @throws StackferryError `journal` */
  read(): Promise<ReadJournal>;
  /**
   * Reads the target's journals of other sources, and the journal of the opposite direction.
   * @throws StackferryError `journal`
   */
  readOthers(): Promise<OtherJournals>;
  /** Returns the other targets that have a journal of the same source. @throws StackferryError `journal` */
  readOtherTargets(): Promise<readonly StackIdentity[]>;
  /** Opens the journal for a run that writes. The caller holds the lock of the target. */
  open(): Promise<Journal>;
}

export type FindJournal = (pair: ImportPair) => ImportJournal;

/** The content of a journal at the beginning of a run. */
export interface ReadJournal {
  readonly entries: readonly JournalEntry[];
  readonly history: History;
}

export interface OtherJournals {
  /** The target's journals without this one: the history of the journal with the latest run. */
  readonly last: History;
  /** The pairs of records in the journal of the opposite direction (from the target to the source). */
  readonly reverse: Bases;
}

/** The folder of the journals. A journal of code files is named after the path of the files, relative to `base`. */
export interface JournalPlace {
  readonly folder: string;
  readonly base: string;
}

/**
 * Returns a function that finds the journal of a source and a target: `SOURCE--TARGET.journal`, named after the
 * addresses of the stacks. For code files, SOURCE is their path. A name prefix is added to the name.
 */
export function journalFinder(place: JournalPlace): FindJournal {
  return (pair) => {
    const { source, files, target, namePrefix } = pair;
    const path = journalPath(place, pair);
    const from = files === undefined ? plain(source) : { files: relativePath(dirname(path), files) };
    const named: JournalPair = { source: from, target: plain(target), ...(namePrefix !== undefined && { namePrefix }) };
    const isReversible = files === undefined && namePrefix === undefined && !isSameStack(source, target);
    const listOthers = async (): Promise<readonly ListedJournal[]> =>
      (await listJournals(place.folder)).filter((each) => each.path !== path);
    return {
      path,
      async read() {
        const entries = (await readFileJournal(path)) ?? [];
        const [first] = entries;
        if (first !== undefined) refuseOtherPair(path, first, named);
        return { entries, history: foldJournal(entries) };
      },
      async readOthers() {
        const others = (await listOthers()).filter(({ pair: { target: to } }) => isSameStack(to, target));
        const ofTarget = await readJournals(others);
        const back = isReversible ? await readFileJournal(journalPath(place, { source: target, target: source })) : [];
        return {
          last: withLastRun(ofTarget.map(({ entries }) => foldJournal(entries))),
          reverse: exchangedSides(back ?? []),
        };
      },
      async readOtherTargets() {
        const ofSource = (await listOthers()).filter((each) => isSameSource(each.pair.source, named.source));
        return ofSource.flatMap(({ pair: { target: to } }) => (isSameStack(to, target) ? [] : [to]));
      },
      open: () => openFileJournal(path, named),
    };
  };
}

/**
 * Returns a value for the option `journals` that keeps journals in memory, for imports that nobody undoes. Runs with
 * the same value continue from each other's journals.
 */
export function memoryJournals(): FindJournal {
  const journals = new Map<string, JournalEntry[]>();
  const entriesOf = (pair: ImportPair): JournalEntry[] => {
    const { source, files, target, namePrefix } = pair;
    const key = JSON.stringify([files ?? plain(source), plain(target), namePrefix]);
    const entries = journals.get(key) ?? [];
    journals.set(key, entries);
    return entries;
  };
  return (pair) => ({
    read: async () => ({ entries: [...entriesOf(pair)], history: foldJournal(entriesOf(pair)) }),
    readOthers: async () => ({ last: foldJournal([]), reverse: new Map() }),
    readOtherTargets: async () => [],
    open: async () => memoryJournal(entriesOf(pair)),
  });
}

function isSameSource(left: JournalPair["source"], right: JournalPair["source"]): boolean {
  if ("files" in left || "files" in right) return "files" in left && "files" in right && left.files === right.files;
  return isSameStack(left, right);
}

/** Exchanges the sides of a journal's bases. The result has only the pairs of records and children, without digests. */
function exchangedSides(entries: readonly JournalEntry[]): Bases {
  return new Map(
    [...foldJournal(entries).bases].map(([key, { targetId, name, children = {} }]) => {
      const [kind, sourceId] = splitKey(key);
      const exchanged = Object.entries(children).map(([space, ids]) => [
        space,
        Object.fromEntries(Object.entries(ids).map(([from, to]) => [to, from])),
      ]);
      const base = { targetId: sourceId, name, ours: false, parts: {}, whole: false };
      return [recordKey(kind, targetId), { ...base, children: Object.fromEntries(exchanged) }] as const;
    }),
  );
}

function journalPath({ folder, base }: JournalPlace, { source, files, target, namePrefix }: ImportPair): string {
  const parts = [
    files === undefined ? stackNameFromAddress(source) : distinctNamePart(relativePath(base, files)),
    stackNameFromAddress(target),
    ...(namePrefix === undefined ? [] : [distinctNamePart(namePrefix)]),
  ];
  return join(folder, `${parts.join("--")}${JOURNAL_SUFFIX}`);
}

/** Returns the path of code files relative to a folder, which stays the same if both are moved together. */
function relativePath(folder: string, path: string): string {
  return relative(resolve(folder), path).replaceAll("\\", "/") || ".";
}

/** Returns an identity with only the members of this version: a manifest of a later version may have more. */
function plain({ variant, baseUrl, organizationId, serviceId, team }: StackIdentity): StackIdentity {
  return {
    variant,
    baseUrl,
    ...(organizationId !== undefined && { organizationId }),
    ...(serviceId !== undefined && { serviceId }),
    ...(team !== undefined && { team }),
  };
}

export interface LockOptions {
  /**
   * Folder of the journals and of the lock, which lets only one run at a time write to a stack; default `.stackferry`
   * in the working directory. Runs with different folders do not see each other's journals and locks.
   * `memoryJournals()` keeps the journals in memory, without a lock.
   */
  readonly journals?: string | FindJournal;
  /** Plan only; default false. */
  readonly dryRun?: boolean;
}

export const LOCK_OPTIONS: OptionNames<LockOptions> = { journals: true, dryRun: true };

/** The default folder of journals and locks, relative to the configuration file or the working directory. */
export const JOURNALS_FOLDER = ".stackferry";

/**
 * Takes the lock of a target. Must come before the target is read: a plan that does not know another run's writes would
 * repeat these writes. Takes no lock for a dry run or for journals in memory.
 * @throws StackferryError `locked` if another run holds the lock, `journal` if the folder cannot be written
 */
export async function lockTarget(
  { journals = JOURNALS_FOLDER, dryRun = false }: LockOptions,
  { identity }: { readonly identity: StackIdentity },
): Promise<AsyncDisposable | undefined> {
  if (dryRun || typeof journals !== "string") return undefined;
  return await takeTargetLock(resolve(journals), identity);
}
