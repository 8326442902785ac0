import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { LeftOutRecord, ManualMapping, Plan, PlanItem, TargetVerdicts, Transforms } from "../../core/plan/plan.ts";
import type { StackClient } from "../../core/ports.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import {
  isSameStack,
  keyOfRecord,
  keyOfWholeRecord,
  splitKey,
  type RecordKey,
  type StackRecord,
  type KindName,
} from "../../core/records/record.ts";
import { UnknownMembers } from "../../import/unknown-members.ts";
import { matchSides, planMatched, type MatchedSides, type PlanInput } from "../../import/plan/plan-import.ts";
import { readUsableRecords } from "../../import/read/archive-records.ts";
import {
  convertForVariant,
  transformRecords,
  transformsBetween,
  type TransformedRecords,
} from "../../import/transform/transform-records.ts";
import { fillRecords, createRedactionLookup, type FilledRecords } from "../../import/read/fill-records.ts";
import { applyMapFileMembers } from "../../import/read/map-file-members.ts";
import { readTarget } from "../../import/read/read-target.ts";
import { recoverEarlierRuns, type EarlierRuns } from "../../import/read/recover-earlier-runs.ts";
import { warnOfLinksByName } from "../../import/transform/transform-record.ts";
import { replayJournal, type JournalReplay } from "../../journal/replay.ts";
import type { PlanOptions } from "../../matching/plan-options.ts";
import { createCredentialTest } from "../../redaction/credentials.ts";
import { createFilledRedactor } from "../../redaction/filling/filled-texts.ts";
import { createNameRedactor, redactDisplayTexts } from "../../redaction/redact-names.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { loadImportState, statesOfRecords, type RunStateLocation, type ImportState } from "./import-state.ts";
import { loadReversePairs } from "./reverse-import-state.ts";
import type { NormalisedImport } from "../options/import-options.ts";
import { journalSubject, type ImportJournal } from "./find-journal.ts";
import { reportUnfinishedImports } from "./report-unfinished.ts";
import { refuseUnusedPatterns, warnOfUnusedPatterns, type SearchedImport } from "./unused-patterns.ts";
import type { Warning } from "../../core/outcome.ts";
import { hasEveryRecord, type Manifest } from "../../core/manifest.ts";
import type { MirrorBasis, MirrorOptions } from "../../import/remove/mirror.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { kinds } from "../../kinds/registry.ts";
import { recordFinder, recordsOf, type Inventory } from "../../matching/inventory.ts";
import { foldedKey } from "../../references/known-ids.ts";

/** An import with every setting decided, its archive and its target open. */
export interface ImportJob extends NormalisedImport, Omit<SearchedImport, keyof NormalisedImport> {
  readonly client: StackClient;
  readonly settings: Pick<StackSettings, "stackName" | "identity" | "rate" | "concurrency">;
  /** The target's lists, if reading them has already begun. */
  readonly early?: Promise<Inventory> | undefined;
  /** Returns the command that finishes an interrupted import of another backup. The backup is given by its file name. */
  readonly finishCommand?: ((backup: string) => string) | undefined;
  /**
   * How long, in milliseconds, a stopped run still checks whether the server deleted records together with others (cascade losses).
   */
  readonly graceMs?: number | undefined;
}

/** An import that has read its archive, journal, target and state but has written nothing yet. */
export interface PreparedImport {
  readonly job: ImportJob;
  readonly options: PlanOptions;
  readonly journal: ImportJournal;
  readonly earlier: EarlierRuns;
  /** The records in the form that the target takes, with placeholders instead of secrets. */
  readonly transformed: TransformedRecords;
  /** The records to send, in which the placeholders and the map file's members are filled in. */
  readonly filled: FilledRecords;
  /** The part of the input that is the same for every plan of this import. */
  readonly planInput: Omit<PlanInput, "inventory" | "options" | "verdicts">;
  /** The records of `filled`, by key. */
  readonly records: ReadonlyMap<RecordKey, StackRecord>;
  /** The target's lists, as they were read first. */
  readonly inventory: Inventory;
  /** The state that earlier imports into the target have saved; undefined if no state is kept. */
  readonly state: ImportState | undefined;
  /** The members that the target refused by name, in validation or in writes. */
  readonly unknown: UnknownMembers;
  /** Redacts what the job's redactor finds, and the secrets that this run filled in. */
  readonly redact: Redactor;
  /** Redacts names in a text: every name of a record of the archive or the target that contains a secret. */
  readonly redactNames: (text: string) => string;
}

