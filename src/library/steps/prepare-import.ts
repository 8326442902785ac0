import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { LeftOutRecord, ManualMapping, Plan, PlanItem, Transforms } from "../../core/plan/plan.ts";
import type { ArchiveReader, StackClient } from "../../core/ports.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import {
  keyOfRecord,
  splitKey,
  type KindName,
  type NamedRecord,
  type RecordKey,
  type StackRecord,
} from "../../core/records/record.ts";
import { UnknownMembers } from "../../import/refusals.ts";
import { matchSides, planMatched, type MatchedSides, type PlanInput } from "../../import/plan/plan-import.ts";
import { readUsableRecords } from "../../import/read/archive-records.ts";
import {
  convertForVariant,
  transformRecords,
  transformsBetween,
  warnOfLinksByName,
  type TransformedRecords,
} from "../../import/transforms.ts";
import { fillRecords, createRedactionLookup, type FilledRecords } from "../../import/read/fill-records.ts";
import { readTarget } from "../../import/read/read-target.ts";
import { settleOpenWrites, type SettledHistory } from "../../import/read/settle-open-writes.ts";
import type { Base, Bases, Counterparts } from "../../core/plan/base.ts";
import type { EntryOf } from "../../core/plan/journal.ts";
import { lastRunNumber, targetOf, withLastRun, type RunWrite } from "../../journal/fold.ts";
import type { PlanOptions } from "../../matching/plan-options.ts";
import { createCredentialTest } from "../../redaction/credentials.ts";
import { createFilledRedactor } from "../../redaction/filling/filled-texts.ts";
import { createNameRedactor, redactDisplayTexts, redactName } from "../../redaction/redact-names.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { NormalisedImport } from "../options/import-options.ts";
import type { ImportJournal } from "./journal-place.ts";
import type { Warning } from "../../core/outcome.ts";
import { hasEveryRecord, type Manifest } from "../../core/manifest.ts";
import type { MirrorBasis, MirrorOptions } from "../../import/remove/mirror.ts";
import { kinds } from "../../kinds/registry.ts";
import { findUnusedPatterns, unreadKinds } from "../../kinds/unused-patterns.ts";
import type { AppliedFiles } from "./open-files.ts";
import { recordsOf, type Inventory } from "../../matching/inventory.ts";

export interface ImportJob extends NormalisedImport {
  readonly reader: ArchiveReader;
  readonly files?: AppliedFiles | undefined;
  /** The command that finds the backups with a record, if the archive is a backup. */
  readonly findCommand?: ((pattern: string) => string) | undefined;
  readonly client: StackClient;
  readonly settings: Pick<StackSettings, "stackName" | "identity" | "concurrency" | "consistencyWaitMs">;
  /** For the list of runs; by default the name of the archive or of the folder. */
  readonly from?: string | undefined;
  readonly early?: Promise<Inventory> | undefined;
}

export interface PreparedImport {
  readonly job: ImportJob;
  readonly options: PlanOptions;
  readonly journal: ImportJournal;
  /** The open writes of an interrupted run are settled by the target's lists. */
  readonly history: SettledHistory;
  readonly lastBegin: EntryOf<"begin"> | undefined;
  /** For code files: returns the key that survives a rename of the record. */
  readonly identify: (key: RecordKey) => RecordKey;
  readonly lastRunElsewhere: number;
  /** In the form that the target takes, with placeholders instead of secrets. */
  readonly transformed: TransformedRecords;
  readonly planInput: Omit<PlanInput, "inventory" | "options"> & { readonly bases: Bases };
  /** The records to send, with secrets instead of placeholders. */
  readonly records: ReadonlyMap<RecordKey, StackRecord>;
  readonly inventory: Inventory;
  readonly unknown: UnknownMembers;
  /** Also redacts the secrets that this run filled in. */
  readonly redact: Redactor;
  /** Redacts names that contain a secret. */
  readonly redactNames: (text: string) => string;
}

