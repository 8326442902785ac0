import { messageWithHint, StackferryError } from "../../core/errors.ts";
import type { EventSink, RunContext } from "../../core/events.ts";
import type { StateRecords, RecordState } from "../../core/plan/state.ts";
import {
  isSameStack,
  keyOfRecord,
  type RecordKey,
  type StackRecord,
  type StackIdentity,
} from "../../core/records/record.ts";
import {
  stateFromJournal,
  stateAfterRun,
  STACK_IDENTITIES,
  type FinishedRun,
  type SourceIdentities,
} from "../../import/apply/update-state.ts";
import { itemKey, type Plan } from "../../core/plan/plan.ts";
import { readFileJournal } from "../../journal/file-journal.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { basename, dirname, join, relative, resolve } from "node:path";
import { stackNameFromAddress } from "../../config/stacks/stack-address.ts";
import type { JournalAccess } from "../../journal/seal.ts";
import type { JournalEntry } from "../../core/plan/journal.ts";
import { replayJournal, type JournalReplay } from "../../journal/replay.ts";
import { readState, writeState, type LoadedState, type StateLocation } from "../../journal/state-file.ts";
import type { StateContent } from "../../journal/state-format.ts";
import { fileNamePart } from "../../core/text/format.ts";
import { recoverEarlierRuns } from "../../import/read/recover-earlier-runs.ts";

/** The state file of a source and a target, and the identities of the source's records. */
export interface RunStateLocation extends Pick<StateLocation, "path" | "access"> {
  read(): Promise<LoadedState>;
  write(content: Omit<StateContent, "subject">): Promise<void>;
  readonly identities: SourceIdentities;
  /**
   * The state of imports in the other direction. Undefined if the user named the state file, if the import has code files or a name
   * prefix, or if source and target are the same stack.
   */
  readonly reverseImport?: Pick<RunStateLocation, "path" | "access" | "read">;
  /**
   * True if the user named this state file: a run that cannot write the file must then not begin. If false, such a run goes on
   * without a state.
   */
  readonly isRequested: boolean;
}

export interface ImportState {
  readonly location: RunStateLocation;
  readonly state: LoadedState;
  /** All entries, including those of an interrupted run. */
  readonly records: StateRecords;
  /** Why an existing state file cannot be used; undefined if the file is used, or does not exist yet. */
  readonly unusable?: string;
}

/** Loads the state that earlier imports saved. An unusable state file gives a warning. */
export async function loadImportState(
  location: RunStateLocation,
  inventory: Inventory,
  { events }: RunContext,
): Promise<ImportState> {
  const state = await location.read();
  if (state.warning !== undefined) events({ type: "warning", warning: state.warning });
  const replay = (entries: readonly JournalEntry[]): JournalReplay =>
    recoverEarlierRuns(entries, replayJournal(entries), inventory, Date.now()).state;
  const whole = await withInterruptedRun(state, location, replay, events);
  const unusable = state.warning && { unusable: `the state ${location.path} cannot be used` };
  return { location, state, records: whole, ...unusable };
}

export function statesOfRecords(
  { location, records: states }: Pick<ImportState, "location" | "records">,
  records: readonly StackRecord[],
): ReadonlyMap<RecordKey, RecordState> {
  const entries = records.flatMap((record) => {
    const key = keyOfRecord(record);
    const recordState = states.get(location.identities.identify(key));
    return recordState === undefined ? [] : [[key, recordState] as const];
  });
  return new Map(entries);
}

/** Adds to the state the records that an interrupted run wrote, according to that run's journal. */
export async function withInterruptedRun(
  { records, begun }: LoadedState,
  { access }: Pick<RunStateLocation, "access">,
  replay: (entries: readonly JournalEntry[]) => JournalReplay,
  events: EventSink,
): Promise<StateRecords> {
  if (begun === undefined) return records;
  try {
    const entries = (await readFileJournal(begun.journal, access)) ?? [];
    return stateFromJournal(records, replay(entries), begun.identities);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    const message = `this run cannot read the writes of the last run: ${messageWithHint(error)}`;
    events({ type: "warning", warning: { code: "state-unreadable", message } });
    return records;
  }
}

/** The state file of a run that writes. */
interface WritableState {
  /** Notes the journal of the run. If the run is interrupted, the next run finds the writes there. */
  begin(plan: Plan, journal: string | undefined): Promise<void>;
  /** Saves the results of a run and returns the path; undefined if no state is kept. */
  keep(run: FinishedRun): Promise<string | undefined>;
}

const NO_STATE: WritableState = {
  begin: () => Promise.resolve(),
  keep: () => Promise.resolve(undefined),
};

