import pLimit from "p-limit";
import { groupBy } from "../core/collections.ts";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { Journal } from "../core/journal.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Clock, StackClient } from "../core/ports.ts";
import type { RecordKey } from "../core/record.ts";
import { newDependents } from "./new-dependents.ts";
import { nameOfRecord } from "./dependents.ts";
import type { RollbackItem } from "./item.ts";
import { describeItem } from "./item.ts";
import { undoItem } from "./undo-item.ts";

export interface ApplyRollbackInput {
  readonly items: readonly RollbackItem[];
  readonly client: StackClient;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly concurrency: number;
  /** Numbers of the runs that are undone, for the journal: what other runs wrote stays known. All unless told. */
  readonly runs?: readonly number[];
  /** Delete also what somebody has come to use. */
  readonly force?: boolean;
}

export interface RollbackResult {
  readonly outcomes: readonly Outcome[];
  readonly stopped?: StackferryError;
}

/**
 * Undoes runs of an import in the order of the plan, one kind and action after the other. It is journalled like the import
 * itself, so that a rollback that was cut short goes on where it was.
 */
export async function applyRollback(input: ApplyRollbackInput, context: RunContext): Promise<RollbackResult> {
  const { items, journal, clock, runs } = input;
  const run = new RollbackRun(input, context);
  if (runs !== undefined && items.some(({ action }) => action !== "skip")) {
    await journal.append({ type: "rollback", at: new Date(clock.now()).toISOString(), undoes: runs });
  }
  const outcomes: Outcome[] = [];
  for (const group of groupBy(items, ({ kind, action }) => `${action} ${kind}`).values()) {
    for (const outcome of await run.undoGroup(group)) {
      context.events({ type: "outcome", outcome });
      outcomes.push(outcome);
    }
  }
  return run.stopped ? { outcomes, stopped: run.stopped } : { outcomes };
}

/** Errors that say something of one record only; after any other the next could not fare better. */
const AFFECTS_ONE: readonly string[] = ["rejected", "not-found", "changed-since"];

class RollbackRun {
  stopped: StackferryError | undefined;
  readonly #input: ApplyRollbackInput;
  readonly #context: RunContext;
  readonly #undone = new Set<RecordKey>();

  constructor(input: ApplyRollbackInput, context: RunContext) {
    this.#input = input;
    this.#context = context;
  }

  /** Items of one kind and action, side by side. */
  async undoGroup(group: readonly RollbackItem[]): Promise<Outcome[]> {
    const users = await this.#usersSincePlan(group);
    const limit = pLimit(this.#input.concurrency);
    return Promise.all(group.map((item) => limit(() => this.#outcomeOf(item, users.get(item.key)))));
  }

  async #outcomeOf(item: RollbackItem, user: string | undefined): Promise<Outcome> {
    const { signal } = this.#context;
    const shown = describeItem(item);
    if (signal?.aborted) this.stopped ??= new StackferryError("interrupted", "the rollback was interrupted");
    if (this.stopped) return { ...shown, status: "planned", code: "not-started" };
    const waitsFor = item.usedBy?.find((key) => !this.#undone.has(key));
    if (waitsFor !== undefined) return { ...shown, status: "failed", ...stillUsed(this.#nameOf(waitsFor)) };
    if (user !== undefined) return { ...shown, status: "failed", code: "in-use", message: user };
    try {
      await undoItem(item, this.#input);
      this.#undone.add(item.key);
      return { ...shown, status: "done" };
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      if (!AFFECTS_ONE.includes(error.code)) this.stopped ??= error;
      // What is gone needs nothing any more.
      if (error.code === "not-found" && item.action === "delete") this.#undone.add(item.key);
      return { ...shown, status: "failed", code: error.code, message: error.message };
    }
  }

  /** A failure to look means that nothing more can be undone safely. */
  async #usersSincePlan(group: readonly RollbackItem[]): Promise<ReadonlyMap<RecordKey, string>> {
    const { items, client, force = false } = this.#input;
    if (force || this.stopped || this.#context.signal?.aborted) return new Map();
    const undone = items.filter(({ key }) => this.#undone.has(key));
    try {
      return await newDependents(group, undone, client, this.#context);
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      this.stopped ??= error;
      return new Map();
    }
  }

  #nameOf(wanted: RecordKey): string {
    const item = this.#input.items.find(({ key }) => key === wanted);
    return item === undefined ? "a record" : nameOfRecord({ ...item, id: item.targetId });
  }
}

function stillUsed(user: string): Pick<Outcome, "code" | "message"> {
  return { code: "dependency-failed", message: `${user} points to it and could not be undone` };
}
