import pLimit from "p-limit";
import { getOrMake } from "../../core/collections.ts";
import { isStoppedBeforeWrite, messageWithHint, StackError, StackferryError } from "../../core/errors.ts";
import type { Outcome } from "../../core/outcome.ts";
import { plannedOutcome } from "../../core/plan/plan.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Operation, OperationGraph, OperationResult, PlannedOperations } from "./operations.ts";

/** A form of records that the target may not take. Only a write can tell, so the first record of the form is sent alone. */
export interface Trial {
  readonly form: string;
  /**
   * Returns the result for the other records of the form, which are then not sent, if the target does not take the
   * form; otherwise undefined. @param end the result of the first record
   */
  readonly verdict: (end: OperationResult) => OperationResult | undefined;
}

export interface OperationRun {
  /** Carries out an operation whose needs are met. */
  readonly carryOut: (operation: Operation) => Promise<OperationResult>;
  /** Returns the trial for an operation whose record has a form that the target may not take. */
  readonly trialOf: (operation: Operation) => Trial | undefined;
  /** Called as soon as the outcome of an item is final. */
  readonly report: (outcome: Outcome) => void;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

/** The outcomes of all items and removals of a plan. */
export interface OperationsEnd {
  readonly outcomes: readonly Outcome[];
  /** The error after which no new operation was begun. */
  readonly stopped?: StackferryError;
}

/** Carries out the operations of a plan, a few at a time, until an error stops the run. Operations that have begun are finished. */
export async function runOperations(graph: OperationGraph, run: OperationRun): Promise<OperationsEnd> {
  const walk = new Walk(graph, run);
  const deletedFirst: Outcome[] = [];
  for (const stage of graph.deletesFirst) deletedFirst.push(...(await walk.runStage(stage)));
  const written = await walk.runStage(graph.writes);
  const deletedLast: Outcome[] = [];
  for (const stage of graph.deletesLast) deletedLast.push(...(await walk.runStage(stage)));
  const outcomes = [...written, ...deletedFirst, ...deletedLast];
  return walk.stopped === undefined ? { outcomes } : { outcomes, stopped: walk.stopped };
}

/**
 * Number of failures of the stack itself, without a success in between, after which the run ends (exit 6). Each failed
 * request has been retried before.
 */
const MAX_FAILED_IN_A_ROW = 5;
/**
 * Number of operations under way per allowed request: while one response is awaited, the next record is prepared. The client itself
 * limits the requests.
 */
const OPERATIONS_PER_REQUEST = 2;
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

class Walk {
  /** The reason why no new operation is begun; undefined while the run goes on. */
  stopped: StackferryError | undefined;
  #failedInARow = 0;
  readonly #run: OperationRun;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #byId: ReadonlyMap<string, Operation>;
  readonly #ends = new Map<string, Promise<OperationResult>>();
  /** For each form on trial: the first operation, which is sent alone. */
  readonly #trials = new Map<string, { readonly trial: Trial; readonly end: Promise<OperationResult> }>();
  /** For each sort of write for which the key lacks the right: the server's first refusal. */
  readonly #forbidden = new Map<string, string>();

  constructor({ deletesFirst, writes, deletesLast }: OperationGraph, run: OperationRun) {
    this.#run = run;
    this.#limit = pLimit(run.concurrency * OPERATIONS_PER_REQUEST);
    const all = [...deletesFirst, writes, ...deletesLast].flatMap((stage) =>
      stage.flatMap(({ operations }) => operations),
    );
    this.#byId = new Map(all.map((operation) => [operation.id, operation]));
  }

