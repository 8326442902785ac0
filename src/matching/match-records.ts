import { getOrMake, groupBy } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import type { StackRecord } from "../core/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { PlaceholderPlace } from "../redaction/placeholders.ts";
import { borrowSecrets, findPlaceholders } from "../redaction/placeholders.ts";
import { withValues } from "../redaction/replace-values.ts";
import { foldIds } from "../references/known-ids.ts";
import { content, recordFingerprint } from "../references/record-content.ts";

/** An archived record and the body it would have on the target, as far as ids are known. */
export interface Candidate {
  readonly record: StackRecord;
  /** May be made each time it is asked for: the bodies of all records together are larger than memory. */
  readonly body: JsonObject;
}

/** Who is who among the archive's and the target's records of one kind. */
export interface RecordPairs {
  /** Archive id → the target's record. */
  readonly pairs: ReadonlyMap<string, StackRecord>;
  /** Archive id → the target's records that it could be, where content does not tell. */
  readonly ambiguous: ReadonlyMap<string, readonly StackRecord[]>;
}

/**
 * Pairs records that are written: as is known already, then equal content one for one (names are not unique: field note),
 * then the same id, then a single rest of one natural key on both sides: the same record, changed. Anything else is
 * ambiguous: pairing by order would be a guess.
 * @param sameId the id under which a record could be on the target, undefined where it is to be another one there
 */
export function matchRecords(
  kind: ResourceKind,
  archived: readonly Candidate[],
  target: readonly StackRecord[],
  fixed: ReadonlyMap<string, string>,
  sameId: (record: StackRecord) => string | undefined,
): RecordPairs {
  const digestOf = digestOnce(kind);
  const state: Open = { pairs: new Map(), taken: new Set(), archived: [...archived], target: [...target] };
  const byId = (record: StackRecord): string => record.id;
  pairOff(state, (candidate) => fixed.get(candidate.record.id), byId);
  // A copy that an earlier run put next to the archive's own record is nearer than that record, if that was changed.
  const unchanged = new Set(state.target.map((record) => `${record.id} ${digestOf(record)}`));
  pairOff(
    state,
    (candidate) => {
      const id = sameId(candidate.record);
      return id !== undefined && unchanged.has(`${id} ${digestOf(candidate)}`) ? id : undefined;
    },
    byId,
  );
  // Equal content, one for one. It holds what the natural keys are made of.
  pairOff(state, digestOf, digestOf);
  pairOff(state, ({ record }) => sameId(record), byId);
  const ambiguous = new Map<string, readonly StackRecord[]>();
  for (const keyOf of kind.naturalKeys) {
    const from = groupBy(state.archived, (candidate) => folded(keyOf(candidate.body)));
    const to = groupBy(state.target, (record) => folded(keyOf(record.body)));
    for (const [key, candidates] of from) {
      const records = key === undefined ? undefined : to.get(key);
      if (!records) continue;
      const group: Open = { ...state, archived: candidates, target: records };
      for (const [candidate, record] of pairRedacted(kind, candidates, records)) pair(group, candidate, record);
      pairRest(leftOf(group), ambiguous);
    }
    Object.assign(state, leftOf(state));
  }
  return { pairs: state.pairs, ambiguous };
}

/** The strongest natural key of a body; the case of the ids in it does not count. */
export function naturalKey(kind: ResourceKind, body: JsonObject): string | undefined {
  return folded(kind.naturalKeys[0]?.(body));
}

function folded(key: string | undefined): string | undefined {
  return key === undefined ? undefined : foldIds(key);
}

interface Open {
  readonly pairs: Map<string, StackRecord>;
  /** Ids of the target's records that are paired. */
  readonly taken: Set<string>;
  archived: Candidate[];
  target: StackRecord[];
}

function pairOff(
  open: Open,
  left: (candidate: Candidate) => string | undefined,
  right: (record: StackRecord) => string | undefined,
): void {
  const records = groupBy(open.target, right);
  open.archived = open.archived.filter((candidate) => {
    const key = left(candidate);
    const match = key === undefined ? undefined : records.get(key)?.shift();
    if (match) pair(open, candidate, match);
    return !match;
  });
  open.target = open.target.filter((record) => !open.taken.has(record.id));
}

/** What tells contents apart, found once for each record: neither are bodies looked at again nor is their text held. */
function digestOnce(kind: ResourceKind): (of: Candidate | StackRecord) => string {
  const digests = new Map<Candidate | StackRecord, string>();
  return (of) => {
    const digest = digests.get(of) ?? recordFingerprint(kind, of.body);
    digests.set(of, digest);
    return digest;
  };
}

function leftOf(open: Open): Open {
  const archived = open.archived.filter(({ record }) => !open.pairs.has(record.id));
  return { ...open, archived, target: open.target.filter((record) => !open.taken.has(record.id)) };
}

function pairRest(group: Open, ambiguous: Map<string, readonly StackRecord[]>): void {
  const [candidate, ...others] = group.archived;
  const [record, ...rest] = group.target;
  if (!candidate || !record) return;
  if (others.length === 0 && rest.length === 0) pair(group, candidate, record);
  else for (const { record: archived } of group.archived) ambiguous.set(archived.id, group.target);
}

function pair(open: Open, candidate: Candidate, record: StackRecord): void {
  open.pairs.set(candidate.record.id, record);
  open.taken.add(record.id);
}

/**
 * Pairs records that are equal but for secrets that the archive does not show. Only what is equal around the places of the
 * secrets is looked at in full: of a thousand dashboards of one name that would be a million pairs.
 */
function pairRedacted(
  kind: ResourceKind,
  archived: readonly Candidate[],
  target: readonly StackRecord[],
): [Candidate, StackRecord][] {
  const grouped = new Map<string, ReadonlyMap<string, readonly StackRecord[]>>();
  const taken = new Set<StackRecord>();
  return archived.flatMap((candidate) => {
    // Bodies may be made when they are asked for.
    const { body } = candidate;
    const places = findPlaceholders(body);
    if (places.length === 0) return [];
    const where = places.map(({ pointer }) => pointer).join("\n");
    const groups = getOrMake(grouped, where, () => groupBy(target, (record) => around(kind, record.body, places)));
    const isAlike = (there: JsonObject): boolean => content(kind, borrowSecrets(body, there)) === content(kind, there);
    const match = groups.get(around(kind, body, places))?.find((record) => !taken.has(record) && isAlike(record.body));
    if (!match) return [];
    taken.add(match);
    return [[candidate, match]];
  });
}

/** What tells contents apart but for what stands in these places. */
function around(kind: ResourceKind, body: JsonObject, places: readonly PlaceholderPlace[]): string {
  return recordFingerprint(kind, withValues(body, new Map(places.map(({ tokens }) => [tokens, ""]))));
}
