import { byCodeUnit, getOrMake } from "../../../core/collections.ts";
import { ID_TOKEN, recordKey } from "../../../core/records/record.ts";
import { visitValues } from "../../../core/records/member-path.ts";
import type { RecordKey, StackRecord } from "../../../core/records/record.ts";
import { findKind, kinds } from "../../../kinds/registry.ts";
import { isDeclaredAt } from "../../../kinds/members/declared-members.ts";
import { childReference, plainName } from "../plain-names.ts";
import type { Names } from "./to-code.ts";
import { toCode } from "./to-code.ts";

/** Delimits the key of a record in the text of another one. */
const MARK = "\0";
const MARKED = /\\u0000(.*?)\\u0000/g;

/**
 * At most this many ties are broken by id and followed by a new ranking of the neighbours; further ties are broken by id alone.
 */
const MAX_SPLITS = 100;

/** A record with a shared name, and all data that can distinguish it from the others. */
interface Rival {
  readonly record: StackRecord;
  readonly key: RecordKey;
  /** Its content, with record keys in place of ids. */
  readonly text: string;
  readonly dependents: readonly string[];
}

/**
 * Orders records of the same name by content, then by the records that reference them. Ids decide only if nothing else
 * distinguishes two records: so a copy of a stack, which has other ids, gets the same order.
 */
export function orderRivals(
  groups: readonly (readonly StackRecord[])[],
  records: readonly StackRecord[],
): (readonly StackRecord[])[] {
  const contested = groups.filter(({ length }) => length > 1).flat();
  if (contested.length === 0) return [...groups];
  const rivals = describeRivals(contested, records);
  const ranks = rankRivals(rivals);
  const rankOf = ({ kind, id }: StackRecord): number => ranks.get(recordKey(kind, id)) ?? 0;
  return groups.map((group) => group.toSorted((left, right) => rankOf(left) - rankOf(right)));
}

function describeRivals(contested: readonly StackRecord[], records: readonly StackRecord[]): Rival[] {
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const byId = new Map(records.map(({ kind, id }) => [id.toLowerCase(), recordKey(kind, id)]));
  const rivals = new Set(contested.map(({ kind, id }) => recordKey(kind, id)));
  const markedName = (key: RecordKey): string => {
    const record = byKey.get(key);
    if (rivals.has(key)) return `${MARK}${key}${MARK}`;
    return record === undefined ? key : `${record.kind}/${plainName(record)}`;
  };
  const names: Names = {
    refer: (space, id, owner) => childReference(space, id, owner, byKey) ?? markedName(recordKey(space, id)),
    mention: (text) =>
      text.replaceAll(ID_TOKEN, (id) => {
        const key = byId.get(id.toLowerCase());
        return key === undefined ? id : markedName(key);
      }),
  };
  const dependents = dependentsOf(records, rivals);
  return contested.flatMap((record) => {
    const kind = findKind(record.kind);
    if (kind === undefined) return [];
    const key = recordKey(record.kind, record.id);
    const text = JSON.stringify(toCode(kind, record.body, names));
    return [
      {
        record,
        key,
        text,
        dependents: (dependents.get(key) ?? []).map((dependent) => JSON.stringify(markedName(dependent))),
      },
    ];
  });
}

function dependentsOf(records: readonly StackRecord[], rivals: ReadonlySet<RecordKey>): Map<RecordKey, RecordKey[]> {
  const dependents = new Map<RecordKey, RecordKey[]>();
  for (const { kind: name, id, body } of records) {
    for (const path of findKind(name)?.references ?? []) {
      visitValues(body, path.path, (value, indices) => {
        if (typeof value !== "string" || !isDeclaredAt(path, body, indices)) return;
        const key = recordKey(path.to, value);
        if (rivals.has(key)) getOrMake(dependents, key, () => []).push(recordKey(name, id));
      });
    }
  }
  return dependents;
}

type Ranks = ReadonlyMap<RecordKey, number>;

/**
 * Ranks records by their own data, then by their neighbours, then by the neighbours of those, until the ranks no longer change.
 */
function rankRivals(rivals: readonly Rival[]): Ranks {
  let ranks = refineRanks(
    rivals,
    rankBy(rivals, new Map(), ({ record }) => `${record.kind} ${record.name}`),
  );
  for (let split = 0; split < MAX_SPLITS; split += 1) {
    const tied = firstTie(rivals, ranks);
    if (tied === undefined) return ranks;
    const byId = (rival: Rival): string => (tied === ranks.get(rival.key) ? rival.record.id : "");
    ranks = refineRanks(rivals, rankBy(rivals, ranks, byId));
  }
  return rankBy(rivals, ranks, ({ record }) => record.id);
}

function refineRanks(rivals: readonly Rival[], start: Ranks): Ranks {
  let ranks = start;
  for (;;) {
    const replaceMarks = (text: string): string => text.replaceAll(MARKED, (_, key: string) => `#${byText.get(key)}`);
    const byText = new Map<string, number>(ranks);
    const textWithRanks = ({ text, dependents }: Rival): string =>
      `${replaceMarks(text)}\n${dependents.map(replaceMarks).sort().join(" ")}`;
    const finer = rankBy(rivals, ranks, textWithRanks);
    if (new Set(finer.values()).size === new Set(ranks.values()).size) return finer;
    ranks = finer;
  }
}

/** Refines ranks: the texts separate records of equal rank. */
function rankBy(rivals: readonly Rival[], before: Ranks, textOf: (rival: Rival) => string): Ranks {
  const described = rivals.map((rival) => ({ key: rival.key, rank: before.get(rival.key) ?? 0, text: textOf(rival) }));
  described.sort((left, right) => left.rank - right.rank || byCodeUnit(left.text, right.text));
  const ranks = new Map<RecordKey, number>();
  let rank = -1;
  for (const [index, ranked] of described.entries()) {
    const previous = described[index - 1];
    if (previous?.rank !== ranked.rank || previous.text !== ranked.text) rank = index;
    ranks.set(ranked.key, rank);
  }
  return ranks;
}

/** Returns a rank that several records share, of the first kind in dependency order. */
function firstTie(rivals: readonly Rival[], ranks: Ranks): number | undefined {
  const seen = new Map<number, Rival>();
  const tied = rivals.filter((rival) => {
    const rank = ranks.get(rival.key) ?? 0;
    const isTied = seen.has(rank);
    seen.set(rank, rival);
    return isTied;
  });
  const order = kinds.map(({ name }) => name);
  const [first] = tied.toSorted(
    (left, right) =>
      order.indexOf(left.record.kind) - order.indexOf(right.record.kind) ||
      (ranks.get(left.key) ?? 0) - (ranks.get(right.key) ?? 0),
  );
  return first && ranks.get(first.key);
}
