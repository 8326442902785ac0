import { splitKey, type StackRecord } from "../../core/records/record.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import { lastRunNumber, type History, type RunWrite } from "../../journal/fold.ts";
import { findKind, importedKinds, knownKind } from "../../kinds/registry.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import { readInventory, recordFinder, withRecords, type Inventory } from "../../matching/inventory.ts";

export interface ReadTargetInput {
  readonly client: StackClient;
  /** The history of the journal that has the last run on the target, whatever the source of that run. */
  readonly last: History;
  readonly clock: Clock;
  /** Longest time, in milliseconds, until the target's lists show a write. */
  readonly consistencyWaitMs: number;
  /** Lists that were read in advance, under the target's lock. The lists are used only if they show what the last run wrote. */
  readonly early?: Promise<Inventory> | undefined;
}

/**
 * Waits until the lists can show the writes of the last run, and reads the lists: from older lists, a plan would create records
 * twice. A record that the lists still lack is asked for by its id before it counts as gone.
 */
export async function readTarget(input: ReadTargetInput, context: RunContext): Promise<Inventory> {
  const { client, last: history, clock, consistencyWaitMs, early } = input;
  const shownAt = timeOfLastWrites(history, clock.now(), consistencyWaitMs);
  const ready = shownAt <= clock.now() ? early : undefined;
  await pauseUntil(shownAt, clock, context);
  const inventory = await (ready ?? readInventory(client, importedKinds, context));
  if (!isLagging(history, inventory)) return inventory;
  const until = Math.min(history.lastAt, clock.now()) + consistencyWaitMs;
  if (until > clock.now() || ready !== undefined) {
    await pauseUntil(until, clock, context);
    return withUnlisted(await readInventory(client, importedKinds, context), history, client, context);
  }
  return withUnlisted(inventory, history, client, context);
}

/** Tells whether the lists lack records that the last run wrote, or still show records that the last run replaced or deleted. */
function isLagging(history: History, inventory: Inventory): boolean {
  const { writesOf } = history;
  const find = recordFinder(inventory);
  const isOld = ({ action, key, targetId, image, content }: RunWrite): boolean => {
    const [kindName] = splitKey(key);
    const listed = find(kindName, targetId);
    if (action === "delete" || listed === undefined) return listed !== undefined;
    if (image === undefined || image.digest === content) return false;
    return recordFingerprint(knownKind(kindName), listed.body) === image.digest;
  };
  return writesOf(lastRunNumber(history)).some(isOld) || unlistedWrites(history, inventory).length > 0;
}

/** Returns the records that the last run wrote and that the lists lack. */
function unlistedWrites(history: History, inventory: Inventory): RunWrite[] {
  const find = recordFinder(inventory);
  const written = history.writesOf(lastRunNumber(history)).filter(({ action }) => action !== "delete");
  return written.filter(({ key, targetId }) => find(splitKey(key)[0], targetId) === undefined);
}

async function withUnlisted(
  inventory: Inventory,
  history: History,
  client: StackClient,
  { signal }: RunContext,
): Promise<Inventory> {
  const found: StackRecord[] = [];
  for (const { key, targetId } of unlistedWrites(history, inventory)) {
    const kind = findKind(splitKey(key)[0]);
    if (kind?.routes[client.identity.variant].get === undefined) continue;
    const body = await client.get(kind, targetId, signal).catch((error: unknown) => {
      if (error instanceof StackferryError && error.code === "not-found") return undefined;
      throw error;
    });
    if (body !== undefined) found.push({ kind: kind.name, id: targetId, name: kind.nameOf(body), body });
  }
  return found.length === 0 ? inventory : withRecords(inventory, found);
}

/** Longest time, in milliseconds, that one request can take: its longest wait for a turn (in the pacer) plus all its retries. */
const MAX_ON_THE_WAY_MS = 60 * 60_000;

/**
 * Returns the time at which the lists surely show all writes of the last run. If that run was killed, the next run may start before
 * this time, and must wait.
 */
function timeOfLastWrites({ runs, open, lastAt, writesOf }: History, now: number, consistencyWaitMs: number): number {
  const isRecent = now - lastAt < MAX_ON_THE_WAY_MS;
  // A write is journalled before it waits for its turn, so the journal line does not tell when the write was sent.
  if (isRecent && open.length > 0) return now + consistencyWaitMs;
  const last = runs.at(-1);
  if (last?.isCutShort !== true || (open.length === 0 && writesOf(last.number).length === 0)) return now;
  // Even if the clock was set back, the wait is no longer than `consistencyWaitMs`.
  return Math.min(lastAt, now) + consistencyWaitMs;
}

/** Waits until the given time, and reports why. Throws `interrupted`. */
async function pauseUntil(untilMs: number, clock: Clock, { events, signal }: RunContext): Promise<void> {
  if (untilMs <= clock.now()) return;
  events({ type: "wait", reason: "the records of the last run may not be listed yet", waitMs: untilMs - clock.now() });
  try {
    await clock.sleep(untilMs - clock.now(), signal);
  } catch (cause) {
    throw new StackferryError("interrupted", "the run was interrupted", { cause });
  }
}
