import pLimit from "p-limit";
import { groupBy } from "../core/collections.ts";
import { StackferryError, isNotBegun } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { Journal } from "../core/journal.ts";
import { withoutPath } from "../core/member-path.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Clock, StackClient } from "../core/ports.ts";
import { IdMap } from "../core/id-map.ts";
import type { KindName, RecordKey, StackRecord } from "../core/record.ts";
import { listedKey } from "../import/apply/await-listed.ts";
import { createBody } from "../import/apply/bodies.ts";
import { LostCreateFinder } from "../import/apply/lost-create.ts";
import { SafeWriter } from "../import/apply/safe-writer.ts";
import { nameVanished } from "../import/apply/vanished.ts";
import { findKind } from "../kinds/registry.ts";
import { createRedactor } from "../redaction/redactor.ts";
import type { RollbackItem } from "./item.ts";

export interface ApplyRollbackInput {
  readonly items: readonly RollbackItem[];
  readonly client: StackClient;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly concurrency: number;
  /** Ids of what the target had when the plan was made, by kind. */
  readonly present?: ReadonlyMap<KindName, ReadonlySet<string>>;
  /** How long the target's lists may lag behind its writes, in milliseconds; default 10 s. */
  readonly listLagMs?: number;
}

const LIST_LAG_MS = 10_000;

export interface RollbackResult {
  readonly outcomes: readonly Outcome[];
  readonly stopped?: StackferryError;
}

/**
 * Undoes an import in the order of the plan, one kind and action after the other. It is journalled like the import itself, so
 * that a rollback that was cut short goes on where it was.
 */
export async function applyRollback(input: ApplyRollbackInput, context: RunContext): Promise<RollbackResult> {
  const limit = pLimit(input.concurrency);
  const writer = createWriter(input);
  const outcomes: Outcome[] = [];
  const undone = new Set<RecordKey>();
  let stopped: StackferryError | undefined;
  for (const items of groupBy(input.items, ({ kind, action }) => `${action} ${kind}`).values()) {
    const group = items.map((item) =>
      limit(async (): Promise<Outcome> => {
        if (context.signal?.aborted) stopped ??= new StackferryError("interrupted", "the rollback was interrupted");
        if (stopped) return { ...describe(item), status: "planned", code: "not-started" };
        if (item.usedBy?.some((key) => !undone.has(key))) return { ...describe(item), ...STILL_USED };
        try {
          await undo(item, writer, input);
          undone.add(item.key);
          return { ...describe(item), status: "done" };
        } catch (error) {
          if (!(error instanceof StackferryError)) throw error;
          if (!AFFECTS_ONE.includes(error.code)) stopped ??= error;
          if (isNotBegun(error)) return { ...describe(item), status: "planned", code: "not-started" };
          return { ...describe(item), status: "failed", code: error.code, message: error.message };
        }
      }),
    );
    for (const outcome of await Promise.all(group)) {
      context.events({ type: "outcome", outcome });
      outcomes.push(outcome);
    }
  }
  const { listLagMs = LIST_LAG_MS } = input;
  const looking = { ...input, listLagMs, redact: createRedactor(), before: endangered(input.items, outcomes) };
  return await nameVanished<RollbackResult>(stopped ? { outcomes, stopped } : { outcomes }, looking, context);
}

function createWriter({ client, journal, clock, present, listLagMs = LIST_LAG_MS }: ApplyRollbackInput): SafeWriter {
  const lostCreates = new LostCreateFinder({ client, clock, listLagMs, baseline: present ?? new Map() });
  return new SafeWriter({ client, journal, lostCreates, clock, redact: createRedactor() });
}

/** What the target had that the put-backs of this rollback could take away although it was to stay. */
function endangered(items: readonly RollbackItem[], outcomes: readonly Outcome[]): StackRecord[] {
  const keyOf = ({ kind, targetId = "" }: Pick<Outcome, "kind" | "targetId">): string =>
    listedKey({ kind, id: targetId });
  const begun = new Set(outcomes.filter(({ status }) => status !== "planned").map(keyOf));
  const deleted = new Set(items.filter(({ action }) => action === "delete").map(keyOf));
  return items
    .filter((item) => item.action === "update" && begun.has(keyOf(item)))
    .flatMap(({ dependents = [] }) => dependents)
    .filter((record) => !deleted.has(listedKey(record)));
}

/** Errors that say something of one record only; after any other the next could not fare better. */
const AFFECTS_ONE: readonly string[] = ["rejected", "not-found", "changed-since"];

const STILL_USED = {
  status: "failed",
  code: "dependency-failed",
  message: "is still in use by a record that could not be put back",
} as const;

async function undo(
  item: RollbackItem,
  writer: SafeWriter,
  { client, journal, clock }: ApplyRollbackInput,
): Promise<void> {
  const kind = findKind(item.kind);
  if (!kind || item.action === "skip") return;
  const at = (): string => new Date(clock.now()).toISOString();
  const { key, name, targetId } = item;
  if (item.action === "delete") {
    await journal.append({ type: "intent", at: at(), key, name, write: "delete", targetId });
    await client.delete(kind, targetId);
    await journal.append({ type: "done", at: at(), key, write: "delete", targetId, content: "" });
    return;
  }
  if (item.action === "create") {
    const record = { kind: item.kind, id: targetId, name, body: item.previous ?? {} };
    const asItIs = { ids: new IdMap(), known: new Map(), labels: { tags: [] } };
    await writer.create({ key, name, kind }, createBody(kind, record, asItIs, []), "restore");
    return;
  }
  const body = kind.serverOwned.reduce(withoutPath, item.previous ?? {});
  await writer.update({ key, name, kind }, "restore", targetId, { ...kind.clearOnUpdate, ...body }, item.current);
}

function describe({ kind, name, sourceId, targetId, action, code, message }: RollbackItem): Omit<Outcome, "status"> {
  const why = { ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
  return { kind, name, sourceId, targetId, action, ...why };
}
