import type { LeftOutRecord } from "../../core/plan/left-out.ts";
import { systemClock } from "../../client/clock.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { FillLines } from "../../core/plan/fill.ts";
import type { JournalEntry } from "../../core/plan/journal.ts";
import type { ManualMapping, Plan, TargetVerdicts, PlanItem } from "../../core/plan/plan.ts";
import type { ArchiveReader, StackClient } from "../../core/ports.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { Transforms } from "../../core/plan/transforms.ts";
import type { ImportResult } from "../../import/apply/apply-plan.ts";
import { applyPlan } from "../../import/apply/apply-plan.ts";
import { UnknownMembers } from "../../import/apply/unknown-members.ts";
import { planRecords } from "../../import/plan/plan-import.ts";
import { readRecords } from "../../import/read/archive-records.ts";
import { fillRecords, listedRedactions } from "../../import/read/fill-records.ts";
import { replaceMembers } from "../../import/read/mapped-members.ts";
import { readTarget } from "../../import/read/read-target.ts";
import { convertForVariant } from "../../import/read/convert-for-variant.ts";
import { recoverPendingWrites } from "../../import/read/recover-pending-writes.ts";
import { deletesOf, refuseTooMany } from "../../import/remove/max-delete.ts";
import type { MirrorOptions } from "../../import/remove/mirror-basis.ts";
import { warnOfLinksByName } from "../../import/transform/links-by-name.ts";
import { transformRecords } from "../../import/transform/transform-records.ts";
import { readJournalState } from "../../journal/state.ts";
import type { ImportOptions } from "../../matching/import-options.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { redactFilled } from "../../redaction/filling/where-filled.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { JournalLocation, JournalPlace } from "./journal-location.ts";
import { expectedWork } from "./expected-work.ts";
import { earlierEntries, journalLocation, openImportJournal, unsealedWarnings } from "./journal-location.ts";
import type { MemoryLocation, RunMemory } from "../memory/remember.ts";
import { openMemory, recallMemory } from "../memory/remember.ts";
import { checkMirror, mirrorBasis, wholeKinds } from "./mirror.ts";
import { isSelected } from "../../core/records/record-filter.ts";

/** An import with every setting decided, except the answers that a person may give to its plan. */
export interface ImportJob {
  readonly reader: ArchiveReader;
  readonly client: StackClient;
  readonly settings: Pick<StackSettings, "label" | "identity" | "rate" | "concurrency">;
  readonly journal: JournalPlace;
  readonly options: ImportOptions;
  /** The records come from code files, which belong to no variant. */
  readonly fromFiles?: boolean;
  /** Records that are not written because their files have mistakes. */
  readonly leftOut?: readonly LeftOutRecord[];
  /** Changes to the records, applied before anything else. */
  readonly transforms?: Transforms;
  readonly fills: FillLines;
  /** If the target's alerts have one channel each, create one alert per channel. */
  readonly splitChannels: boolean;
  /** How long the target's lists may lag behind its writes, in milliseconds. */
  readonly listLagMs: number;
  /** The target's lists, if reading them has already begun. */
  readonly early?: Promise<Inventory>;
  /** Delete records that were removed from the source; by default nothing is deleted. */
  readonly mirror?: MirrorOptions;
  /** The state file, which keeps the target record of each source record; without it no state is kept. */
  readonly memory?: MemoryLocation;
}

/** An import that has read everything and written nothing. */
export interface PreparedImport {
  readonly job: ImportJob;
  readonly journal: JournalLocation;
  /** Transformed and converted to the target's form, with placeholders. */
  readonly records: readonly StackRecord[];
  /** The records' names at the source, if transforms have changed them. */
  readonly formerNames: ReadonlyMap<RecordKey, string>;
  /** The records to send: placeholders and the map file's members filled in. */
  readonly filled: readonly StackRecord[];
  readonly inventory: Inventory;
  /** Plans with a mapping and the target's verdicts on writes. Pure; may be called again with others. */
  readonly planWith: (mapping: ManualMapping, verdicts?: TargetVerdicts) => Promise<Plan>;
  /** Replaces the target's lists for later plans. */
  readonly planOn: (inventory: Inventory) => void;
  /** The time of the plan, in Unix milliseconds. */
  readonly now: number;
  /** Number of journal entries at the time of the plan. */
  readonly known: number;
  /** An earlier run stopped before it had checked for losses that its updates caused; this run has to check. */
  readonly mustLook: boolean;
  /** Writes of an earlier run that are on the target but not in the journal. */
  readonly recovered: readonly JournalEntry[];
  /** Extends a redactor so that it also redacts the filled-in values. */
  readonly redactFilled: (redact: Redactor) => Redactor;
  /** The state that earlier imports into the target have saved; undefined if no state is kept. */
  readonly memory: RunMemory | undefined;
  /** The members that the target refused by name, in validation or in writes. */
  readonly unknown: UnknownMembers;
  /** Records that earlier runs of this import have written. */
  readonly journaled: ReadonlySet<RecordKey>;
}

