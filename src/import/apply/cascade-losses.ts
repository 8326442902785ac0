import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { Journal, JournalEntry } from "../../core/plan/journal.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { CascadeLoss } from "../../journal/replay.ts";
import { nounOf, findKind, knownKind } from "../../kinds/registry.ts";
import { redactName } from "../../redaction/names.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import type { ListReadOptions } from "./verify.ts";
import { pollUntilListed, listedKey } from "./verify.ts";

export interface CascadeLossInput extends ListReadOptions {
  /**
   * Records that were on the target before the run, that nobody asked to delete, and that the server could delete because of an
   * update.
   */
  readonly before: readonly StackRecord[];
  /**
   * Records of `before` that reference a child which no answer shows: no rollback can restore them (docs/api.md#hidden-tiles).
   */
  readonly onHidden: ReadonlySet<RecordKey>;
  /** Records that may have been lost in an earlier run: that run was stopped before it could check them. */
  readonly unchecked: readonly CascadeLoss[];
  readonly journal: Journal;
  readonly redact: Redactor;
  /** How long, in milliseconds, a stopped run still checks for losses. */
  readonly graceMs?: number;
}

/** A run with its outcomes so far. */
interface Run {
  readonly outcomes: readonly Outcome[];
  readonly stopped?: StackferryError;
}

/**
 * Default of `graceMs`: longer than the delay of the target's lists, and shorter than the time that schedulers wait between SIGTERM
 * and SIGKILL.
 */
const GRACE_MS = 15_000;

const LOST = {
  action: "skip",
  status: "failed",
  code: "cascade-loss",
  message: "was deleted by the server when the record that it points to was updated; a rollback restores it",
} as const;

const HIDDEN_LOST = {
  ...LOST,
  code: "hidden-lost",
  message:
    "was on the target, on a tile that the API does not show; the update deleted both, and no rollback can restore them: create them again by hand",
} as const;

const NOT_CHECKED = {
  action: "skip",
  status: "planned",
  code: "not-checked",
  message:
    "may have been deleted by the server when the record that it points to was updated: the run ended before it could check; the next run checks, and a rollback restores it",
} as const;

const HIDDEN_NOT_CHECKED = {
  ...NOT_CHECKED,
  message:
    "may have been deleted by the server with its tile, which the API does not show: the run ended before it could check; the next run checks, and no rollback can restore it",
} as const;

/**
 * Adds an outcome for each record that the server deleted because of the run's updates. Sends no request if no record was at risk.
 * After a stopped run, the check may take only a short time; records that could not be checked are reported (`not-checked`) and
 * noted in the journal for the next run.
 */
export async function reportCascadeLosses<Result extends Run>(
  run: Result,
  input: CascadeLossInput,
  context: RunContext,
): Promise<Result> {
  const isStopped = context.signal?.aborted === true;
  const watched = await watchedRecords(input);
  if (watched.length === 0) return run;
  const withOutcomes = (outcomes: readonly Outcome[]): Result => {
    for (const outcome of outcomes) context.events({ type: "outcome", outcome });
    return { ...run, outcomes: withEnds(run.outcomes, outcomes) };
  };
  try {
    // The journal entry comes first, because the user may kill the process before the check ends.
    if (isStopped) await journalRecords("at-risk", watched, input);
    using grace = isStopped ? inGrace(context, input.graceMs) : withoutEnd(context);
    const { lostRecords, presentRecords } = await findLosses(watched, input, grace.context);
    await journalRecords("cascade-loss", lostRecords, input);
    await journalRecords("found", isStopped ? presentRecords : presentRecords.filter(({ isOpen }) => isOpen), input);
    return withOutcomes(
      lostRecords.map((record) => outcomeOf(record, input.onHidden.has(record.key) ? HIDDEN_LOST : LOST)),
    );
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    const stopped = run.stopped ?? error;
    // The user stopped the run during this check, so the check starts again with the rules for a stopped run.
    if (!isStopped && context.signal?.aborted) return reportCascadeLosses({ ...run, stopped }, input, context);
    const notNoted = isStopped ? undefined : await failureOf(journalRecords("at-risk", watched, input));
    const reported = withOutcomes(
      watched.map((record) => outcomeOf(record, input.onHidden.has(record.key) ? HIDDEN_NOT_CHECKED : NOT_CHECKED)),
    );
    return { ...reported, stopped: run.stopped ?? notNoted ?? error };
  }
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
    const kind = key.slice(0, key.indexOf("/"));
    // The journal may come from another version of the program, with a kind that this version does not know.
    if (findKind(kind) === undefined) continue;
    const record = { kind, id: key.slice(kind.length + 1), name, body };
    watched.set(listedKey(record), { record, key, isOpen: true });
  }
  for (const record of before) {
    watched.set(listedKey(record), { record, key: recordKey(record.kind, record.id), isOpen: false });
  }
  const redacted: Watched[] = [];
  for (const each of watched.values()) {
    redacted.push({ ...each, record: { ...each.record, name: await redactName(each.record, redact) } });
  }
  return redacted;
}

