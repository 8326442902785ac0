import { StackferryError } from "../../core/errors.ts";
import type { Warning } from "../../core/outcome.ts";
import type { MissingSecret, Plan, PlanItem } from "../../core/plan.ts";
import type { RecordKey, StackRecord } from "../../core/record.ts";
import { recordKey } from "../../core/record.ts";
import { refuseEmptySelection } from "../../export/export-stack.ts";
import type { JournaledRecord } from "../../journal/state.ts";
import { kinds } from "../../kinds/registry.ts";
import type { ImportOptions } from "../../matching/import-options.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { Matching } from "../../matching/match-all.ts";
import { matchAll } from "../../matching/match-all.ts";
import { indexTarget } from "../../matching/target-index.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { indexArchive } from "../../references/archive-index.ts";
import { cascadeDeletedAlerts } from "./cascade-deletes.ts";
import type { Decision } from "./decide.ts";
import { decideAll, placeholdersToFill } from "./decide.ts";
import { propagateBlocks } from "./propagate-blocks.ts";
import { noteReferences, resolveReferences, willWrite } from "./resolve.ts";
import { listUnresolved } from "./unresolved.ts";
import { orderWrites } from "./write-order.ts";

/** What a plan is made of. */
export interface PlanInput {
  readonly records: readonly StackRecord[];
  /** The target's lists; a plan knows of the target only what these say. */
  readonly inventory: Inventory;
  readonly options: ImportOptions;
  /** What earlier runs of the same import have written, from its journal. */
  readonly journaled?: ReadonlyMap<RecordKey, JournaledRecord>;
  /** Records whose create an earlier run began and did not learn the end of. */
  readonly lost?: ReadonlySet<RecordKey>;
}

/**
 * Plans an import: pure, writes nothing. Who is who, what to do with each record, what stands in its way, in which order.
 * Throws `usage` for a map file that names what does not exist, `incomplete` under `fail` when something is in conflict.
 */
export function planRecords(input: PlanInput): Plan {
  const { records, inventory, options, journaled = new Map(), lost = new Set() } = input;
  const archive = indexArchive(records);
  const target = indexTarget(inventory);
  const matching = matchAll(archive, inventory, options, journaled);
  const decisions = decideAll({ archive, matching, options, journaled, lost });
  if (decisions.size === 0) refuseEmptySelection(options.filter, "in the archive");
  refuseConflicts(decisions);
  for (const [key, decision] of decisions) {
    const users = decision.action === "update" ? cascadeDeletedAlerts(decision, matching.ids, target) : [];
    if (users.length === 0) continue;
    const message = `the update would remove a tile that these alerts of the target watch: ${users.join(", ")}`;
    decisions.set(key, { ...decision, action: "blocked", code: "would-delete-alerts", message });
  }
  const basis = { archive, matching, target, decisions };
  const propagated = propagateBlocks(decisions, archive, (decision) => resolveReferences(decision, basis));
  const order = orderWrites(new Map([...propagated.resolutions].map(([key, { needs }]) => [key, needs])));
  const warnings: Warning[] = [];
  const items = [...decisions].map(([key, decision]): PlanItem => {
    const { dependsOn = [], linksTo = [] } = order.get(key) ?? {};
    const notes = willWrite(decision) ? noteReferences(decision, basis) : undefined;
    warnings.push(...(notes?.warnings ?? []));
    return { ...describe(decision), dependsOn, linksTo, rewrites: notes?.rewrites ?? [] };
  });
  return {
    items: [...items, ...lookedUp(archive, matching, options)],
    matches: matching.matches,
    unresolved: listUnresolved(propagated.blockers, archive, matching, inventory),
    toFill: [...decisions].flatMap(([key, decision]) => missingSecrets(key, decision)),
    ids: [...matching.ids],
    known: archive.known,
    present: new Map([...inventory.kinds].map(([kind, known]) => [kind, new Set(known.records.map(({ id }) => id))])),
    warnings,
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
function lookedUp(archive: ArchiveIndex, matching: Matching, options: ImportOptions): PlanItem[] {
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
      const targetId = matching.ids.get(kind.name, record.id);
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
