import { willWrite, itemKey, type Plan, type PlanItem, type Removal } from "../../core/plan/plan.ts";
import { groupBy, partition } from "../../core/collections.ts";
import type { Outcome } from "../../core/outcome.ts";
import { targetKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { findKind, kinds } from "../../kinds/registry.ts";
import { isRemovedBeforeWrites, referencedKeys, usersText } from "../remove/dependents.ts";

export type OperationResult = Pick<Outcome, "status"> & Partial<Outcome>;

interface Need {
  readonly id: OperationId;
  /** By default, the result of the needed operation. */
  readonly otherwise?: OperationResult;
}

type OperationId = `${"write" | "link" | "delete"}/${RecordKey}`;

interface Node {
  readonly id: OperationId;
  readonly needs: readonly Need[];
  readonly after: readonly OperationId[];
  readonly notStarted: OperationResult;
}

export interface WriteOperation extends Node {
  readonly write: "create" | "update" | "link";
  readonly item: PlanItem;
}

export interface DeleteOperation extends Node {
  readonly write: "delete";
  readonly item: Removal;
}

export type Operation = WriteOperation | DeleteOperation;

export interface PlannedOperations {
  readonly item: PlanItem | Removal;
  readonly operations: readonly Operation[];
}

export interface OperationGraph {
  /** A stage for each kind. A kind comes before the kinds that its records reference. */
  readonly deletesFirst: readonly (readonly PlannedOperations[])[];
  readonly writes: readonly PlannedOperations[];
  readonly deletesLast: readonly (readonly PlannedOperations[])[];
}

/** The plan has no cycle of dependencies, so no operation waits for itself. */
export function operationsOf({ items, mirror }: Plan): OperationGraph {
  const written = new Map(items.flatMap((item) => (willWrite(item) ? [[itemKey(item), item] as const] : [])));
  const byKind = groupBy(mirror?.removals ?? [], ({ kind }) => kind);
  const stages = kinds.toReversed().map(({ name }) => byKind.get(name) ?? []);
  const [first, later] = partition(
    stages.filter((stage) => stage.length > 0),
    (stage) => stage.some(isRemovedBeforeWrites),
  );
  const users = later.length === 0 ? new Map<RecordKey, Use[]>() : formerUses([...written.values()]);
  const deletes = (item: Removal): PlannedOperations => ({ item, operations: deleteOf(item, users) });
  return {
    deletesFirst: first.map((stage) => stage.map(deletes)),
    writes: items.map((item) => ({ item, operations: willWrite(item) ? writesOf(item, written) : [] })),
    deletesLast: later.map((stage) => stage.map(deletes)),
  };
}

const NOT_STARTED: OperationResult = {
  status: "planned",
  code: "not-started",
  message: "the run ended before this record was written",
};

/** The record is on the target, so the record counts as written without its second write. */
const NOT_LINKED: OperationResult = {
  status: "done",
  code: "link-failed",
  message: "the run ended before its links were set; the next run sets them",
};

const NOT_DELETED: OperationResult = {
  status: "planned",
  code: "not-started",
  message: "the run ended before this was deleted",
};

const NOT_FREE: OperationResult = {
  status: "failed",
  action: "blocked",
  code: "dependency-failed",
  message:
    "an alert on a tile that this update removes could not be deleted first, so the server would delete it with the tile; delete or move that alert, and run again",
};

function writesOf(item: PlanItem, written: ReadonlyMap<RecordKey, PlanItem>): WriteOperation[] {
  const key = itemKey(item);
  const { action, dependsOn, linksTo, afterRemovals = [] } = item;
  const first: WriteOperation = {
    id: `write/${key}`,
    write: action === "create" ? "create" : "update",
    item,
    needs: [
      ...afterRemovals.map((removed): Need => ({ id: `delete/${removed}`, otherwise: NOT_FREE })),
      ...needsOf(dependsOn, written, ({ name }) => {
        const message = `needs "${name}", which could not be written`;
        return { status: "failed", action: "blocked", code: "dependency-failed", message };
      }),
    ],
    after: linksOfHosts(item, written),
    notStarted: NOT_STARTED,
  };
  if (linksTo.length === 0) return [first];
  const needs = needsOf(linksTo, written, ({ name }) => {
    const message = `was written, but without its link to "${name}", which could not be written; the next run that writes that record adds the link`;
    return { status: "failed", code: "link-failed", message };
  });
  const link = { id: `link/${key}`, write: "link", item, after: [], notStarted: NOT_LINKED } as const;
  return [first, { ...link, needs: [{ id: first.id }, ...needs] }];
}

function needsOf(
  keys: readonly RecordKey[],
  written: ReadonlyMap<RecordKey, PlanItem>,
  otherwise: (needed: PlanItem) => OperationResult,
): Need[] {
  return keys.flatMap((key): Need[] => {
    const needed = written.get(key);
    return needed === undefined ? [] : [{ id: `write/${key}`, otherwise: otherwise(needed) }];
  });
}

/** An alert waits for the second writes of its dashboard, because an update can delete alerts (docs/api.md#tile-alerts). */
function linksOfHosts({ kind, dependsOn }: PlanItem, written: ReadonlyMap<RecordKey, PlanItem>): OperationId[] {
  const pointsInto = findKind(kind)?.references.some(({ within }) => within !== undefined) === true;
  if (!pointsInto) return [];
  return dependsOn.flatMap((key) => (written.get(key)?.linksTo.length ? [`link/${key}` as const] : []));
}

interface Use {
  readonly user: StackRecord;
  readonly operations: readonly OperationId[];
}

function formerUses(written: readonly PlanItem[]): ReadonlyMap<RecordKey, Use[]> {
  const uses = written.flatMap((item) => {
    const { action, replaces: user, linksTo } = item;
    if (action !== "update" || user === undefined) return [];
    const key = itemKey(item);
    const operations: OperationId[] = [`write/${key}`, ...(linksTo.length > 0 ? [`link/${key}` as const] : [])];
    return referencedKeys(user.kind, user.body).map((to) => ({ to, user, operations }));
  });
  return groupBy(uses, ({ to }) => to);
}

/** The delete needs the updates of former users: after a failed update, a link to the record remains. */
function deleteOf(item: Removal, users: ReadonlyMap<RecordKey, readonly Use[]>): DeleteOperation[] {
  if (item.action !== "delete") return [];
  const key = targetKey(item);
  const needs = (users.get(key) ?? []).flatMap(({ user, operations }): Need[] => {
    const otherwise = inUse(usersText([nameOfRecord(user)]));
    return operations.map((id) => ({ id, otherwise }));
  });
  return [{ id: `delete/${key}`, write: "delete", item, needs, after: [], notStarted: NOT_DELETED }];
}

export function inUse(message: string): OperationResult {
  return { status: "failed", action: "blocked", code: "in-use", message };
}
