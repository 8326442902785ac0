import { getOrMake } from "../../core/collections.ts";
import { isStoppedBeforeWrite, messageWithHint, StackError, StackferryError } from "../../core/errors.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { RecordKey } from "../../core/records/record.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { findKind } from "../../kinds/registry.ts";
import { itemKey, plannedOutcome, type PlanItem } from "../../core/plan/plan.ts";
import { TrialWrites, type Trial, type WriteResult } from "./trial-writes.ts";
import type { WriteEffect, WriteStep } from "./write-item.ts";
import pLimit from "p-limit";

export interface WriteAllInput {
  readonly items: readonly PlanItem[];
  readonly pool: WritePool;
  readonly write: (item: PlanItem, step: WriteStep) => Promise<WriteEffect>;
  readonly targetIdOf: (item: PlanItem) => string | undefined;
  /** Returns the trial that an item is, if nothing tells whether the target takes a record of its form. */
  readonly trialOf: (item: PlanItem) => Trial | undefined;
  /** Tells whether all records that must be deleted before this item are gone. */
  readonly isFree: (item: PlanItem) => boolean;
  /** Called as soon as the outcome of an item is final. */
  readonly report: (outcome: Outcome) => void;
}

const NOT_STARTED: WriteResult = {
  status: "planned",
  code: "not-started",
  message: "the run ended before this record was written",
};

/** The record is on the target, so it counts as written although the run ended before its second write. */
const NOT_LINKED: WriteResult = {
  status: "done",
  code: "link-failed",
  message: "the run ended before its links were set; the next run sets them",
};

const NOT_FREE: WriteResult = {
  status: "failed",
  action: "blocked",
  code: "dependency-failed",
  message:
    "an alert on a tile that this update removes could not be deleted first, so the server would delete it with the tile; delete or move that alert, and run again",
};

/** Codes of refusals that an id which the target does not know can cause. */
const REFUSALS: readonly (string | undefined)[] = ["rejected", "not-found"];

const LACKS_VITAL: WriteResult = {
  status: "failed",
  code: "not-stored",
  message: "was written, but the target dropped a part that the record needs; the warnings name it",
};

interface Run extends WriteAllInput {
  readonly byKey: ReadonlyMap<RecordKey, PlanItem>;
  /** For each item whose first write was requested: the result of this write. */
  readonly firstWrites: Map<RecordKey, Promise<WriteResult>>;
  /** For each item whose last write was requested (it adds the links): the result of this write. */
  readonly lastWrites: Map<RecordKey, Promise<WriteResult>>;
  readonly trials: TrialWrites;
  /** For each sort of write for which the key lacks the right: the server's refusal of the first one. */
  readonly forbidden: Map<string, string>;
}

/**
 * Writes each item after its dependencies; a second write adds its deferred links once their targets are written. The plan has no
 * cycle of dependencies, so no item waits for itself.
 */
export function writeAll(input: WriteAllInput): Promise<Outcome[]> {
  const { items, report } = input;
  const byKey = new Map(items.map((item) => [itemKey(item), item]));
  const begin = { firstWrites: new Map(), lastWrites: new Map(), forbidden: new Map() };
  const run: Run = { ...input, byKey, ...begin, trials: new TrialWrites() };
  return Promise.all(
    items.map(async (item) => {
      const outcome = { ...plannedOutcome(item), ...(await endOf(item, run)) };
      report(outcome);
      return outcome;
    }),
  );
}

function endOf(item: PlanItem, run: Run): Promise<WriteResult> {
  return getOrMake(run.lastWrites, itemKey(item), () => writeItemFully(item, run));
}