/** Returns the state file for a run that writes. A state file that belongs to another source or target is not changed. */
export function writableState(importState: ImportState | undefined, { events }: RunContext): WritableState {
  if (importState === undefined || importState.state.status === "kept") return NO_STATE;
  const { location, records: before } = importState;
  const unwritten = (error: unknown): void => {
    if (!(error instanceof StackferryError)) throw error;
    // A state that cannot be saved is only a warning: without the state, the next import matches by name again.
    const message = `the state cannot be saved, so the next run has to match by name: ${messageWithHint(error)}`;
    events({ type: "warning", warning: { code: "state-unwritten", message } });
  };
  let isUnwritable = false;
  return {
    begin: async ({ items }, journal) => {
      if (journal === undefined) return;
      const created = items.filter(({ action }) => action === "create").map(itemKey);
      const keysWithIdentities = created.map((key) => [key, location.identities.identify(key)] as const);
      const identities = Object.fromEntries(keysWithIdentities.filter(([key, identity]) => key !== identity));
      await location.write({ records: before, begun: { journal, identities } }).catch((error: unknown) => {
        if (location.isRequested) throw error;
        unwritten(error);
        isUnwritable = true;
      });
    },
    keep: async (run) => {
      if (isUnwritable) return undefined;
      try {
        await location.write({ records: stateAfterRun(before, run, location.identities) });
        return location.path;
      } catch (error) {
        unwritten(error);
        return undefined;
      }
    },
  };
}

export interface FileSource {
  /** Full path of the folder or file. */
  readonly root: string;
  readonly identities: SourceIdentities;
}

/** The source and the target that a state file is about. */
export interface StatePair {
  /** The stack that the archive was exported from. */
  readonly source: StackIdentity;
  /** The code files, if the import reads them instead of an archive. */
  readonly files?: FileSource | undefined;
  readonly target: StackIdentity;
  readonly namePrefix?: string | undefined;
}

export type FindStateFile = (pair: StatePair) => RunStateLocation;

/** The folder of state files, and the folder to which their names of code files are relative. */
export interface StatePlace {
  readonly folder: string;
  readonly base: string;
}

/** @param place the place of the state file, or its path, if the user has named it */
export function stateFileFinder(place: StatePlace | string, access: JournalAccess): FindStateFile {
  return (pair) => {
    const { source, files, target, namePrefix } = pair;
    const isRequested = typeof place === "string";
    const path = isRequested ? place : defaultStatePath(place, pair);
    const from = files === undefined ? plain(source) : { files: relativePath(dirname(path), files) };
    const subject = { source: from, target: plain(target), ...(namePrefix !== undefined && { namePrefix }) };
    const location = { path, subject, access };
    const isReversible = files === undefined && namePrefix === undefined && !isSameStack(source, target);
    return {
      path,
      access,
      isRequested,
      identities: files?.identities ?? STACK_IDENTITIES,
      ...(!isRequested && isReversible && { reverseImport: reverseImportState(place, access, pair) }),
      read: () => readState(location),
      write: (content) => writeState(location, content),
    };
  };
}

function reverseImportState(
  place: StatePlace,
  access: JournalAccess,
  { source, target }: StatePair,
): RunStateLocation["reverseImport"] {
  const path = defaultStatePath(place, { source: target, target: source });
  const subject = { source: plain(target), target: plain(source) };
  return { path, access, read: () => readState({ path, subject, access }) };
}

/** Returns `SOURCE--TARGET.json` in the folder, named by the stacks themselves, not by the configuration. */
function defaultStatePath({ folder, base }: StatePlace, { source, files, target, namePrefix }: StatePair): string {
  const from =
    files === undefined
      ? stackNameFromAddress(source)
      : fileNamePart(relativePath(base, files)) || fileNamePart(basename(files.root));
  const parts = [
    from || "files",
    stackNameFromAddress(target),
    ...(namePrefix === undefined ? [] : [fileNamePart(namePrefix)]),
  ];
  return join(folder, `${parts.join("--")}.json`);
}

/** Returns the path of code files relative to a folder. This path stays the same if the files and the folder are moved together. */
function relativePath(folder: string, { root }: FileSource): string {
  return relative(resolve(folder), root).replaceAll("\\", "/") || ".";
}

/** Returns the identity without members that a later version may add to it in a manifest. */
function plain({ variant, baseUrl, organizationId, serviceId }: StackIdentity): StackIdentity {
  return {
    variant,
    baseUrl,
    ...(organizationId !== undefined && { organizationId }),
    ...(serviceId !== undefined && { serviceId }),
  };
}
