import { StackferryError } from "../../core/errors.ts";
import type { IdMap } from "../../core/id-map.ts";
import type { MissingSecret, Plan, PlanItem } from "../../core/plan.ts";
import type { RecordKey, StackRecord } from "../../core/record.ts";
import { recordKey } from "../../core/record.ts";
import type { Steps } from "../../core/steps.ts";
import { finish, mapInSteps } from "../../core/steps.ts";
import { refuseEmptySelection } from "../../export/export-stack.ts";
import type { JournaledRecord } from "../../journal/state.ts";
import { kinds } from "../../kinds/registry.ts";
import type { ImportOptions } from "../../matching/import-options.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { matchAllInSteps } from "../../matching/match-all.ts";
import { indexTarget } from "../../matching/target-index.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { indexInSteps } from "../../references/archive-index.ts";
import { blockCascadeDeletes } from "./cascade-deletes.ts";
import type { Decision } from "./decide.ts";
import { decideAll, placeholdersToFill } from "./decide.ts";
import { propagateBlocks } from "./propagate-blocks.ts";
import { noteReferences, resolveReferences } from "./resolve.ts";
import { listUnresolved } from "./unresolved.ts";
import { orderWrites } from "./write-order.ts";

export interface PlanInput {
  readonly records: readonly StackRecord[];
  /** The target's lists; a plan knows of the target only what these say. */
  readonly inventory: Inventory;
  readonly options: ImportOptions;
  /** What earlier runs of the same import have written, from its journal. */
  readonly journaled?: ReadonlyMap<RecordKey, JournaledRecord>;
  /** Records whose create an earlier run began without a known end. */
  readonly lost?: ReadonlySet<RecordKey>;
}

/**
 * Plans an import: matches, decides, blocks what cannot be written, and orders the rest. Pure: nothing is written.
 * Throws `usage` for a map file that names what does not exist, `incomplete` under `fail` when something is in conflict.
 */
export function planRecords(input: PlanInput): Plan {
  return finish(planInSteps(input));
}

/** The same, some steps for each record. */
export function* planInSteps(input: PlanInput): Steps<Plan> {
  const { records, inventory, options, journaled = new Map(), lost = new Set() } = input;
  const archive = yield* indexInSteps(records);
  const target = yield* indexTarget(inventory);
  const matching = yield* matchAllInSteps(archive, inventory, options, journaled);
  const { decisions: wanted, ids } = yield* decideAll({ archive, matching, options, journaled, lost });
  if (wanted.size === 0) refuseEmptySelection(options.filter, "in the archive");
  refuseConflicts(wanted);
  const safe = blockCascadeDeletes(wanted, ids, target);
  const basis = { archive, ids, ambiguous: matching.ambiguous, target };
  const { decisions, resolutions, blockers } = yield* propagateBlocks(safe, archive, (decision, soFar) =>
    resolveReferences(decision, { ...basis, decisions: soFar }),
  );
  const order = orderWrites(new Map([...resolutions].map(([key, { needs }]) => [key, needs])));
  const notes = new Map(
    yield* mapInSteps(
      decisions,
      ([key, decision]) => [key, noteReferences(decision, { ...basis, decisions })] as const,
    ),
  );
  const items = [...decisions].map(([key, decision]): PlanItem => {
    const { dependsOn = [], linksTo = [] } = order.get(key) ?? {};
    return { ...describe(decision), dependsOn, linksTo, rewrites: notes.get(key)?.rewrites ?? [] };
  });
  return {
    items: [...items, ...lookedUp(archive, ids, options)],
    matches: matching.matches,
    unresolved: listUnresolved(blockers, archive, matching, inventory),
    toFill: [...decisions].flatMap(([key, decision]) => missingSecrets(key, decision)),
    ids: [...ids],
    known: archive.known,
    present: new Map([...inventory.kinds].map(([kind, known]) => [kind, new Set(known.records.map(({ id }) => id))])),
    warnings: [...notes.values()].flatMap(({ warnings }) => warnings),
  };
}

function missingSecrets(key: RecordKey, { kind, record, code }: Decision): MissingSecret[] {
  if (code !== "redacted") return [];
  return placeholdersToFill(kind, record).map(({ pointer, rules }) => ({ key, name: record.name, pointer, rules }));
}

function refuseConflicts(decisions: ReadonlyMap<RecordKey, Decision>): void {
  const conflicts = [...decisions.values()].filter((decision) => decision.code === "conflict");
  const [first] = conflicts;
  if (!first) return;
  const message = `${conflicts.length} record(s) exist on the target with other content, the first is the ${first.kind.singular} "${first.record.name}"`;
  const hint = "Nothing was written. Choose --on-conflict skip, update or duplicate.";
  throw new StackferryError("incomplete", message, { hint });
}

function describe(decision: Decision): Omit<PlanItem, "dependsOn" | "linksTo" | "rewrites"> {
  const { kind, record, ...rest } = decision;
  return { kind: kind.name, sourceId: record.id, name: record.name, ...rest };
}

/** Records that are never written are named all the same, with what they were matched with, or the reason. */
function lookedUp(archive: ArchiveIndex, ids: IdMap, options: ImportOptions): PlanItem[] {
  const asked = kinds.filter((kind) => options.kinds.length === 0 || options.kinds.includes(kind.name));
  return asked.flatMap((kind) => {
    const { notReplayed } = kind;
    if (notReplayed === undefined) return [];
    return (archive.byKind.get(kind.name) ?? []).map((record): PlanItem => {
      const item = {
        kind: kind.name,
        sourceId: record.id,
        name: record.name,
        action: "skip",
        dependsOn: [],
        linksTo: [],
        rewrites: [],
      } as const;
      const targetId = ids.get(kind.name, record.id);
      if (targetId !== undefined) return { ...item, targetId, code: "matched" };
      const code = kind.listing === "by-id" ? "not-replayed" : "unmatched";
      return { ...item, code, message: notReplayed };
    });
  });
}

/** The key of a plan's item. */
export function itemKey(item: PlanItem): RecordKey {
  return recordKey(item.kind, item.sourceId);
}
