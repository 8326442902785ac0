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
  /** From the journal of the last run on the target, whatever its source. */
  readonly last: History;
  readonly clock: Clock;
  /** Longest time, in milliseconds, until the target's lists show a write. */
  readonly consistencyWaitMs: number;
  /** Lists that were read in advance; used only if they show what the last run wrote. */
  readonly early?: Promise<Inventory> | undefined;
}

/** Waits for the last run's writes: a plan from older lists would create records twice. Reads unlisted records by their ids. */
export async function readTarget(input: ReadTargetInput, context: RunContext): Promise<Inventory> {
  const { client, last: history, clock, consistencyWaitMs, early } = input;
  const shownAt = timeOfLastWrites(history, clock.now(), consistencyWaitMs);
  const ready = shownAt <= clock.now() ? early : undefined;
  await pauseUntil(shownAt, clock, context);
  const inventory = await (ready ?? readInventory(client, importedKinds, context));
  if (!isLagging(history, inventory)) return inventory;
  const until = Math.min(history.lastAt, clock.now()) + consistencyWaitMs;
  const isOutdated = until > clock.now() || ready !== undefined;
  await pauseUntil(until, clock, context);
  const latest = isOutdated ? await readInventory(client, importedKinds, context) : inventory;
  return withUnlisted(latest, history, client, context);
}

function isLagging(history: History, inventory: Inventory): boolean {
  const find = recordFinder(inventory);
  return history.writesOf(lastRunNumber(history)).some(({ action, key, targetId, image, content }) => {
    const [kindName] = splitKey(key);
    const listed = find(kindName, targetId);
    if (action === "delete") return listed !== undefined;
    if (listed === undefined) return true;
    if (image === undefined || image.digest === content) return false;
    return recordFingerprint(knownKind(kindName), listed.body) === image.digest;
  });
}

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

/** Milliseconds that one request can take, with its wait for a turn and its retries. */
const MAX_ON_THE_WAY_MS = 60 * 60_000;

/** After a killed run, the next run may start before the lists show all writes. */
function timeOfLastWrites({ runs, open, lastAt, writesOf }: History, now: number, consistencyWaitMs: number): number {
  const isRecent = now - lastAt < MAX_ON_THE_WAY_MS;
  // The journal does not tell when a write was sent, because a write waits for its turn after the journal's line.
  if (isRecent && open.length > 0) return now + consistencyWaitMs;
  const last = runs.at(-1);
  if (last?.isCutShort !== true || (open.length === 0 && writesOf(last.number).length === 0)) return now;
  // A clock that was set back must not lengthen the wait.
  return Math.min(lastAt, now) + consistencyWaitMs;
}

async function pauseUntil(untilMs: number, clock: Clock, { events, signal }: RunContext): Promise<void> {
  if (untilMs <= clock.now()) return;
  events({ type: "wait", reason: "the records of the last run may not be listed yet", waitMs: untilMs - clock.now() });
  try {
    await clock.sleep(untilMs - clock.now(), signal);
  } catch (cause) {
    throw new StackferryError("interrupted", "the run was interrupted", { cause });
  }
}
