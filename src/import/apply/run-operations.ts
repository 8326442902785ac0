import pLimit from "p-limit";
import { getOrMake } from "../../core/collections.ts";
import { isStoppedBeforeWrite, messageWithHint, StackError, StackferryError } from "../../core/errors.ts";
import type { Outcome } from "../../core/outcome.ts";
import { plannedOutcome } from "../../core/plan/plan.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Operation, OperationGraph, OperationResult, PlannedOperations } from "./operations.ts";

/** The target may refuse all records of one form, so the first record is sent alone. */
export interface Trial {
  readonly form: string;
  /** The result for the other records of the form, which are then not sent; undefined if the target takes the form. */
  readonly verdict: (end: OperationResult) => OperationResult | undefined;
}

export interface OperationRun {
  readonly carryOut: (operation: Operation) => Promise<OperationResult>;
  readonly trialOf: (operation: Operation) => Trial | undefined;
  readonly report: (outcome: Outcome) => void;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

export interface OperationsEnd {
  readonly outcomes: readonly Outcome[];
  readonly stopped?: StackferryError;
}

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

/** This many failures of the stack in a row end the run (exit 6). */
const MAX_FAILED_IN_A_ROW = 5;
/** The next record is prepared while a response is awaited. The client itself limits the requests. */
const OPERATIONS_PER_REQUEST = 2;
/** The stack itself fails, and does not refuse the record. */
const STACK_FAILURES: readonly string[] = ["unavailable", "unreachable", "protocol"];
/** After these errors, no other record could be written either. */
const FATAL_ERRORS: readonly string[] = [
  "unauthorized",
  "rate-limited",
  "interrupted",
  "archive-damaged",
  "archive-io",
  "journal",
];

class Walk {
  stopped: StackferryError | undefined;
  #failedInARow = 0;
  readonly #run: OperationRun;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #byId: ReadonlyMap<string, Operation>;
  readonly #ends = new Map<string, Promise<OperationResult>>();
  readonly #trials = new Map<string, { readonly trial: Trial; readonly end: Promise<OperationResult> }>();
  /** For each sort of write for which the key lacks the right: the server's refusal. */
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
        return isStoppedBeforeWrite(error) ? operation.notStarted : this.#failed(operation, error);
      }
    });
  }

  /** Leaves out the hint of the error that stopped the run: the hint is printed once, at the end. */
  #failed(operation: Operation, error: StackferryError): OperationResult {
    const message = error === this.stopped ? error.message : messageWithHint(error);
    return { status: "failed", code: error.code, message: `${message}${otherWay(operation, error)}` };
  }

  #mustStop(error: StackferryError): boolean {
    this.#failedInARow += STACK_FAILURES.includes(error.code) ? 1 : 0;
    if (this.#failedInARow >= MAX_FAILED_IN_A_ROW) return true;
    // If no retry reached the stack, the next request will not either. After a lost response, the next may.
    const neverReached = error.code === "unreachable" && error instanceof StackError && error.failure.applied === "no";
    return neverReached || FATAL_ERRORS.includes(error.code);
  }
}

function wasNotSent({ write }: Operation, refusal: string): OperationResult {
  // A record whose link is not sent has been written, so the record is not blocked.
  const blocked = write === "link" ? {} : ({ action: "blocked" } as const);
  return { ...blocked, status: "failed", code: "forbidden", message: `was not sent, because ${refusal}` };
}

/** A refusal without `right` is not the stack's: a firewall may refuse a single record. */
function isMissingRight(error: unknown): error is StackError {
  return error instanceof StackError && error.code === "forbidden" && error.failure.right !== undefined;
}

/** Some services own their sources, and let no key create any. */
function otherWay({ item: { action, kind } }: Operation, { code }: StackferryError): string {
  const isRefused = action === "create" && (code === "forbidden" || code === "not-offered");
  if (!isRefused || findKind(kind)?.importPolicy.when !== "on-request") return "";
  return `; or leave ${kind} out of --create, and name one of the target's in a map file (--draft-map)`;
}