/** Reads the archive, the journal, the target and the state, and checks that they fit together. */
export async function readImport(input: ImportJob, context: RunContext): Promise<PreparedImport> {
  const { events } = context;
  const { client, settings, clock, consistencyWaitMs, early, files } = input;
  const { entries: archiveEntries, source } = input.reader.manifest;
  const options = withPairedFiles(input);
  const { naming } = options;
  const target = client.identity;
  const stateFile = input.state?.({ source, files, target, namePrefix: naming.namePrefix });
  if (input.mirror !== undefined) checkMirror(input.mirror, input.reader.manifest, stateFile);
  const { job, archived } = await readArchive(input, context);
  const { reader } = job;
  // Transforms apply to an archive only if it comes from another stack.
  const transforms = files === undefined ? transformsBetween(source, target, job.transforms) : job.transforms;
  // A mirror may select records of the target, and transforms change names: both are checked when the target is read.
  if (input.mirror === undefined && transforms === undefined) await refuseUnusedPatterns(job, archived);
  const subject = { reader, target, naming, transforms, fromFiles: files !== undefined };
  const journal = job.journal(journalSubject(subject, archived));
  const entries = await journal.earlier();
  events({ type: "phase", phase: `reading ${settings.stackName}` });
  const replay = replayJournal(entries);
  const unfinished = (await journal.findUnfinished?.()) ?? [];
  const earlierWrites = [replay, ...unfinished.map((each) => each.replay)];
  const inventory = await readTarget({ client, earlierWrites, clock, consistencyWaitMs, early }, context);
  const earlier = recoverEarlierRuns(entries, replay, inventory, clock.now());
  const state = stateFile && (await loadImportState(stateFile, inventory, context));
  const parts = partsOnTarget(inventory, earlier.state.records, state?.records);
  const converted = convertRecords(job, options, transforms, archived, { inventory, parts });
  const { transformed, filled } = converted;
  const redactors = await redactorsOf(job, archived, converted, inventory);
  for (const warning of converted.warnings)
    events({ type: "warning", warning: redactDisplayTexts(warning, redactors.redactNames) });
  const records = [...archiveEntries, ...transformed.records];
  const unused = await warnOfUnusedPatterns(job, { records, inventory, state, redact: redactors.redact });
  for (const warning of unused) events({ type: "warning", warning });
  const reversePairs = state && (await loadReversePairs(state, filled.records, context));
  const isOfTarget = files === undefined && isSameStack(source, target);
  reportUnfinishedImports(unfinished, { ...job, records: filled.records, isOfTarget, state, inventory }, context);
  return {
    job,
    options: { now: clock.now(), ...options, filter: transformed.filter },
    journal,
    earlier,
    transformed,
    filled,
    planInput: { ...planInputOf(job, converted, earlier, state), reversePairs },
    records: new Map(filled.records.map((record) => [keyOfRecord(record), record])),
    inventory,
    state,
    unknown: new UnknownMembers(),
    ...redactors,
  };
}

/** Reads the records of the job's archive. Returns the job with a manifest of the records that were read. */
async function readArchive(
  job: ImportJob,
  context: RunContext,
): Promise<{ readonly job: ImportJob; readonly archived: readonly StackRecord[] }> {
  const { events } = context;
  const { reader, files, options, redact } = job;
  const { entries, warnings } = reader.manifest;
  if (files !== undefined) for (const warning of warnings) events({ type: "warning", warning });
  events({ type: "phase", phase: "reading the archive", total: entries.length });
  const { records, manifest } = await readUsableRecords(reader, options.filter.exclude, redact, context);
  return { job: { ...job, reader: { ...reader, manifest } }, archived: records };
}

/** The archive's records in two forms: in the form that the target takes, and as they are sent. */
interface ConvertedRecords extends Pick<PreparedImport, "transformed" | "filled"> {
  readonly isListed: ReturnType<typeof createRedactionLookup>;
  readonly warnings: readonly Warning[];
}