/** The first half of an import: reads the archive, the target and the journal, and prepares the planning. */
export async function prepareImport(job: ImportJob, context: RunContext): Promise<PreparedImport> {
  const { reader, client, settings, options, listLagMs, early } = job;
  const { events } = context;
  if (job.mirror !== undefined) checkMirror(job.mirror, job);
  events({ type: "phase", phase: "reading the archive", total: reader.manifest.entries.length });
  const archived = await readRecords(reader, context.signal);
  const journal = journalLocation(job.journal, job, archived);
  const earlier = await earlierEntries(journal);
  const left = readJournalState(earlier);
  const { source } = reader.manifest;
  events({ type: "phase", phase: `reading ${settings.label}` });
  const reading = { client, state: left, clock: systemClock, listLagMs, ...(early && { early }) };
  const inventory = await readTarget(reading, context);
  const formed = convertForVariant(archived, inventory, job.splitChannels);
  const transformed = transformRecords(formed, job.transforms, options.filter);
  const { records, filter } = transformed;
  const recovered = recoverPendingWrites(left, inventory, new Date().toISOString());
  const state = readJournalState([...earlier, ...recovered]);
  const mustLook = state.vanished.some(({ proven }) => !proven);
  const lost = new Set(state.open.flatMap(({ key, write }) => (write === "create" ? [key] : [])));
  const isListed = listedRedactions(reader.manifest);
  const read = replaceMembers(fillRecords(records, job.fills, isListed), options.mapping);
  const { records: sent, filled, warnings } = read;
  const links = warnOfLinksByName(formed, records, options.labels.namePrefix);
  for (const warning of [...transformed.warnings, ...links, ...warnings]) events({ type: "warning", warning });
  const memory = job.memory && (await recallMemory(job.memory, sent, inventory, context));
  const noted = { journaled: state.records, remembered: memory?.remembered ?? new Map() };
  const known = { ...noted, lost, fills: { filled, isListed } };
  const mirror = job.mirror && { mirror: mirrorBasis(job.mirror, job, memory) };
  const whole = wholeKinds(reader.manifest);
  let there = inventory;
  const basis = { records: sent, source, whole, transformed, ...known, ...mirror };
  const now = systemClock.now();
  const planWith: PreparedImport["planWith"] = (mapping, verdicts) =>
    planRecords(
      {
        ...basis,
        inventory: there,
        options: { ...options, filter, mapping, now },
        ...(verdicts && { verdicts }),
      },
      context.signal,
    ).then((plan) => withLeftOut(plan, job.leftOut ?? [], { ...options, filter }));
  const journaled = new Set(state.records.keys());
  const { formerNames } = transformed;
  const texts = [...filled.values()].flatMap((each) => each.texts ?? []);
  const withoutFilled = (redact: Redactor): Redactor => redactFilled(redact, texts);
  const carried = {
    redactFilled: withoutFilled,
    unknown: new UnknownMembers(),
    known: earlier.length,
    mustLook,
    recovered,
    memory,
    journaled,
    formerNames,
  };
  return {
    job,
    journal,
    records,
    filled: sent,
    get inventory() {
      return there;
    },
    planOn: (whole) => void (there = whole),
    planWith,
    now,
    ...carried,
  };
}

/** The settings for carrying out a plan. */
export interface CarryOutOptions {
  readonly onError: "continue" | "abort";
  /** Read the target's lists afterwards and compare them with what was sent. */
  readonly verify: boolean;
  /** Redacts the secrets in the records that the journal keeps for a rollback. */
  readonly redact: Redactor;
}

