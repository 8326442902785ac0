import { dirname, join, relative, resolve } from "node:path";
import { distinctNamePart, stackNameFromAddress } from "../../config/stacks/stack-address.ts";
import { definedMembers, getOrMake } from "../../core/collections.ts";
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
  readonly files?: string | undefined;
  readonly target: StackIdentity;
  readonly namePrefix?: string | undefined;
}

export interface ImportJournal {
  readonly path?: string | undefined;
  read(): Promise<ReadJournal>;
  /** Reads the target's other journals, and the journal of the opposite direction. */
  readOthers(): Promise<OtherJournals>;
  readOtherTargets(): Promise<readonly StackIdentity[]>;
  /** The caller holds the lock of the target. */
  open(): Promise<Journal>;
}

export type FindJournal = (pair: ImportPair) => ImportJournal;

export interface ReadJournal {
  readonly entries: readonly JournalEntry[];
  readonly history: History;
}

export interface OtherJournals {
  readonly last: History;
  /** Bases of imports from the target to the source, with both sides exchanged. */
  readonly reverse: Bases;
}

/** A journal of code files is named after their path, relative to `base`. */
export interface JournalPlace {
  readonly folder: string;
  readonly base: string;
}

/** The file is `SOURCE--TARGET.journal`, or `SOURCE--TARGET--PREFIX.journal`. For code files, SOURCE is their path. */
export function journalFinder(place: JournalPlace): FindJournal {
  return (pair) => {
    const { source, files, target, namePrefix } = pair;
    const path = journalPath(place, pair);
    const from = files === undefined ? plain(source) : { files: relativePath(dirname(path), files) };
    const journalPair: JournalPair = { source: from, target: plain(target), namePrefix };
    const isReversible = files === undefined && namePrefix === undefined && !isSameStack(source, target);
    const listOthers = async (): Promise<readonly ListedJournal[]> =>
      (await listJournals(place.folder)).filter((each) => each.path !== path);
    return {
      path,
      async read() {
        const entries = (await readFileJournal(path)) ?? [];
        const [first] = entries;
        if (first !== undefined) refuseOtherPair(path, first, journalPair);
        return { entries, history: foldJournal(entries) };
      },
      async readOthers() {
        const others = (await listOthers()).filter(({ pair: { target: to } }) => isSameStack(to, target));
        const ofTarget = await readJournals(others);
        const back = isReversible ? await readFileJournal(journalPath(place, { source: target, target: source })) : [];
        return { last: withLastRun(ofTarget.map(({ history }) => history)), reverse: exchangedSides(back ?? []) };
      },
      async readOtherTargets() {
        const ofSource = (await listOthers()).filter((each) => isSameSource(each.pair.source, journalPair.source));
        return ofSource.flatMap(({ pair: { target: to } }) => (isSameStack(to, target) ? [] : [to]));
      },
      open: () => openFileJournal(path, journalPair),
    };
  };
}

/** Keeps journals in memory, for imports that nobody undoes. Runs with the same value continue from each other's journals. */
export function memoryJournals(): FindJournal {
  const journals = new Map<string, JournalEntry[]>();
  const entriesOf = (pair: ImportPair): JournalEntry[] => {
    const { source, files, target, namePrefix } = pair;
    const key = JSON.stringify([files ?? plain(source), plain(target), namePrefix]);
    return getOrMake(journals, key, (): JournalEntry[] => []);
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

/** Exchanges source and target. The result has ids and names, and no parts. */
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

/** The relative path stays the same if both places are moved together. */
function relativePath(folder: string, path: string): string {
  return relative(resolve(folder), path).replaceAll("\\", "/") || ".";
}

/** Drops other members, which a manifest of a later version may have. */
function plain({ variant, baseUrl, organizationId, serviceId, team }: StackIdentity): StackIdentity {
  return definedMembers({ variant, baseUrl, organizationId, serviceId, team });
}

export interface LockOptions {
  /**
   * Folder of the journals and of the lock; default `.stackferry` in the working directory. `memoryJournals()` needs no folder and no
   * lock.
   */
  readonly journals?: string | FindJournal;
  /** Plan only; default false. */
  readonly dryRun?: boolean;
}

export const LOCK_OPTIONS: OptionNames<LockOptions> = { journals: true, dryRun: true };

/** Relative to the configuration file or the working directory. */
export const JOURNALS_FOLDER = ".stackferry";

/**
 * Call before the target is read: otherwise the plan could repeat writes of another run.
 * @throws StackferryError `locked` if another run holds the lock, `journal` if the folder cannot be written
 */
export async function lockTarget(
  { journals = JOURNALS_FOLDER, dryRun = false }: LockOptions,
  { identity }: { readonly identity: StackIdentity },
): Promise<AsyncDisposable | undefined> {
  if (dryRun || typeof journals !== "string") return undefined;
  return await takeTargetLock(resolve(journals), identity);
}
