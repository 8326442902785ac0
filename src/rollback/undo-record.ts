import type { JsonObject } from "../core/json.ts";
import { borrowSecrets, findPlaceholders } from "../redaction/placeholders.ts";
import {
  mergeRunWrites,
  type JournaledRecord,
  type JournalReplay,
  type PendingWrite,
  type RunWrite,
} from "../journal/replay.ts";
import { withNewIds } from "./new-ids.ts";
import { splitKey, type RecordKey, type StackRecord } from "../core/records/record.ts";
import { groupBy } from "../core/collections.ts";
import type { IdMap } from "../core/plan/id-map.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import type { PlanOptions } from "../matching/plan-options.ts";
import { recordFinder, recordsWithContent, type Inventory } from "../matching/inventory.ts";
import { foldIds } from "../references/known-ids.ts";
import { recordFingerprint } from "../references/record-content.ts";
import type { RollbackItem } from "./item.ts";

export interface RollbackInput extends Pick<PlanOptions, "acceptHiddenLoss" | "fitLimits"> {
  readonly state: JournalReplay;
  readonly inventory: Inventory;
  /** Whether to undo records even if somebody has changed them since the import. */
  readonly force: boolean;
  /** Current time in milliseconds; by default, rules that depend on the time are ignored. */
  readonly now?: number;
  /** Numbers of the runs to undo; default: all. */
  readonly runs?: readonly number[];
}

/** Lists the items of writes with a known result. @param ids old ids of records created again, with their new ids */
export function itemsOfKnownWrites({ state, inventory, force, runs }: RollbackInput, ids: IdMap): RollbackItem[] {
  const isChosen = ({ run }: RunWrite): boolean => runs === undefined || runs.includes(run);
  const findTarget = recordFinder(inventory);
  return [...state.writes].flatMap(([key, writes]) => {
    const [name] = splitKey(key);
    const kind = findKind(name);
    if (!kind) return [];
    const last = foldIds(writes.at(-1)?.targetId ?? "");
    return [...groupBy(writes, ({ targetId }) => foldIds(targetId))].flatMap(([id, of]): RollbackItem[] => {
      const first = of.findIndex(isChosen);
      const current = findTarget(name, id);
      // If a record no longer exists and a later run created it again under another id, the former record is not reported.
      if (first < 0 || (current === undefined && id !== last)) return [];
      const later = of.slice(first).filter((write) => !isChosen(write));
      const written = { chosen: of.filter(isChosen), later: later.map(({ run }) => run) };
      return [{ ...identityOf(key, written.chosen, current), ...undoRecord(kind, written, current, { force, ids }) }];
    });
  });
}

function identityOf(
  key: RecordKey,
  chosen: readonly RunWrite[],
  current: StackRecord | undefined,
): Pick<RollbackItem, "key" | "kind" | "sourceId" | "name" | "targetId"> {
  const [kind, sourceId] = splitKey(key);
  const last = chosen.at(-1);
  return {
    key,
    kind,
    sourceId,
    name: current?.name || last?.name || "",
    targetId: current?.id ?? last?.targetId ?? "",
  };
}

/**
 * Lists the items for records that were made by creates without a known result. These records are recognised by their content. If
 * more records have the same content than there were such creates, all these records are left alone.
 */
export function itemsOfLostCreates({ state, inventory, runs }: RollbackInput): RollbackItem[] {
  const isChosen = (key: RecordKey): boolean => runs === undefined || runs.includes(state.creating.get(key) ?? 0);
  const pendingCreates = state.pendingWrites.filter(({ key, write }) => write === "create" && isChosen(key));
  const knownIds = new Set([...state.writes.values()].flat().map(({ targetId }) => foldIds(targetId)));
  return [...groupBy(pendingCreates, ({ key, content }) => `${splitKey(key)[0]} ${content}`).values()].flatMap(
    (lost) => {
      const [first] = lost;
      const kind = first && findKind(splitKey(first.key)[0]);
      if (!first || !kind) return [];
      const others = new Set(lost.flatMap((pending) => pending.others ?? []).map(foldIds));
      const alike = recordsWithContent(inventory, kind, first.content).filter(
        ({ id }) => !knownIds.has(foldIds(id)) && !others.has(foldIds(id)),
      );
      const tooMany = alike.length > lost.length;
      return alike.map((record, index): RollbackItem => lostItem(kind, record, lost[index] ?? first, tooMany));
    },
  );
}

