import type { IdMap, IdMapping } from "../core/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { StackRecord } from "../core/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { referencesOf, referenceTargetsOf } from "../references/archive-index.ts";
import { forgetIds, mapChildrenByIdentity } from "../references/children.ts";
import { rewriteReferences } from "../references/references.ts";
import type { ImportOptions } from "./import-options.ts";
import { isRequested } from "./import-options.ts";
import type { Inventory } from "./inventory.ts";
import { applyLabels } from "./labels.ts";
import type { Candidate, RecordPairs } from "./match-records.ts";
import { matchRecords } from "./match-records.ts";

/** Chains of records that point to each other are seldom longer; where they are, a later run finds the rest. */
const MOST_ROUNDS = 4;

/**
 * Pairs the records of one kind with the target's, and adds what it finds to `ids`, parts included.
 * Records may point to others of their kind, so it is done again as long as the last round has taught something new.
 */
export function pairKind(
  kind: ResourceKind,
  archive: ArchiveIndex,
  inventory: Inventory,
  options: ImportOptions,
  ids: IdMap,
): RecordPairs {
  if ((inventory.kinds.get(kind.name)?.records.length ?? 0) === 0) return { pairs: new Map(), ambiguous: new Map() };
  const fixed = knownOf(kind, ids);
  let paired = pairOnce(kind, archive, inventory, options, ids, fixed);
  if (paired.pairs.size === 0 || !pointsToItsOwn(kind, archive)) return paired;
  for (let round = 2; round <= MOST_ROUNDS; round += 1) {
    const before = paired;
    paired = pairOnce(kind, archive, inventory, options, ids, fixed);
    if (samePairs(before, paired)) break;
  }
  return paired;
}

function samePairs(left: RecordPairs, right: RecordPairs): boolean {
  return (
    left.pairs.size === right.pairs.size && [...left.pairs].every(([from, to]) => right.pairs.get(from)?.id === to.id)
  );
}

/** A record's body as it would be written, as far as ids are known. */
export function translatedBody(
  kind: ResourceKind,
  record: StackRecord,
  archive: ArchiveIndex,
  options: ImportOptions,
  ids: IdMap,
): JsonObject {
  const body = rewriteReferences(record.body, referencesOf(archive, record), ids, archive.known);
  // What is only looked up, because something that is asked for points to it, is on the target under its own name.
  return isRequested(record, options) ? applyLabels(kind, body, options.labels) : body;
}

/** A record to be matched. Its body is translated when it is asked for, with what `ids` says by then. */
export function candidateOf(
  kind: ResourceKind,
  record: StackRecord,
  archive: ArchiveIndex,
  options: ImportOptions,
  ids: IdMap,
): Candidate {
  return {
    record,
    get body() {
      return translatedBody(kind, record, archive, options, ids);
    },
  };
}

function pairOnce(
  kind: ResourceKind,
  archive: ArchiveIndex,
  inventory: Inventory,
  options: ImportOptions,
  ids: IdMap,
  fixed: ReadonlyMap<string, string>,
): RecordPairs {
  const archived = archive.byKind.get(kind.name) ?? [];
  const candidates = archived.map((record) => candidateOf(kind, record, archive, options, ids));
  // Under another name it is to be another record, whatever there is under its id.
  const renamed = (record: StackRecord): boolean =>
    options.labels.namePrefix !== undefined && isRequested(record, options);
  const sameId = (record: StackRecord): string | undefined => (renamed(record) ? undefined : record.id);
  const paired = matchRecords(kind, candidates, inventory.kinds.get(kind.name)?.records ?? [], fixed, sameId);
  // All of it is learned before any of it counts: one record is to be seen as all the others were.
  const inferred = candidates.flatMap((candidate): IdMapping[] => {
    const { id } = candidate.record;
    const counterpart = paired.pairs.get(id);
    if (!counterpart) return [];
    const own = { space: kind.name, from: id, to: counterpart.id };
    return [own, ...mapChildrenByIdentity(kind, id, candidate.body, counterpart.body)];
  });
  for (const { record } of candidates) if (!fixed.has(record.id)) forgetIds(kind, record, ids);
  for (const { space, from, to } of inferred) ids.set(space, from, to);
  return paired;
}

function pointsToItsOwn(kind: ResourceKind, archive: ArchiveIndex): boolean {
  const own = `${kind.name}/`;
  return (archive.byKind.get(kind.name) ?? []).some((record) =>
    referenceTargetsOf(archive, record).some((referenceTarget) => referenceTarget.record?.startsWith(own)),
  );
}

function knownOf(kind: ResourceKind, ids: IdMap): Map<string, string> {
  return new Map([...ids].filter(({ space }) => space === kind.name).map(({ from, to }) => [from, to]));
}
