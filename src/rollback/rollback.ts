import { getOrMake } from "../core/collections.ts";
import type { StackferryError } from "../core/errors.ts";
import type { RunContext, RunEvent } from "../core/events.ts";
import type { Journal } from "../core/plan/journal.ts";
import { applyPlan, type ApplyInput } from "../import/apply/apply-plan.ts";
import type { SettledHistory } from "../import/read/settle-open-writes.ts";
import { numberOfNextRun } from "../journal/fold.ts";
import type { Outcome, Warning } from "../core/outcome.ts";
import { itemKey, plannedOutcomes, type Plan } from "../core/plan/plan.ts";
import { keyOfRecord, splitKey, type KindName, type RecordKey, type StackRecord } from "../core/records/record.ts";
import { planRecords, type PlanInput } from "../import/plan/plan-import.ts";
import { NO_SECRETS } from "../import/read/fill-records.ts";
import { findKind, kinds, kindsOnRequest } from "../kinds/registry.ts";
import type { PlanOptions } from "../matching/plan-options.ts";
import { findReferences } from "../references/references.ts";
import { beforeImages, type BeforeImages } from "./before-images.ts";
import { rollbackOutcome, warningsOf, warnOfLaterRuns, type RunToUndo } from "./outcomes.ts";

export interface RollbackInput extends RunToUndo, Pick<PlanOptions, "acceptHiddenLoss" | "fitLimits" | "now"> {}

interface RollbackFacts extends Pick<BeforeImages, "restored" | "bases" | "left" | "journalKeys"> {
  readonly plan: Plan;
  readonly records: ReadonlyMap<RecordKey, StackRecord>;
}

/** An import of what the run replaced or deleted, and a mirror that deletes what the run created. */
export interface PlannedRollback extends RollbackFacts {
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
}

/** Sends no request. A created record that others use (`in-use`) stays, even if forced. */
export async function planRollback(input: RollbackInput, signal?: AbortSignal): Promise<PlannedRollback> {
  const images = beforeImages(input);
  const { restored, bases, left, journalKeys } = images;
  const records = new Map(images.records.map((record) => [keyOfRecord(record), record]));
  const plan = withoutLooks(await planRecords(planInputOf(input, images), signal));
  const facts = { plan, records, restored, bases, left, journalKeys };
  const planned = left.map((outcome): Outcome => ({ ...outcome, status: "planned" }));
  const outcomes = [...outcomesOfRollback(plannedOutcomes(plan), facts), ...planned];
  return { ...facts, outcomes, warnings: [...warningsOf(plan, records, input), ...warnOfLaterRuns(outcomes, input)] };
}

/** Drops `seen`: a comparison with an image settles nothing between the source and the target. */
function withoutLooks(plan: Plan): Plan {
  return { ...plan, items: plan.items.map(({ seen: _seen, ...item }) => item) };
}

function planInputOf(
  { history, inventory, force, acceptHiddenLoss = false, fitLimits = false, now }: RollbackInput,
  { records, restored, bases, created, journalKeys, isMadeAgain }: BeforeImages,
): PlanInput {
  const asked = new Set([...restored, ...created.keys()]);
  const involved = [...new Set([...asked].map((key) => splitKey(key)[0]))];
  const unknownCreates = new Map(
    [...journalKeys].flatMap(([key, journalKey]) => {
      const why = history.unknownCreates.get(journalKey);
      return why === undefined ? [] : [[key, why] as const];
    }),
  );
  const everything = new Set(kinds.map(({ name }) => name));
  const options: PlanOptions = {
    onConflict: force ? "overwrite" : "keep",
    kinds: involved,
    create: kindsOnRequest.map(({ name }) => name).filter((name) => involved.includes(name)),
    filter: { include: [], exclude: [], keys: asked },
    mapping: unlistedIds(records, inventory),
    fitLimits,
    acceptHiddenLoss,
    now,
  };
  return {
    records,
    source: inventory.stack,
    inventory: { ...inventory, shownBefore: records },
    options,
    isMadeAgain,
    lastWrites: history.lastWrites,
    bases,
    missing: created,
    unknownCreates,
    suppliedSecrets: NO_SECRETS,
    whole: new Set([...inventory.kinds].flatMap(([name, { status }]) => (status === "complete" ? [name] : []))),
    mirror: { scope: "ours", hasJournal: true, whole: everything, takesEdited: force },
  };
}

/** Maps each id of a kind without a complete list to itself, because the records are the target's own. */
function unlistedIds(
  records: readonly StackRecord[],
  { kinds: lists }: RollbackInput["inventory"],
): PlanOptions["mapping"] {
  const ids = new Map<KindName, { [id: string]: string }>();
  for (const { kind: name, body } of records) {
    const kind = findKind(name);
    if (kind === undefined) continue;
    for (const { space, id } of findReferences(kind, body, new Map())) {
      const isListed = space.includes("/") || lists.get(space)?.status === "complete";
      if (!isListed) getOrMake(ids, space, (): { [id: string]: string } => ({}))[id] = id;
    }
  }
  return Object.fromEntries(ids);
}

function outcomesOfRollback(
  outcomes: readonly Outcome[],
  { plan, restored, bases, journalKeys }: RollbackFacts,
): Outcome[] {
  const other = new Set(plan.items.map(itemKey).filter((key) => !restored.has(key)));
  return outcomes.flatMap((outcome): Outcome[] => {
    const key = itemKey(outcome);
    // This rollback does not restore the other records.
    if (other.has(key)) return [];
    const journalKey = journalKeys.get(key);
    const named = rollbackOutcome(outcome, bases.has(key));
    return [journalKey === undefined ? named : { ...named, sourceId: splitKey(journalKey)[1] }];
  });
}

export interface ApplyRollbackInput
  extends
    RollbackFacts,
    Pick<ApplyInput, "client" | "inventory" | "clock" | "concurrency" | "consistencyWaitMs" | "fitLimits"> {
  readonly journal: Journal;
  readonly history: SettledHistory;
  readonly undoes: number;
  readonly highestRun: number;
}

export interface AppliedRollback {
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
  readonly stopped?: StackferryError;
}

/** The journal's new lines use the keys that its earlier lines have for the records. */
export async function applyRollback(input: ApplyRollbackInput, context: RunContext): Promise<AppliedRollback> {
  const { journal, left, bases, journalKeys, history, undoes, highestRun, clock } = input;
  const at = new Date(clock.now()).toISOString();
  await journal.append({ type: "begin", at, run: numberOfNextRun(history, undoes, highestRun), undoes });
  for (const entry of history.recovered) await journal.append(entry);
  for (const outcome of left) context.events({ type: "outcome", outcome });
  const events = (event: RunEvent): void => {
    if (event.type !== "outcome") return context.events(event);
    for (const outcome of outcomesOfRollback([event.outcome], input)) context.events({ ...event, outcome });
  };
  const identify = (key: RecordKey): RecordKey => journalKeys.get(key) ?? key;
  const memory = { journal, bases, identify, keepsChildren: true, formerNames: new Map() };
  const applied = await applyPlan({ ...input, memory }, { ...context, events });
  const outcomes = [...outcomesOfRollback(applied.outcomes, input), ...left];
  return { outcomes, warnings: applied.warnings, stopped: applied.stopped };
}
