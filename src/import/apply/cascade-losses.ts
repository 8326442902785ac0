import { partition } from "../../core/collections.ts";
import { foldedKey, foldedTargetKey } from "../../references/known-ids.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { Journal, JournalEntry } from "../../core/plan/journal.ts";
import type { Outcome } from "../../core/outcome.ts";
import { keyOfRecord, splitKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import type { CascadeLoss } from "../../journal/replay.ts";
import { findKind, knownKind } from "../../kinds/registry.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { redactName } from "../../redaction/redact-names.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import { pollUntilListed, type ListReadOptions } from "./verify.ts";

export interface CascadeLossInput extends ListReadOptions {
  /** Records that were on the target before the run, that nobody asked to delete, and that an update could delete. */
  readonly before: readonly StackRecord[];
  /** Records of `before` that reference a hidden child: no rollback can restore them (docs/api.md#hidden-tiles). */
  readonly onHidden: ReadonlySet<RecordKey>;
  /** Records that may have been lost in an earlier run: that run was stopped before it could check them. */
  readonly unchecked: readonly CascadeLoss[];
  readonly journal: Journal;
  readonly redact: Redactor;
  /** How long, in milliseconds, a stopped run still checks for losses. */
  readonly graceMs?: number;
  /** The part of a message that says how to restore a lost record; by default, with a rollback. */
  readonly restoredBy?: string;
}

/** A run with its outcomes so far. */
interface Run {
  readonly outcomes: readonly Outcome[];
  readonly stopped?: StackferryError;
}

/** Longer than the delay of the target's lists, and shorter than schedulers wait between SIGTERM and SIGKILL. */
const GRACE_MS = 15_000;

const LOST = "was deleted by the server when the record that it points to was updated";
const HIDDEN_LOST =
  "was on the target, on a tile that the API does not show; the update deleted both, and no rollback can restore them: create them again by hand";
const NOT_CHECKED =
  "the server may have deleted it when the record that it points to was updated; the run ended before it could check this, and the next run checks";
const HIDDEN_NOT_CHECKED =
  "the server may have deleted it with its tile, which the API does not show; the run ended before it could check this, and the next run checks; no rollback can restore it";

/**
 * Adds an outcome for each record that the server deleted because of the run's updates. After a stopped run, the check may take
 * only a short time. Records that the check did not reach are `not-checked`; the journal notes them for the next run.
 */
export async function reportCascadeLosses<Result extends Run>(
  run: Result,
  input: CascadeLossInput,
  context: RunContext,
): Promise<Result> {
  const isStopped = context.signal?.aborted === true;
  const watched = await watchedRecords(input);
  if (watched.length === 0) return run;
  const { onHidden, restoredBy = "a rollback restores it" } = input;
  try {
    const lost = await checkWatched(watched, isStopped, input, context);
    const outcomes = lost.map((each) =>
      onHidden.has(each.key)
        ? outcomeOf(each, "failed", "hidden-lost", HIDDEN_LOST)
        : outcomeOf(each, "failed", "cascade-loss", `${LOST}; ${restoredBy}`),
    );
    return withOutcomes(run, outcomes, context);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    const stopped = run.stopped ?? error;
    // The user stopped the run during this check, so the check starts again with the rules for a stopped run.
    if (!isStopped && context.signal?.aborted) return reportCascadeLosses({ ...run, stopped }, input, context);
    const notNoted = isStopped ? undefined : await failureOf(journalRecords("at-risk", watched, input));
    const outcomes = watched.map((each) => {
      const loss = onHidden.has(each.key) ? HIDDEN_NOT_CHECKED : `${NOT_CHECKED}, and ${restoredBy}`;
      return outcomeOf(each, "planned", "not-checked", loss);
    });
    return { ...withOutcomes(run, outcomes, context), stopped: run.stopped ?? notNoted ?? error };
  }
}

/** Finds the lost records, and journals the result of the check. */
async function checkWatched(
  watched: readonly Watched[],
  isStopped: boolean,
  input: CascadeLossInput,
  context: RunContext,
): Promise<readonly Watched[]> {
  // The journal entry comes first, because the user may kill the process before the check ends.
  if (isStopped) await journalRecords("at-risk", watched, input);
  const [presentRecords, lostRecords] = isStopped
    ? await inGrace(input.graceMs ?? GRACE_MS, (signal) => findLosses(watched, input, { ...context, signal }))
    : await findLosses(watched, input, context);
  await journalRecords("cascade-loss", lostRecords, input);
  await journalRecords("found", isStopped ? presentRecords : presentRecords.filter(({ isOpen }) => isOpen), input);
  return lostRecords;
}

/** A record that must still be on the target after the run. */
interface Watched {
  readonly record: StackRecord;
  readonly key: RecordKey;
  /** True if the record may have been lost in an earlier run; its body is then from the journal. */
  readonly isOpen: boolean;
}

/** Lists the records at risk. Their names are redacted, because they are only shown and journalled. */
async function watchedRecords({ before, unchecked, redact }: CascadeLossInput): Promise<Watched[]> {
  const watched = new Map<string, Watched>();
  for (const { key, name, body } of unchecked) {
    const [kind, id] = splitKey(key);
    // The journal may come from another version of the program, with a kind that this version does not know.
    if (findKind(kind) === undefined) continue;
    const record = { kind, id, name, body };
    watched.set(foldedKey(record.kind, record.id), { record, key, isOpen: true });
  }
  for (const record of before) {
    watched.set(foldedKey(record.kind, record.id), { record, key: keyOfRecord(record), isOpen: false });
  }
  const redacted: Watched[] = [];
  for (const each of watched.values()) {
    redacted.push({ ...each, record: { ...each.record, name: await redactName(each.record, redact) } });
  }
  return redacted;
}

/**
 * Runs the check of a stopped run. The check gets a signal that fires when the grace time is over, because the user's signal has
 * already fired.
 */
async function inGrace<Result>(graceMs: number, check: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const abortCheck = (): void => controller.abort(new StackferryError("interrupted", "the run was interrupted"));
  const timer = setTimeout(abortCheck, graceMs);
  try {
    return await check(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Parts the records that are still there from those that the server deleted, for example an alert whose tile changed to a type
 * without alerts (docs/api.md#tile-alerts).
 */
async function findLosses(
  watched: readonly Watched[],
  input: CascadeLossInput,
  context: RunContext,
): Promise<[presentRecords: Watched[], lostRecords: Watched[]]> {
  const found = await pollUntilListed(
    watched.map(({ record }) => record),
    input,
    context,
  );
  const contents = new Set([...found.values()].map(contentOf));
  // A record that an earlier run lost may exist again under another id.
  const isThere = ({ record, isOpen }: Watched): boolean =>
    found.has(foldedKey(record.kind, record.id)) || (isOpen && contents.has(contentOf(record)));
  return partition(watched, isThere);
}

function contentOf({ kind: name, body }: StackRecord): string {
  return `${name} ${recordFingerprint(knownKind(name), body)}`;
}

/** Journals the results of the check, with the body of each record that may be lost, for a rollback. */
async function journalRecords(
  type: "at-risk" | "cascade-loss" | "found",
  watched: readonly Watched[],
  { journal, clock, redact }: CascadeLossInput,
): Promise<void> {
  const at = new Date(clock.now()).toISOString();
  for (const { key, record } of watched) {
    const { kind, name, body } = record;
    const entry: JournalEntry =
      type === "found" ? { type, at, key } : { type, at, key, name, body: (await redact(knownKind(kind), body)).body };
    await journal.append(entry);
  }
}

async function failureOf(done: Promise<void>): Promise<StackferryError | undefined> {
  try {
    await done;
    return undefined;
  } catch (error) {
    if (error instanceof StackferryError) return error;
    throw error;
  }
}

function outcomeOf({ record }: Watched, status: Outcome["status"], code: string, loss: string): Outcome {
  const { kind, id, name, displayName } = record;
  const message = `the ${nounOf(kind)} ${loss}`;
  const shown = displayName === undefined ? {} : { displayName };
  return { kind, name, ...shown, sourceId: id, targetId: id, action: "skip", status, code, message };
}

function withOutcomes<Result extends Run>(run: Result, outcomes: readonly Outcome[], { events }: RunContext): Result {
  for (const outcome of outcomes) events({ type: "outcome", outcome });
  return { ...run, outcomes: withEnds(run.outcomes, outcomes) };
}

/**
 * Replaces the outcomes of the checked records by the results of the check. The result `not-checked` does not replace the outcome
 * of an update, because the update proves that the record exists. Nor does it replace the outcome of a record that was not written.
 */
function withEnds(outcomes: readonly Outcome[], results: readonly Outcome[]): readonly Outcome[] {
  const endByKey = new Map(results.map((outcome) => [foldedTargetKey(outcome), outcome]));
  const merged = outcomes.map((outcome): Outcome => {
    const end = endByKey.get(foldedTargetKey(outcome));
    if (end === undefined) return outcome;
    endByKey.delete(foldedTargetKey(outcome));
    const isBetter = end.code === "not-checked" && (outcome.status !== "done" || outcome.action === "update");
    return isBetter ? outcome : { ...end, sourceId: outcome.sourceId, name: outcome.name };
  });
  return [...merged, ...endByKey.values()];
}