  runStage(stage: readonly PlannedOperations[]): Promise<Outcome[]> {
    return Promise.all(
      stage.map(async ({ item, operations }) => {
        let outcome: Outcome = { ...plannedOutcome(item), status: item.action === "blocked" ? "failed" : "done" };
        for (const operation of operations) outcome = { ...outcome, ...(await this.#endOf(operation)) };
        this.#run.report(outcome);
        return outcome;
      }),
    );
  }

  #endOf(operation: Operation): Promise<OperationResult> {
    return getOrMake(this.#ends, operation.id, () => this.#await(operation));
  }

  async #await(operation: Operation): Promise<OperationResult> {
    for (const { id, otherwise } of operation.needs) {
      const needed = this.#byId.get(id);
      const end = needed && (await this.#endOf(needed));
      if (end?.status === "done") continue;
      if (otherwise === undefined) return end ?? operation.notStarted;
      return this.stopped === undefined ? otherwise : operation.notStarted;
    }
    for (const id of operation.after) {
      const earlier = this.#byId.get(id);
      if (earlier !== undefined) await this.#endOf(earlier);
    }
    return this.#afterTrial(operation);
  }

  async #afterTrial(operation: Operation): Promise<OperationResult> {
    const trial = this.#run.trialOf(operation);
    if (trial === undefined) return this.#inTurn(operation);
    const first = this.#trials.get(trial.form);
    if (first !== undefined) return first.trial.verdict(await first.end) ?? this.#inTurn(operation);
    const end = this.#inTurn(operation);
    this.#trials.set(trial.form, { trial, end });
    return end;
  }

  #inTurn(operation: Operation): Promise<OperationResult> {
    return this.#limit(async () => {
      if (this.#run.signal?.aborted) this.stopped ??= new StackferryError("interrupted", "the run was interrupted");
      if (this.stopped) return operation.notStarted;
      const sort = `${operation.write === "link" ? "update" : operation.write} ${operation.item.kind}`;
      const refusal = this.#forbidden.get(sort);
      if (refusal !== undefined) return wasNotSent(operation, refusal);
      try {
        const end = await this.#run.carryOut(operation);
        this.#failedInARow = 0;
        return end;
      } catch (error) {
        if (!(error instanceof StackferryError)) throw error;
        if (isMissingRight(error)) this.#forbidden.set(sort, messageWithHint(error));
        if (this.#mustStop(error)) this.stopped ??= error;
        // The user stopped the run while this write was waiting for its turn, so it was never sent.
        return isStoppedBeforeWrite(error) ? operation.notStarted : this.#failed(operation, error);
      }
    });
  }

  /** Returns the result of a failed write. If its error stops the run, the hint is left out, because the end of the run prints it. */
  #failed(operation: Operation, error: StackferryError): OperationResult {
    const message = error === this.stopped ? error.message : messageWithHint(error);
    return withOtherWay({ status: "failed", code: error.code, message }, operation);
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

/** Returns the result of a write that is not sent, because the key lacks the right for this sort of write. */
function wasNotSent({ write }: Operation, refusal: string): OperationResult {
  // A record whose link is not sent was written by the first write, so it is not blocked.
  const blocked = write === "link" ? {} : ({ action: "blocked" } as const);
  return { ...blocked, status: "failed", code: "forbidden", message: `was not sent, because ${refusal}` };
}

/** Tells whether the stack itself says that the key lacks a right. A firewall in front of the stack may refuse only one record. */
function isMissingRight(error: unknown): error is StackError {
  return error instanceof StackError && error.code === "forbidden" && error.failure.right !== undefined;
}

/** Adds advice to a refused create of an on-request kind: some services own their sources, and let no key create any. */
function withOtherWay(result: OperationResult, operation: Operation): OperationResult {
  if (operation.write === "delete") return result;
  const { action, kind } = operation.item;
  const { code, message = "was refused" } = result;
  const isRefused = action === "create" && (code === "forbidden" || code === "not-offered");
  if (!isRefused || findKind(kind)?.importPolicy.when !== "on-request") return result;
  const otherWay = `or leave ${kind} out of --create, and name one of the target's in a map file (--draft-map)`;
  return { ...result, message: `${message}; ${otherWay}` };
}