function convertRecords(
  { reader, splitChannels, secretAnswers, mirror }: ImportJob,
  { filter, mapping, naming }: PlanOptions,
  transforms: Transforms | undefined,
  archived: readonly StackRecord[],
  { inventory, parts }: { readonly inventory: Inventory; readonly parts: readonly RecordKey[] },
): ConvertedRecords {
  const formed = convertForVariant(archived, inventory, splitChannels, parts);
  const transformed = transformRecords(formed, transforms, filter);
  const isListed = createRedactionLookup(reader.manifest);
  const filled = applyMapFileMembers(fillRecords(transformed.records, secretAnswers, isListed), mapping);
  const links = warnOfLinksByName(formed, transformed.records, naming.namePrefix);
  const extra = mirror === undefined ? warnOfExtraParts(archived, formed, filter, parts) : [];
  return { transformed, filled, isListed, warnings: [...transformed.warnings, ...links, ...filled.warnings, ...extra] };
}

/** Returns the keys of the parts of split records that earlier runs wrote and the target still has. */
function partsOnTarget(
  inventory: Inventory,
  ...earlier: readonly (ReadonlyMap<RecordKey, { readonly targetId: string }> | undefined)[]
): RecordKey[] {
  const find = recordFinder(inventory);
  const isPresent = (key: RecordKey, id: string): boolean => find(splitKey(key)[0], id) !== undefined;
  const parts = earlier.flatMap((records) => [...(records ?? [])].filter(([key]) => keyOfWholeRecord(key) !== key));
  return [...new Set(parts.flatMap(([key, { targetId }]) => (isPresent(key, targetId) ? [key] : [])))];
}

/** Warns of selected alerts that now have fewer channels than when an earlier run split them. */
function warnOfExtraParts(
  archived: readonly StackRecord[],
  formed: readonly StackRecord[],
  filter: PlanOptions["filter"],
  parts: readonly RecordKey[],
): Warning[] {
  const needed = new Set<string>(formed.map(keyOfRecord));
  const extra = new Set(parts.filter((key) => !needed.has(key)).map(keyOfWholeRecord));
  return archived
    .filter((record) => extra.has(keyOfRecord(record)) && isSelected(record, filter))
    .map((record) => {
      const message = `${nameOfRecord(record)} has fewer channels than when it was split, so one of them is notified twice: --mirror deletes the extra alert of the target`;
      return { code: "extra-alert", message };
    });
}

async function redactorsOf(
  job: ImportJob,
  archived: readonly StackRecord[],
  { transformed, filled }: ConvertedRecords,
  inventory: Inventory,
): Promise<Pick<PreparedImport, "redact" | "redactNames">> {
  const texts = [...filled.fillings.values()].flatMap((secret) => secret.texts ?? []);
  const redact = createFilledRedactor(job.redact, texts);
  const present = recordsOf(inventory).map(({ kind, name }) => ({ kind, name }));
  return { redact, redactNames: await createNameRedactor([...archived, ...transformed.records, ...present], redact) };
}

function planInputOf(
  { reader: { manifest }, mirror, files, credentials }: ImportJob,
  { transformed, filled, isListed }: ConvertedRecords,
  { state: replay }: EarlierRuns,
  state: ImportState | undefined,
): PreparedImport["planInput"] {
  const fromFiles = files !== undefined;
  return {
    records: filled.records,
    source: manifest.source,
    fromFiles,
    whole: wholeKinds(manifest),
    ...(files && { substitutes: files.substitutes }),
    transformed,
    journaled: replay.records,
    recordStates: state === undefined ? new Map<RecordKey, never>() : statesOfRecords(state, filled.records),
    stateRecords: state?.records,
    lastWrites: lastWritesOf(replay, state),
    sentTwice: replay.sentTwice,
    lost: keysOfLostCreates(replay),
    suppliedSecrets: { filled: filled.fillings, isListed },
    holdsCredential: createCredentialTest(credentials),
    mirror: mirror && mirrorBasis(mirror, manifest, state, fromFiles),
  };
}

/** Adds the matches by name in code files. With a name prefix adds no matches, because the prefix asks for separate records. */
function withPairedFiles({ options, files }: ImportJob): PlanOptions {
  return files === undefined || options.naming.namePrefix !== undefined
    ? options
    : { ...options, paired: files.paired };
}

/** Returns what the target stored at the last write of each record. The state knows the runs of other archives, too. */
function lastWritesOf({ lastWrites }: JournalReplay, state: ImportState | undefined): ReadonlyMap<string, string> {
  const fromState = [...(state?.records ?? [])].flatMap(([key, { targetId, lastWrite }]) =>
    lastWrite === undefined ? [] : [[foldedKey(splitKey(key)[0], targetId), lastWrite] as const],
  );
  return new Map([...lastWrites, ...fromState]);
}