async function writeItemFully(item: PlanItem, run: Run): Promise<WriteResult> {
  if (item.action === "blocked") return { status: "failed" };
  if (item.action !== "create" && item.action !== "update") return { status: "done" };
  const first = await writeOnce(item, run);
  if (first.status !== "done" || item.linksTo.length === 0) return first;
  const missing = await firstUnwritten(item.linksTo, run);
  const linked = missing === undefined ? await attemptWrite(item, "link", run) : undefined;
  if (linked !== undefined && linked !== NOT_STARTED) return linked;
  if (missing === undefined || run.pool.stopped) return { ...first, ...NOT_LINKED };
  const message = `was written, but without its link to "${missing}", which could not be written; the next run that writes that record adds the link`;
  return { ...first, status: "failed", code: "link-failed", message };
}

function writeOnce(item: PlanItem, run: Run): Promise<WriteResult> {
  return getOrMake(run.firstWrites, itemKey(item), () => writeFirst(item, run));
}

async function writeFirst(item: PlanItem, run: Run): Promise<WriteResult> {
  if (!run.isFree(item)) return run.pool.stopped ? NOT_STARTED : NOT_FREE;
  const missing = await firstUnwritten(item.dependsOn, run);
  if (missing === undefined) {
    await awaitLinks(item, run);
    return run.trials.write(run.trialOf(item), () => attemptWrite(item, "first", run));
  }
  if (run.pool.stopped) return NOT_STARTED;
  const message = `needs "${missing}", which could not be written`;
  return { status: "failed", action: "blocked", code: "dependency-failed", message };
}

/**
 * Waits for the last write of the record that this item lives on, because that write can delete alerts (docs/api.md#tile-alerts).
 * Nothing references an alert, so there is no cycle of waits.
 */
async function awaitLinks({ kind, dependsOn }: PlanItem, run: Run): Promise<void> {
  const pointsInto = findKind(kind)?.references.some(({ within }) => within !== undefined) === true;
  if (!pointsInto) return;
  for (const key of dependsOn) {
    const needed = run.byKey.get(key);
    if (needed !== undefined && needed.linksTo.length > 0) await endOf(needed, run);
  }
}

/** Returns the name of the first of these records that could not be written; undefined if all were written. */
async function firstUnwritten(keys: readonly RecordKey[], run: Run): Promise<string | undefined> {
  for (const key of keys) {
    const needed = run.byKey.get(key);
    if (needed && (await writeOnce(needed, run)).status !== "done") return needed.name;
  }
  return undefined;
}

async function attemptWrite(item: PlanItem, step: WriteStep, run: Run): Promise<WriteResult> {
  const { pool, targetIdOf } = run;
  const end = await pool.run(() => writeIfAllowed(item, step, run));
  // The user stopped the run while this write was waiting for its turn, so it was never sent.
  if (end.status === "not-started" || (end.status === "failed" && isStoppedBeforeWrite(end.error))) return NOT_STARTED;
  const targetId = targetIdOf(item);
  const target = targetId === undefined ? {} : { targetId };
  if (end.status === "failed") return { ...withOtherWay(failedOutcome(end.error, pool), item), ...target };
  if (typeof end.value === "object") return { ...withOtherWay(end.value, item), ...target };
  if (end.value === "lacks-vital") return { ...LACKS_VITAL, ...target };
  return { status: "done", ...target, ...(end.value === "unchanged" && { action: "unchanged" }) };
}

/**
 * Adds what to do if the target refuses a record with an id that it does not list, or refuses to create any record of a kind, as a
 * service does whose sources belong to the platform.
 */
function withOtherWay(result: WriteResult, { action, kind, unverified = [] }: PlanItem): WriteResult {
  if (unverified.length > 0 && REFUSALS.includes(result.code)) {
    const ids = unverified.map(({ space, id }) => `${nounOf(space)} ${id}`).join(", ");
    return {
      ...result,
      message: `${result.message ?? "was refused"}; the target does not list ${ids}: is it right in the map file?`,
    };
  }
  const isRefused = action === "create" && (result.code === "forbidden" || result.code === "not-offered");
  if (!isRefused || findKind(kind)?.importPolicy.when !== "on-request") return result;
  const otherWay = `or leave ${kind} out of --create, and name one of the target's in a map file (--draft-map)`;
  return { ...result, message: `${result.message ?? "was refused"}; ${otherWay}` };
}

