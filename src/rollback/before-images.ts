import type { Outcome } from "../core/outcome.ts";
import type { RecordState } from "../core/plan/state.ts";
import { keyOfRecord, splitKey, targetKey, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { JournaledRecord } from "../journal/replay.ts";
import { knownKind } from "../kinds/registry.ts";
import { recordFinder } from "../matching/inventory.ts";
import { findReferences } from "../references/references.ts";
import { restoredEarlier, undoDeletes } from "./undo-deletes.ts";
import { undoWrites, type BeforeImagesInput, type UndoneWrites } from "./undo-writes.ts";

/** The target as it was before the runs: the archive that a rollback imports. Keys are those of the target's records. */
export interface BeforeImages extends Pick<UndoneWrites, "created" | "journalKeys"> {
  /** The images: the records that the runs replaced or deleted, as they were. Also the records to which the images refer. */
  readonly records: readonly StackRecord[];
  /** The images to put back or to create again. The other records only tell what is on the target. */
  readonly restored: ReadonlySet<RecordKey>;
  /** Each state tells what the runs stored of a record to put back, and the ids of its children. */
  readonly bases: ReadonlyMap<RecordKey, RecordState>;
  /** Records that an earlier rollback has created again, perhaps without their links. */
  readonly again: ReadonlyMap<RecordKey, JournaledRecord>;
  /** The records that stay as they are, each with the reason. */
  readonly left: readonly Outcome[];
}

/** Finds out what the target had before the chosen runs of a journal. Sends no request. */
export function beforeImages(input: BeforeImagesInput): BeforeImages {
  const writes = undoWrites(input);
  const deletes = undoDeletes(input, writes);
  const asked = [...writes.images, ...deletes.images];
  const earlier = restoredEarlier(input, new Set(asked.map(keyOfRecord)));
  const images = [...asked, ...earlier.map(({ image }) => image)];
  const unlinked = earlier.filter(({ isUnlinked }) => isUnlinked).map(({ image }) => image);
  const restored = new Set([...asked, ...unlinked].map(keyOfRecord));
  const { created, journalKeys } = writes;
  return {
    records: [...images, ...contextOf(images, input, created)],
    restored,
    bases: new Map([...writes.bases, ...earlier.map(({ image, base }) => [keyOfRecord(image), base] as const)]),
    again: new Map(earlier.map(({ image, stored }) => [keyOfRecord(image), stored])),
    created,
    left: [...writes.left.filter((outcome) => !restored.has(targetKey(outcome))), ...deletes.left],
    journalKeys,
  };
}

/** Lists the target's records to which images refer, and that stay. */
function contextOf(
  images: readonly StackRecord[],
  { inventory }: BeforeImagesInput,
  created: ReadonlyMap<RecordKey, unknown>,
): StackRecord[] {
  const find = recordFinder(inventory);
  const imageKeys = new Set(images.map(keyOfRecord));
  const referenced = images.flatMap(({ kind, body }) => findReferences(knownKind(kind), body, new Map()));
  const found = referenced.flatMap(({ record }) => (record === undefined ? [] : (find(...splitKey(record)) ?? [])));
  return [...new Set(found)].filter(
    (record) => !imageKeys.has(keyOfRecord(record)) && !created.has(keyOfRecord(record)),
  );
}