function lostItem(
  kind: ResourceKind,
  record: StackRecord,
  { key, since }: PendingWrite,
  tooMany: boolean,
): RollbackItem {
  const item = { key, kind: kind.name, sourceId: splitKey(key)[1], name: record.name, targetId: record.id };
  if (!tooMany) return { ...item, ...undoCreate(since, record) };
  const message = `was perhaps created by the import, but the target has several ${kind.name} with this content, so none was deleted; find out which one the import created, and delete it by hand`;
  return { ...item, action: "skip", code: "ambiguous", message };
}

/** The action for a record, and the reason. */
type Undo = Pick<RollbackItem, "action" | "code" | "message" | "previous" | "current">;

/** The writes to one record of the target by the chosen runs, and by later runs. */
interface WrittenRecord {
  /** Writes of the runs to undo, the earliest first; at least one. */
  readonly chosen: readonly RunWrite[];
  /** Numbers of later runs that wrote the record and are not undone. */
  readonly later: readonly number[];
}

/** Assumed maximum error of a server's clock: it may be wrong by an hour, or by a time zone. */
const CLOCK_DIFFERENCE_MS = 24 * 60 * 60_000;

/**
 * Decides how to undo the chosen runs' writes to one record.
 * @param ids old ids of records created again, with the new ids
 */
function undoRecord(
  kind: ResourceKind,
  { chosen, later }: WrittenRecord,
  current: StackRecord | undefined,
  { force, ids }: { readonly force: boolean; readonly ids: IdMap },
): Undo {
  const merged = mergeRunWrites(chosen);
  if (!current || !merged) return skipWith("gone", "is no longer on the target");
  const { previous } = merged;
  const record = previous === undefined ? merged : { ...merged, previous: withNewIds(kind, previous, ids) };
  const digest = recordFingerprint(kind, current.body);
  const [run] = later;
  if (run !== undefined) {
    return skipWith("later-run", `run ${run} wrote it later; undo that run first, or both with --run all`);
  }
  if (record.previous && digest === recordFingerprint(kind, borrowSecrets(record.previous, current.body))) {
    return skipWith("put-back", "is what it was before the import");
  }
  if (!force && digest !== record.content) {
    return skipWith("changed-since", "was changed on the target since the import; --force undoes it anyway");
  }
  return record.created ? undoCreate(chosen[0]?.since, current) : undoUpdate(record, current);
}

/**
 * Decides whether to delete a record that the import created. A record stays unless the journal and the target agree that the
 * import created it, even with --force: a journal may contain anything.
 */
function undoCreate(since: number | undefined, current: StackRecord): Undo {
  if (since === undefined)
    return skipWith(
      "unproven",
      "no line of the journal says that its create began; delete it by hand if the import created it",
    );
  if (wasCreatedBefore(current.body, since)) {
    return skipWith("unproven", "the target says that it was created before the import began");
  }
  return { action: "delete", current: current.body };
}

/** Tells whether the target says that a record was created before `since` (Unix milliseconds). */
export function wasCreatedBefore({ createdAt }: JsonObject, since: number): boolean {
  return typeof createdAt === "string" && Date.parse(createdAt) < since - CLOCK_DIFFERENCE_MS;
}

function undoUpdate({ previous }: JournaledRecord, { body }: StackRecord): Undo {
  if (!previous)
    return skipWith(
      "no-previous",
      "the journal does not have its former content; restore it by hand, or from an archive",
    );
  if (findPlaceholders(previous).length > 0) {
    const byHand = "restore it by hand, or from an archive with --secrets";
    return skipWith("redacted", `held a secret, which the journal does not store; ${byHand}`);
  }
  return { action: "update", previous, current: body };
}

function skipWith(code: string, message: string): Undo {
  return { action: "skip", code, message };
}
