import { translationOf, type WriteOptions } from "../write-body.ts";
import { partition } from "../../core/collections.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { IdMap } from "../../core/plan/id-map.ts";
import type { Image } from "../../core/plan/journal.ts";
import type { JsonObject } from "../../core/json.ts";
import { leavesRunIncomplete, type Outcome, type Warning } from "../../core/outcome.ts";
import { targetKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { createRedactor, type Redactor } from "../../redaction/redactor.ts";
import { itemKey, type Plan } from "../../core/plan/plan.ts";
import { blockStillUsed, isRemovedBeforeWrites } from "../remove/dependents.ts";
import { isRemoved, removeAll } from "./remove-all.ts";
import { JournaledWriter } from "./journaled-writer.ts";
import { checkTarget, isWritten } from "./check.ts";
import { UnknownMembers } from "../unknown-members.ts";
import type { ListReadOptions } from "./poll-lists.ts";
import { trialOf } from "./trial-writes.ts";
import { writeAll, WritePool } from "./write-all.ts";
import { seenEntry, type RunMemory } from "./settle.ts";
import { writeItem } from "./write-item.ts";

export interface ApplyInput extends Omit<WriteOptions, "now">, ListReadOptions {
  readonly plan: Plan;
  /** The records that the plan was made of. */
  readonly records: ReadonlyMap<RecordKey, StackRecord>;
  /** The members that the target has refused by name; none by default. The run adds every further refusal. */
  readonly unknown?: UnknownMembers;
  /** Maximum number of writes in flight at a time. */
  readonly concurrency: number;
  readonly memory: RunMemory;
  /** Records that an earlier run may have lost, because it was cut short before it could check them. */
  readonly unchecked?: readonly Image[];
  /** Redacts the bodies that the journal keeps for a rollback. */
  readonly redact?: Redactor;
  /** Tells how to restore an alert that the server deleted with an update; by default, with a rollback. */
  readonly restoredBy?: string;
}

export interface ImportResult {
  /** One outcome for each item of the plan, and one for each removal. */
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
  /** The error that ended the run before all writes had been tried. */
  readonly stopped?: StackferryError;
  /** The target's answer to the last write of each record. */
  readonly stored: ReadonlyMap<RecordKey, JsonObject>;
  /** The plan's ids, and the ids of all written records. */
  readonly ids: IdMap;
}

/** Carries out a plan: writes, verifies, notes the run's end. A failure stops only the records that depend on the failed one. */
export async function applyPlan(input: ApplyInput, context: RunContext): Promise<ImportResult> {
  const { plan, client, clock, naming, fitLimits, records, concurrency } = input;
  const { unknown = new UnknownMembers(), redact = createRedactor(), memory, unchecked = [] } = input;
  const { signal } = context;
  const translation = translationOf(plan, { naming, fitLimits, now: clock.now() });
  const warnings: Warning[] = [];
  const warnedTexts = new Set(plan.warnings.map(textOfWarning));
  const warn = (warning: Warning): void => {
    if (warnedTexts.has(textOfWarning(warning))) return;
    warnedTexts.add(textOfWarning(warning));
    warnings.push(warning);
    context.events({ type: "warning", warning });
  };
  const pool = new WritePool({ concurrency, signal });
  const stored = new Map<RecordKey, JsonObject>();
  const writer = new JournaledWriter({ ...input, journal: memory.journal, present: plan.present, redact, signal });
  const writeContext = { writer, records, translation, warn, answers: stored, memory, unknown };
  await noteLooks(input, translation.ids);
  const report = (outcome: Outcome): void => context.events({ type: "outcome", outcome });
  const force = plan.mirror?.force === true;
  const remover = { client, writer, pool, report, force, identify: memory.identify };
  const [early, late] = partition(plan.mirror?.removals ?? [], isRemovedBeforeWrites);
  const first = await removeAll(early, new Set(), remover, context);
  const removedFirst = new Set(first.filter(isRemoved).map(targetKey));
  const ended = await writeAll({
    items: plan.items,
    pool,
    write: (item, step) => writeItem(item, step, writeContext),
    targetIdOf: ({ kind, sourceId }) => translation.ids.get(kind, sourceId),
    trialOf: (item) => trialOf(item, records.get(itemKey(item)), stored),
    isFree: ({ afterRemovals = [] }) => afterRemovals.every((key) => removedFirst.has(key)),
    report,
  });
  const done = new Set([...removedFirst, ...ended.filter(isWritten).map(targetKey)]);
  const unused = pool.stopped ? late : blockStillUsed(late, plan.items, ended);
  const outcomes = [...ended, ...first, ...(await removeAll(unused, done, remover, context))];
  const written = { stored, ids: translation.ids, outcomes, warnings, ...(pool.stopped && { stopped: pool.stopped }) };
  const checking = { ...input, stored, removedFirst, unchecked, journal: memory.journal, redact, warn };
  return await noteEnd(await checkTarget(written, checking, context), input);
}

/** Notes in the journal what the plan found equal on both sides. */
async function noteLooks({ plan, records, memory }: ApplyInput, ids: IdMap): Promise<void> {
  for (const item of plan.items) {
    const record = records.get(itemKey(item));
    const entry = record && seenEntry(item, record, ids, memory);
    if (entry !== undefined) await memory.journal.append(entry);
  }
}

function textOfWarning({ message, pointer }: Warning): string {
  return `${message} ${pointer}`;
}

/**
 * Writes the run's end to the journal; a run that was stopped has none, so that the next run goes on with it. If the line cannot be
 * written, the run counts as stopped; its outcomes are still reported.
 */
async function noteEnd(run: ImportResult, { memory, clock }: ApplyInput): Promise<ImportResult> {
  if (run.stopped) return run;
  const result = run.outcomes.some(leavesRunIncomplete) ? "incomplete" : "complete";
  try {
    await memory.journal.append({ type: "end", at: new Date(clock.now()).toISOString(), result });
    return run;
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { ...run, stopped: error };
  }
}