interface Grace extends Disposable {
  readonly context: RunContext;
}

function withoutEnd(context: RunContext): Grace {
  return { context, [Symbol.dispose]: () => {} };
}

/** Makes a context whose signal fires when the grace time is over, because the user's own signal has already fired. */
function inGrace({ events }: RunContext, graceMs = GRACE_MS): Grace {
  const controller = new AbortController();
  const abortCheck = (): void => controller.abort(new StackferryError("interrupted", "the run was interrupted"));
  const timer = setTimeout(abortCheck, graceMs);
  return { context: { events, signal: controller.signal }, [Symbol.dispose]: () => clearTimeout(timer) };
}

/**
 * Checks whether the server deleted records that the run was to keep. For example, the server deletes an alert when the tile of the
 * alert changes to a type without alerts (docs/api.md#tile-alerts).
 */
async function findLosses(
  watched: readonly Watched[],
  input: CascadeLossInput,
  context: RunContext,
): Promise<{ readonly lostRecords: readonly Watched[]; readonly presentRecords: readonly Watched[] }> {
  const found = await pollUntilListed(
    watched.map(({ record }) => record),
    input,
    context,
  );
  const contents = new Set([...found.values()].map(contentOf));
  // A record that an earlier run lost may have been created again since, under another id.
  const isThere = ({ record, isOpen }: Watched): boolean =>
    found.has(listedKey(record)) || (isOpen && contents.has(contentOf(record)));
  return { lostRecords: watched.filter((record) => !isThere(record)), presentRecords: watched.filter(isThere) };
}

function contentOf({ kind: name, body }: StackRecord): string {
  return `${name} ${recordFingerprint(knownKind(name), body)}`;
}

/**
 * Writes the results of the check to the journal, with the body of each record that may be lost, so that a rollback can restore
 * it.
 */
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

function outcomeOf({ record }: Watched, end: Pick<Outcome, "action" | "status" | "code" | "message">): Outcome {
  const { kind, id, name } = record;
  return { kind, name, sourceId: id, targetId: id, ...end, message: `the ${nounOf(kind)} ${end.message}` };
}

/**
 * Merges the results of the check into the outcomes. If a lost record already has an outcome, because the archive contains it, the
 * result replaces this outcome. `not-checked` does not replace the outcome of an update, because the update proves that the record
 * exists, nor the outcome of a record that was not written.
 */
function withEnds(outcomes: readonly Outcome[], ends: readonly Outcome[]): readonly Outcome[] {
  const keyOf = ({ kind, targetId = "" }: Outcome): string => listedKey({ kind, id: targetId });
  const endByKey = new Map(ends.map((outcome) => [keyOf(outcome), outcome]));
  const merged = outcomes.map((outcome): Outcome => {
    const end = endByKey.get(keyOf(outcome));
    if (end === undefined) return outcome;
    endByKey.delete(keyOf(outcome));
    const isBetter = end.code === "not-checked" && (outcome.status !== "done" || outcome.action === "update");
    return isBetter ? outcome : { ...end, sourceId: outcome.sourceId, name: outcome.name };
  });
  return [...merged, ...endByKey.values()];
}