export async function readImport(input: ImportJob, context: RunContext): Promise<PreparedImport> {
  const { events } = context;
  const { client, settings, clock, files } = input;
  const { consistencyWaitMs } = settings;
  const { entries: archiveEntries, source } = input.reader.manifest;
  const options = withPairedFiles(input);
  const target = client.identity;
  const identify = files?.identify ?? ((key: RecordKey): RecordKey => key);
  if (input.mirror !== undefined) refusePartialMirror(input.reader.manifest);
  const { job, archived } = await readArchive(input, context);
  // An archive of the target itself is restored unchanged.
  const transforms = files === undefined ? transformsBetween(source, target, job.transforms) : job.transforms;
  const archiveRecords = [...archiveEntries, ...archived];
  // Patterns may select names after the transforms or, for a mirror, records of the target.
  const isLate = input.mirror !== undefined || transforms !== undefined;
  const early = isLate ? [] : await warnOfUnusedPatterns(job, archiveRecords);
  const journal = job.journal({ source, files: files?.root, target, namePrefix: options.namePrefix });
  const { entries, history: read } = files?.earlier ?? (await journal.read());
  events({ type: "journal", path: journal.path, records: entries.length === 0 ? undefined : read.bases.size });
  // With code files, `openFiles` has sent this event.
  if (files === undefined) events({ type: "phase", phase: `reading ${settings.stackName}` });
  const others = await journal.readOthers();
  const last = withLastRun([others.last, read]);
  const inventory = await readTarget({ client, last, clock, consistencyWaitMs, early: input.early }, context);
  const history = settleOpenWrites(entries, read, inventory, clock.now());
  const bases = basesOf(history.bases, others.reverse);
  const converted = convertRecords(job, options, transforms, archived, inventory);
  const { transformed, filled } = converted;
  const redactors = await redactorsOf(job, archived, converted, inventory);
  const removable = input.mirror === undefined ? [] : [...recordsOf(inventory), ...recordsInJournal(bases)];
  const late = isLate ? await warnOfUnusedPatterns(job, [...archiveRecords, ...transformed.records, ...removable]) : [];
  const transformWarnings = converted.warnings.map((warning) => redactDisplayTexts(warning, redactors.redactNames));
  for (const warning of [...transformWarnings, ...early, ...late]) events({ type: "warning", warning });
  return {
    job,
    options: { now: clock.now(), ...options, filter: transformed.filter },
    journal,
    history,
    lastRunElsewhere: lastRunNumber(others.last),
    transformed,
    planInput: planInputOf(job, identify, converted, history, bases),
    identify,
    lastBegin: entries.findLast((entry) => entry.type === "begin"),
    records: new Map(filled.records.map((record) => [keyOfRecord(record), record])),
    inventory,
    unknown: new UnknownMembers(),
    ...redactors,
  };
}

/**
 * @param records for a mirror also the records that it may delete, under all their names
 * @throws StackferryError `usage` for a pattern of `--include` that certainly matches no record
 */
async function warnOfUnusedPatterns(
  { reader, files, findCommand, options, redact, mirror }: ImportJob,
  records: readonly NamedRecord[],
): Promise<Warning[]> {
  const leftOut = files?.leftOut ?? [];
  return findUnusedPatterns(options.filter, {
    records: [...records, ...leftOut],
    where: files === undefined ? "in the archive" : "in the files",
    // A record whose file has a mistake may have an unknown name.
    unread:
      files === undefined
        ? unreadKinds(Object.entries(reader.manifest.kinds))
        : [...new Set(leftOut.map(({ kind }) => kind))],
    mayBeGone: mirror !== undefined,
    findCommand,
    nameOf: (record) => redactName(record, redact),
  });
}

function recordsInJournal(bases: Bases): NamedRecord[] {
  return [...bases].flatMap(([key, { name, sourceName = name }]) => {
    const [kind, id] = splitKey(key);
    return [name, sourceName].map((each) => ({ kind, id, name: each }));
  });
}

/** The manifest of the returned job has only the records that were read. */
async function readArchive(
  job: ImportJob,
  context: RunContext,
): Promise<{ readonly job: ImportJob; readonly archived: readonly StackRecord[] }> {
  const { events } = context;
  const { reader, files, options, redact } = job;
  const { entries, warnings } = reader.manifest;
  if (files !== undefined) for (const warning of warnings) events({ type: "warning", warning });
  events({
    type: "phase",
    phase: files === undefined ? "reading the archive" : "reading the files",
    total: entries.length,
  });
  const { records, manifest } = await readUsableRecords(reader, options.filter.exclude, redact, context);
  return { job: { ...job, reader: { ...reader, manifest } }, archived: records };
}

interface ConvertedRecords {
  readonly transformed: TransformedRecords;
  readonly filled: FilledRecords;
  readonly isListed: ReturnType<typeof createRedactionLookup>;
  readonly warnings: readonly Warning[];
}

function convertRecords(
  { reader, secretAnswers }: ImportJob,
  { filter, namePrefix }: PlanOptions,
  transforms: Transforms | undefined,
  archived: readonly StackRecord[],
  inventory: Inventory,
): ConvertedRecords {
  const formed = convertForVariant(archived, inventory);
  const transformed = transformRecords(formed, transforms, filter);
  const isListed = createRedactionLookup(reader.manifest);
  const filled = fillRecords(transformed.records, secretAnswers, isListed);
  const links = warnOfLinksByName(formed, transformed.records, namePrefix);
  return { transformed, filled, isListed, warnings: [...transformed.warnings, ...links, ...filled.warnings] };
}

async function redactorsOf(
  job: ImportJob,
  archived: readonly StackRecord[],
  { transformed, filled }: ConvertedRecords,
  inventory: Inventory,
): Promise<Pick<PreparedImport, "redact" | "redactNames">> {
  const texts = [...filled.fillings.values()].flatMap((secret) => secret.texts ?? []);
  const redact = createFilledRedactor(job.redact, texts);
  const recordsWithNames = [...archived, ...transformed.records, ...filled.records, ...recordsOf(inventory)];
  return { redact, redactNames: await createNameRedactor(recordsWithNames, redact) };
}

