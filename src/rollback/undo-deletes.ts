import { groupBy } from "../core/collections.ts";
import type { Outcome } from "../core/outcome.ts";
import type { RecordState } from "../core/plan/state.ts";
import { keyOfRecord, splitKey, targetKey, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { JournaledRecord } from "../journal/replay.ts";
import { findKind } from "../kinds/registry.ts";
import { recordFinder } from "../matching/inventory.ts";
import { findPlaceholders } from "../redaction/placeholders.ts";
import { foldedKey } from "../references/known-ids.ts";
import { mapChildrenByPosition } from "../references/map-children.ts";
import { hostKeysOf } from "../references/references.ts";
import { leaveAlone } from "./outcomes.ts";
import { isChosen, type BeforeImagesInput, type UndoneWrites } from "./undo-writes.ts";

/** The records that the chosen runs deleted, or that the server deleted with their updates. */
export interface UndoneDeletes {
  /** The records as they were. Their keys have the ids that they had. */
  readonly images: readonly StackRecord[];
  readonly left: readonly Outcome[];
}

/**
 * Lists the deleted records to create again. Leaves out a record that the import itself had created. A record that the server may
 * have deleted counts only if it is gone.
 */
export function undoDeletes(input: BeforeImagesInput, writes: UndoneWrites): UndoneDeletes {
  const { state, inventory, force } = input;
  const find = recordFinder(inventory);
  const written = new Map(
    [...state.records].map(([key, record]) => [foldedKey(splitKey(key)[0], record.targetId), record]),
  );
  const replaced = new Set(writes.images.map(keyOfRecord));
  const leftKeys = new Set(writes.left.map(targetKey));
  const [images, left]: [StackRecord[], Outcome[]] = [[], []];
  for (const { key, name, body, proven, run } of state.cascadeLosses) {
    const [kindName, id] = splitKey(key);
    const [kind, record] = [findKind(kindName), written.get(foldedKey(kindName, id))];
    if (kind === undefined || record?.created === true || !isChosen(input, run) || replaced.has(key)) continue;
    const isThere = find(kindName, id) !== undefined;
    if (isThere && (!proven || leftKeys.has(key))) continue;
    const image = { kind: kindName, id, name, body: { ...(record?.previous ?? body), id } };
    const obstacle = isThere ? undefined : obstacleTo(image, kind, force ? writes.created : new Map());
    if (obstacle === undefined) images.push(image);
    else left.push(leaveAlone(image, obstacle, { find }));
  }
  return { images, left };
}

/** Tells why a record cannot be created again. @param going the records of the target that are deleted in any case */
function obstacleTo(
  { body }: StackRecord,
  kind: ResourceKind,
  going: ReadonlyMap<RecordKey, unknown>,
): string | undefined {
  if (hostKeysOf(kind, body).some((host) => going.has(host))) return "dead-reference";
  return findPlaceholders(body).length > 0 ? "redacted" : undefined;
}

/** A record that an earlier rollback has created again or put back: as it was before the import, and as the rollback stored it. */
export interface RestoredRecord {
  readonly image: StackRecord;
  /** The record's present id, and those of its children. */
  readonly base: RecordState;
  readonly stored: JournaledRecord;
  /** Whether a chosen run deleted the record, and an interrupted rollback has not added its links yet. */
  readonly isUnlinked: boolean;
}

/**
 * Lists what earlier rollbacks have restored, and the target still has: other records may refer to its former ids.
 * @param asked the keys of what the chosen runs wrote and deleted
 */
export function restoredEarlier(input: BeforeImagesInput, asked: ReadonlySet<RecordKey>): RestoredRecord[] {
  const find = recordFinder(input.inventory);
  const restored = new Map(input.state.broughtBack.map((record) => [record.key, record]));
  return [...restored].flatMap(([key, { name, body, content, linked, run, ...was }]) => {
    const [kindName, id] = splitKey(key);
    const kind = findKind(kindName);
    const now = find(kindName, was.targetId);
    if (kind === undefined || now === undefined || asked.has(key)) return [];
    const image = { kind: kindName, id, name, body: { ...body, id } };
    const pairs = groupBy(mapChildrenByPosition(kind, image.body, now.body) ?? [], ({ space }) => space);
    const children = [...pairs].map(([space, of]): [string, Record<string, string>] => {
      return [space, Object.fromEntries(of.map(({ from, to }) => [splitKey(from)[1], to]))];
    });
    const target = { targetId: now.id, name: now.name };
    return [
      {
        image,
        base: { ...target, written: true, children: Object.fromEntries(children) },
        stored: { ...target, content, created: true, linked },
        isUnlinked: !linked && isChosen(input, run),
      },
    ];
  });
}