/** The outcomes of a plan, and the files that record them. */
export interface CarriedOut extends Omit<ImportResult, "stored" | "ids"> {
  /** Path of the state file, if there is one and it was written. */
  readonly state?: string;
  /** Absent if there was nothing to write. */
  readonly journal?: string;
}

/** The second half of an import: opens the journal and carries out the plan. */
export async function carryOutImport(
  prepared: PreparedImport,
  plan: Plan,
  { onError, verify, redact }: CarryOutOptions,
  context: RunContext,
): Promise<CarriedOut> {
  const { job, filled, known, mustLook, recovered, unknown } = prepared;
  const { client, settings, options, listLagMs } = job;
  const { labels, adapt = false } = options;
  refuseTooMany(plan);
  await using memory = await openMemory(prepared.memory, context);
  const isNeeded = mustLook || writesOf(plan) + recovered.length > 0;
  await using journal = await openImportJournal(prepared.journal, isNeeded, known, prepared.memory?.location.path);
  for (const warning of unsealedWarnings(journal)) context.events({ type: "warning", warning });
  for (const entry of recovered) await journal.append(entry);
  await memory.begin(plan, journal.path);
  context.events({
    type: "phase",
    phase: "importing",
    total: plan.items.length + (plan.mirror?.removals.length ?? 0),
    ...expectedWork(plan, settings),
  });
  const pace = { onError, concurrency: settings.concurrency, clock: systemClock, listLagMs, verify };
  const input = {
    plan,
    read: readFrom(filled),
    client,
    labels,
    adapt,
    unknown,
    journal,
    redact: prepared.redactFilled(redact),
    ...pace,
  };
  const { stopped, stored, ids, ...result } = await applyPlan(input, context);
  const { path } = journal;
  const { inventory, journaled, formerNames } = prepared;
  const translation = { ids, known: plan.known, labels, adapt, now: systemClock.now() };
  const run = {
    plan,
    outcomes: result.outcomes,
    stored,
    translation,
    records: filled,
    formerNames,
    inventory,
    journaled,
  };
  const state = await memory.keep(run);
  return {
    ...result,
    ...(state !== undefined && { state }),
    ...(path !== undefined && { journal: path }),
    ...(stopped !== undefined && { stopped: resumable(stopped, path) }),
  };
}

/** Adds a hint that the run can be resumed from the journal. */
function resumable(stopped: StackferryError, path: string | undefined): StackferryError {
  if (path === undefined) return stopped;
  const first = stopped.hint === undefined ? [] : [stopped.hint.replace(/[.;]?$/, ".")];
  const hint = [...first, `Run it again to go on; ${path} says what is done.`].join(" ");
  return new StackferryError(stopped.code, stopped.message, { cause: stopped, hint });
}

/** Returns a reader of records that are in memory. */
export function readFrom(records: readonly StackRecord[]): (key: RecordKey) => Promise<StackRecord> {
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  return async (key) => {
    const record = byKey.get(key);
    if (record === undefined) throw new StackferryError("archive-damaged", `${key} is not in the archive`);
    return record;
  };
}

/** The number of records that a plan would write or delete. */
export function writesOf(plan: Plan): number {
  const written = plan.items.filter(({ action }) => action === "create" || action === "update");
  return written.length + deletesOf(plan).length;
}

/** Adds the records whose files have mistakes to the plan, as blocked items, because the run is incomplete without them. */
function withLeftOut(
  plan: Plan,
  leftOut: readonly LeftOutRecord[],
  { kinds, filter }: Pick<ImportOptions, "kinds" | "filter">,
): Plan {
  const asked = leftOut.filter(
    ({ kind, id, name }) =>
      (kinds.length === 0 || kinds.includes(kind)) && isSelected({ kind, id, name, body: {} }, filter),
  );
  return asked.length === 0 ? plan : { ...plan, items: [...plan.items, ...asked.map(itemOf)] };
}

function itemOf({ kind, id, name, code, message, targetId }: LeftOutRecord): PlanItem {
  const about = { kind, sourceId: id, name, code, message, targetId };
  return { ...about, action: "blocked", dependsOn: [], linksTo: [], rewrites: [] };
}