/** Sends a write. If the key lacks the right to such writes, only the first one is sent, and the result is that of the others. */
async function writeIfAllowed(
  item: PlanItem,
  step: WriteStep,
  { write, forbidden }: Run,
): Promise<WriteEffect | WriteResult> {
  const sort = `${step === "link" ? "update" : item.action} ${item.kind}`;
  const refusal = forbidden.get(sort);
  if (refusal !== undefined) {
    // A record whose link is not sent was created by the first write, so it is not blocked.
    const blocked = step === "first" ? ({ action: "blocked" } as const) : {};
    return { ...blocked, status: "failed", code: "forbidden", message: `was not sent, because ${refusal}` };
  }
  try {
    return await write(item, step);
  } catch (error) {
    if (isMissingRight(error)) forbidden.set(sort, messageWithHint(error));
    throw error;
  }
}

/** Tells whether the stack itself says that the key lacks a right. A firewall in front of the stack may refuse one record only. */
function isMissingRight(error: unknown): error is StackError {
  return error instanceof StackError && error.code === "forbidden" && error.failure.right !== undefined;
}

/** Returns the outcome of a failed write. The hint of the error that stops the run is printed at its end, with the error. */
export function failedOutcome(error: StackferryError, { stopped }: Pick<WritePool, "stopped">) {
  const message = error === stopped ? error.message : messageWithHint(error);
  return { status: "failed", code: error.code, message } as const;
}

/**
 * Number of consecutive failures of the stack itself after which the run is aborted (exit 6). Each failed request has already been
 * retried.
 */
const MAX_FAILED_IN_A_ROW = 5;
/**
 * Number of writes under way per allowed request: while one response is awaited, the next record is prepared. The client itself
 * limits the requests.
 */
const WRITES_PER_REQUEST = 2;
/** Codes of errors of the stack itself, as opposed to a refusal of the record. */
const STACK_FAILURES: readonly string[] = ["unavailable", "unreachable", "protocol"];
/** Codes of errors after which no other record could be written either. */
const FATAL_ERRORS: readonly string[] = [
  "unauthorized",
  "rate-limited",
  "interrupted",
  "archive-damaged",
  "archive-io",
  "journal",
];

export interface WritePoolOptions {
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

export type PoolResult<Value> =
  | { readonly status: "done"; readonly value: Value }
  | { readonly status: "not-started" }
  | { readonly status: "failed"; readonly error: StackferryError };

/** Runs writes, a limited number at a time, until the run has to stop. Writes that have begun by then are finished. */
export class WritePool {
  /** The reason why no new write is started; undefined while the run goes on. */
  stopped: StackferryError | undefined;
  #failedInARow = 0;
  readonly #options: WritePoolOptions;
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(options: WritePoolOptions) {
    this.#options = options;
    this.#limit = pLimit(options.concurrency * WRITES_PER_REQUEST);
  }

  run<Value>(write: () => Promise<Value>): Promise<PoolResult<Value>> {
    return this.#limit(async () => {
      if (this.#options.signal?.aborted) this.stopped ??= new StackferryError("interrupted", "the run was interrupted");
      if (this.stopped) return { status: "not-started" };
      try {
        const value = await write();
        this.#failedInARow = 0;
        return { status: "done", value };
      } catch (error) {
        if (!(error instanceof StackferryError)) throw error;
        if (this.#mustStop(error)) this.stopped ??= error;
        return { status: "failed", error };
      }
    });
  }

  #mustStop(error: StackferryError): boolean {
    this.#failedInARow += STACK_FAILURES.includes(error.code) ? 1 : 0;
    if (this.#failedInARow >= MAX_FAILED_IN_A_ROW) return true;
    // The client has already retried. If none of its requests reached the stack, the next request would not reach it either. After
    // a lost response, the next request may work.
    const neverReached = error.code === "unreachable" && error instanceof StackError && error.failure.applied === "no";
    return neverReached || FATAL_ERRORS.includes(error.code);
  }
}