/** Returns the records that an earlier run may have created without receiving the response. */
function keysOfLostCreates({ pendingWrites }: JournalReplay): ReadonlySet<RecordKey> {
  return new Set(pendingWrites.flatMap(({ key, write }) => (write === "create" ? [key] : [])));
}

/** A plan, and the matched sides that it was made from. */
export interface DraftedPlan {
  readonly plan: Plan;
  readonly sides: MatchedSides;
}

/** Matches both sides and makes the plan that follows from a mapping; sends no request. */
export async function draftPlan(
  prepared: PreparedImport,
  mapping: ManualMapping,
  inventory: Inventory,
  context: RunContext,
): Promise<DraftedPlan> {
  const options = { ...prepared.options, mapping };
  const sides = await matchSides({ ...prepared.planInput, inventory, options }, context.signal);
  return { sides, plan: await planAgain(prepared, sides, undefined, context) };
}

/** @param verdicts what the target refused, or did not keep, when it was asked about an earlier plan */
export async function planAgain(
  { job, options }: PreparedImport,
  sides: MatchedSides,
  verdicts: TargetVerdicts | undefined,
  { signal }: RunContext,
): Promise<Plan> {
  return withLeftOut(await planMatched(sides, verdicts, signal), job.files?.leftOut ?? [], options);
}

/** Adds the records whose files have mistakes to the plan as blocked items, because the run is incomplete without these records. */
function withLeftOut(
  plan: Plan,
  leftOut: readonly LeftOutRecord[],
  { kinds, filter }: Pick<PlanOptions, "kinds" | "filter">,
): Plan {
  const selected = leftOut.filter(
    (record) => (kinds.length === 0 || kinds.includes(record.kind)) && isSelected(record, filter),
  );
  return selected.length === 0 ? plan : { ...plan, items: [...plan.items, ...selected.map(itemOf)] };
}

function itemOf({ kind, id, name, code, message, targetId }: LeftOutRecord): PlanItem {
  const about = { kind, sourceId: id, name, code, message, targetId };
  return { ...about, action: "blocked", dependsOn: [], linksTo: [], rewrites: [] };
}

/** @throws StackferryError `usage` unless `--mirror` can tell which records the source lacks, and which an import created */
function checkMirror(
  { scope }: MirrorOptions,
  { filter }: Pick<Manifest, "filter">,
  state: RunStateLocation | undefined,
): void {
  if (filter !== undefined) {
    const { include, only = [], exclude } = filter;
    const flags = Object.entries({ "--include": include, "--only": only, "--exclude": exclude })
      .flatMap(([flag, patterns]) => (patterns.length === 0 ? [] : [`${flag} ${patterns.join(", ")}`]))
      .join(" ");
    const message = `the archive was exported with ${flags}: it may lack records of the exported stack, so --mirror is refused`;
    throw new StackferryError("usage", message, { hint: "Export without these flags, or leave out --mirror." });
  }
  if (scope === "all" || state !== undefined) return;
  const message = "--mirror deletes only records that an import created, and there is no state file that lists them";
  throw new StackferryError("usage", message, {
    hint: "Name a state file with --state, or use a configuration file; the first run with a state deletes nothing.",
  });
}

function mirrorBasis(
  options: MirrorOptions,
  manifest: Pick<Manifest, "kinds">,
  importState: ImportState | undefined,
  fromFiles: boolean,
): MirrorBasis {
  // A folder of code files is always complete: a record without a file was removed.
  const complete =
    fromFiles && options.scope === "ours" ? new Set(kinds.map(({ name }) => name)) : wholeKinds(manifest);
  return {
    ...options,
    stateRecords: importState?.records ?? new Map(),
    unusable: importState?.unusable,
    identityOf: importState?.location.identities.identify ?? ((key) => key),
    whole: options.isSuspect === true ? new Set() : complete,
  };
}

/** Returns the kinds whose records are all in the archive. */
function wholeKinds({ kinds: summaries }: Pick<Manifest, "kinds">): ReadonlySet<KindName> {
  return new Set(Object.entries(summaries).flatMap(([kind, summary]) => (hasEveryRecord(summary) ? [kind] : [])));
}