/** The journal of the opposite direction counts for records of which this journal has no base. */
function basesOf(bases: Bases, reverse: Bases): Bases {
  const taken = new Set([...bases].map(([key, { targetId }]) => targetOf(key, targetId)));
  const added = [...reverse].filter(([key, { targetId }]) => !bases.has(key) && !taken.has(targetOf(key, targetId)));
  return new Map([...bases, ...added]);
}

function planInputOf(
  { reader: { manifest }, mirror, files, credentials }: ImportJob,
  identify: PreparedImport["identify"],
  { transformed, filled, isListed }: ConvertedRecords,
  { bases: known, unknownCreates, lastWrites, standing }: SettledHistory,
  bases: Bases,
): PreparedImport["planInput"] {
  const fromFiles = files !== undefined;
  const identities = new Map(filled.records.map((record) => [identify(keyOfRecord(record)), keyOfRecord(record)]));
  const present = new Map<RecordKey, Base>();
  const missing = new Map<RecordKey, Base>();
  for (const [identity, base] of bases) {
    const key = identities.get(identity);
    if (key === undefined) missing.set(identity, base);
    else present.set(key, base);
  }
  return {
    records: filled.records,
    source: manifest.source,
    fromFiles,
    whole: wholeKinds(manifest),
    ...(files && { substitutes: files.substitutes }),
    transformed,
    bases: present,
    missing,
    former: new Map(
      [...standing].flatMap(([key, writes]) => (identities.has(key) ? [] : deletedBy(key, writes.at(-1)))),
    ),
    archived: fromFiles ? undefined : manifest.createdAt,
    unknownCreates,
    lastWrites,
    suppliedSecrets: { filled: filled.fillings, isListed },
    holdsCredential: createCredentialTest(credentials),
    mirror: mirror && mirrorBasis(mirror, manifest, known, fromFiles),
  };
}

function deletedBy(key: RecordKey, write: RunWrite | undefined): readonly (readonly [RecordKey, Counterparts])[] {
  if (write?.action !== "delete") return [];
  return [[key, { targetId: write.targetId, children: write.before?.children }]];
}

/** Leaves out the pairs under a name prefix, which asks for separate records. */
function withPairedFiles({ options, files }: ImportJob): PlanOptions {
  return files === undefined || options.namePrefix !== undefined ? options : { ...options, paired: files.paired };
}

export interface DraftedPlan {
  readonly plan: Plan;
  readonly sides: MatchedSides;
}

export async function draftPlan(
  prepared: PreparedImport,
  mapping: ManualMapping,
  context: RunContext,
): Promise<DraftedPlan> {
  const options = { ...prepared.options, mapping };
  const { planInput, inventory } = prepared;
  const sides = await matchSides({ ...planInput, inventory, options }, context.signal);
  return { sides, plan: await planAgain(prepared, sides, undefined, context) };
}

export async function planAgain(
  { job, options }: PreparedImport,
  sides: MatchedSides,
  refused: ReadonlyMap<RecordKey, string> | undefined,
  { signal }: RunContext,
): Promise<Plan> {
  return withLeftOut(await planMatched(sides, refused, signal), job.files?.leftOut ?? [], options);
}

/** Adds the records whose files have mistakes as blocked items, so the run counts as incomplete. */
function withLeftOut(
  plan: Plan,
  leftOut: readonly LeftOutRecord[],
  { kinds, filter }: Pick<PlanOptions, "kinds" | "filter">,
): Plan {
  const selected = leftOut.filter(
    (record) => (kinds.length === 0 || kinds.includes(record.kind)) && isSelected(record, filter),
  );
  const items = selected.map(({ id: sourceId, kind, name, code, message, targetId }): PlanItem => {
    const about = { kind, sourceId, name, code, message, targetId };
    return { ...about, action: "blocked", dependsOn: [], linksTo: [] };
  });
  return { ...plan, items: [...plan.items, ...items] };
}

function refusePartialMirror({ filter }: Pick<Manifest, "filter">): void {
  if (filter === undefined) return;
  const message =
    "the archive was exported with a selection, so it may lack records of the stack, and --mirror is refused";
  throw new StackferryError("usage", message, { hint: "Export the whole stack, or leave out --mirror." });
}

function mirrorBasis(
  options: MirrorOptions,
  manifest: Pick<Manifest, "kinds" | "createdAt">,
  known: Bases,
  fromFiles: boolean,
): MirrorBasis {
  // Under `ours`, a missing file means a removed record; under `all`, only for a kind that has files.
  const complete =
    fromFiles && options.scope === "ours" ? new Set(kinds.map(({ name }) => name)) : wholeKinds(manifest);
  return {
    ...options,
    hasJournal: known.size > 0,
    isOlder: !fromFiles && [...known.values()].some(({ archived = "" }) => archived > manifest.createdAt),
    whole: options.isSuspect === true ? new Set() : complete,
  };
}

function wholeKinds({ kinds: summaries }: Pick<Manifest, "kinds">): ReadonlySet<KindName> {
  return new Set(Object.entries(summaries).flatMap(([kind, summary]) => (hasEveryRecord(summary) ? [kind] : [])));
}
