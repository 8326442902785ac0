import { compactJson } from "../domain/canonical-json.ts";
import type { JsonObject } from "../domain/json.ts";
import { withoutPath } from "../domain/member-path.ts";
import type { StackRecord } from "../domain/record.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { groupBy } from "./group-by.ts";

/** An archived record and the body it would have on the target, as far as ids are known. */
export interface Candidate {
  readonly record: StackRecord;
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
 * Pairs records that are written, by the same id, then by natural key. Names are not unique (field note), so within a key
 * records of equal content are paired off one for one, and a single rest on both sides is the same record, changed.
 * Anything else is ambiguous: pairing by order would be a guess.
 */
export function matchRecords(
  kind: ResourceKind,
  archived: readonly Candidate[],
  target: readonly StackRecord[],
  fixed: ReadonlyMap<string, string>,
): RecordPairs {
  const state: Open = { pairs: new Map(), taken: new Set(), archived: [...archived], target: [...target] };
  pairOff(
    state,
    (candidate) => fixed.get(candidate.record.id),
    (record) => record.id,
  );
  pairOff(
    state,
    (candidate) => candidate.record.id,
    (record) => record.id,
  );
  const ambiguous = new Map<string, readonly StackRecord[]>();
  for (const keyOf of kind.naturalKeys) {
    const from = groupBy(state.archived, (candidate) => keyOf(candidate.body));
    const to = groupBy(state.target, (record) => keyOf(record.body));
    for (const [key, candidates] of from) {
      const records = key === undefined ? undefined : to.get(key);
      if (!records) continue;
      const group: Open = { ...state, archived: candidates, target: records };
      pairOff(
        group,
        (candidate) => content(kind, candidate.body),
        (record) => content(kind, record.body),
      );
      pairRest(group, ambiguous);
    }
    state.archived = state.archived.filter(({ record }) => !state.pairs.has(record.id));
    state.target = state.target.filter((record) => !state.taken.has(record.id));
  }
  return { pairs: state.pairs, ambiguous };
}

/** What a record says, in the form in which the server's additions do not count. */
export function content(kind: ResourceKind, body: JsonObject): string {
  return compactJson(kind.comparable(kind.serverOwned.reduce(withoutPath, body)));
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
