import { groupBy } from "../../core/collections.ts";
import { StackferryError, isStoppedBeforeWrite } from "../../core/errors.ts";
import { withoutWarnings, type RunContext } from "../../core/events.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { StackClient } from "../../core/ports.ts";
import { plannedOutcome, type Removal } from "../../core/plan/plan.ts";
import { recordKey, targetKey, type RecordKey } from "../../core/records/record.ts";
import { kinds, knownKind } from "../../kinds/registry.ts";
import type { JournaledWriter } from "./journaled-writer.ts";
import { failedOutcome, type WritePool } from "./write-all.ts";
import { readCurrentUsers } from "../remove/dependents.ts";

export interface RemovalRun {
  readonly client: StackClient;
  readonly writer: JournaledWriter;
  readonly pool: WritePool;
  /** Whether to delete records that other records use. */
  readonly force: boolean;
  /** Returns the key by which the journal knows a record. */
  readonly identify: (key: RecordKey) => RecordKey;
  /** Called as soon as the outcome of a removal is final. */
  readonly report: (outcome: Outcome) => void;
}

/**
 * Deletes the records that the source no longer has, one kind after another. A kind comes before the kinds that its records
 * reference. Before each kind, searches again for other records that reference the records of this kind that are to be deleted. If
 * there are several of these, searches before each delete as well, because the deletes of one kind can take minutes.
 * @param done records that the run has written or deleted. Their references do not count, because a list may still show their
 * former state
 */
export async function removeAll(
  removals: readonly Removal[],
  done: ReadonlySet<RecordKey>,
  run: RemovalRun,
  context: RunContext,
): Promise<Outcome[]> {
  const byKind = groupBy(removals, ({ kind }) => kind);
  const outcomes: Outcome[] = [];
  const deletedKeys = new Set(done);
  for (const { name } of kinds.toReversed()) {
    const group = byKind.get(name) ?? [];
    const users = await usersNow(group, deletedKeys, run, context);
    const looksAgain = !run.force && group.filter(({ action }) => action === "delete").length > 1;
    const lookFor = async (removal: Removal): Promise<string | undefined> => {
      const key = targetKey(removal);
      const found = looksAgain
        ? await readCurrentUsers(removal.kind, new Set([key]), deletedKeys, run.client, withoutWarnings(context))
        : users;
      return found.get(key);
    };
    const groupOutcomes = await Promise.all(
      group.map(async (removal) => {
        const outcome = await endOf(removal, users.get(targetKey(removal)), lookFor, run);
        run.report(outcome);
        return outcome;
      }),
    );
    for (const outcome of groupOutcomes) if (isRemoved(outcome)) deletedKeys.add(targetKey(outcome));
    outcomes.push(...groupOutcomes);
  }
  return outcomes;
}

/** Tells whether this run deleted the record. */
export function isRemoved({ action, status }: Outcome): boolean {
  return action === "delete" && status === "done";
}

/** Finds the records that use the records to delete. If that fails, the run stops: nothing more can be deleted safely. */
async function usersNow(
  group: readonly Removal[],
  done: ReadonlySet<RecordKey>,
  { pool, client, force }: RemovalRun,
  context: RunContext,
): Promise<ReadonlyMap<RecordKey, string>> {
  const deleted = group.filter(({ action }) => action === "delete");
  const [first] = deleted;
  if (first === undefined || force || pool.stopped || context.signal?.aborted) return new Map();
  try {
    return await readCurrentUsers(first.kind, new Set(deleted.map(targetKey)), done, client, context);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    pool.stopped ??= error;
    return new Map();
  }
}

async function endOf(
  removal: Removal,
  user: string | undefined,
  lookFor: (removal: Removal) => Promise<string | undefined>,
  run: RemovalRun,
): Promise<Outcome> {
  const planned = plannedOutcome(removal);
  if (removal.action === "blocked") return { ...planned, status: "failed" };
  if (removal.action !== "delete") return { ...planned, status: "done" };
  const inUse = { ...planned, action: "blocked", status: "failed", code: "in-use" } as const;
  if (user !== undefined) return { ...inUse, message: user };
  const end = await run.pool.run(async () => {
    const userNow = await lookFor(removal);
    if (userNow === undefined) await remove(removal, run);
    return userNow;
  });
  if (end.status === "done") {
    return end.value === undefined ? { ...planned, status: "done" } : { ...inUse, message: end.value };
  }
  if (end.status === "not-started" || isStoppedBeforeWrite(end.error)) {
    return { ...planned, code: "not-started", message: "the run ended before this was deleted" };
  }
  return { ...planned, ...failedOutcome(end.error, run.pool) };
}

async function remove(removal: Removal, { writer, identify }: RemovalRun): Promise<void> {
  const { targetRecord, name, targetId, sourceId } = removal;
  const kind = knownKind(removal.kind);
  if (targetRecord === undefined) throw new StackferryError("protocol", `"${name}" cannot be deleted`);
  const key = removal.isKnown ? identify(recordKey(kind.name, sourceId)) : targetKey(removal);
  await writer.delete({ key, kind, name }, targetId, targetRecord.body);
}
