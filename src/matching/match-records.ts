import { getOrMake, groupBy, partition } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import type { StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { yieldToEventLoop } from "../core/event-loop.ts";
import { borrowSecrets, findPlaceholders, setValues, type PlaceholderPlace } from "../redaction/placeholders.ts";
import { mapChildrenByIdentity } from "../references/map-children.ts";
import { childrenOf } from "../references/children.ts";
import { foldIds } from "../references/known-ids.ts";
import { haveSameContent, recordFingerprint } from "../references/record-content.ts";

/** An archived record, and the body that it would have on the target with the ids known so far. */
export interface RecordToMatch {
  readonly record: StackRecord;
  readonly body: JsonObject;
}

export interface RecordPairs {
  /** Archive id → the target's record. */
  readonly pairs: ReadonlyMap<string, StackRecord>;
  /** Archive id → candidates on the target, for records without a certain counterpart. */
  readonly ambiguous: ReadonlyMap<string, readonly StackRecord[]>;
}

/** The ids that are known before contents are compared. */
export interface KnownIdentity {
  /** Archive id → target id, from the map file, the journal and the state. */
  readonly fixed: ReadonlyMap<string, string>;
  /** Returns the id under which a record is looked for on the target; undefined if a name prefix makes it a new record there. */
  readonly sameId: (record: StackRecord) => string | undefined;
  /** Whether the target is the stack that the archive was made from, so that an equal id is proof. */
  readonly ownStack: boolean;
  /** If set, a record is recognised by its id or its content alone, never by its name. */
  readonly exact?: ExactMatches | undefined;
}

/** How the images of a rollback are recognised. */
export interface ExactMatches {
  /** Tells whether the run deletes a record of the target. Such a record is taken for an image only if no other one is equal. */
  readonly isGoing: (record: StackRecord) => boolean;
  /** Tells whether an earlier run may have created the record. Then a record of its name may be the result. */
  readonly isBegun: (record: StackRecord) => boolean;
}

/** Puts the records that the run deletes last, so that a rule that pairs equal records prefers the others. */
export function goingLast(target: readonly StackRecord[], exact: ExactMatches | undefined): readonly StackRecord[] {
  return exact === undefined ? target : partition(target, (record) => !exact.isGoing(record)).flat();
}

/** Records that have no counterpart yet. */
interface Unpaired {
  readonly archived: readonly RecordToMatch[];
  readonly target: readonly StackRecord[];
}

type Pair = readonly [RecordToMatch, StackRecord];

/** One rule that pairs records. */
type Rule = (unpaired: Unpaired, signal: AbortSignal | undefined) => Promise<Found>;

interface Found extends Partial<Pick<RecordPairs, "ambiguous">> {
  readonly pairs: readonly Pair[];
}

/**
 * Pairs the archive's records of one kind with the target's. The rules apply in a fixed order, each rule to the records that no
 * earlier rule has paired. Records that no rule can tell apart are ambiguous, because pairing by position would be a guess. If the
 * target is not the archive's own stack, an equal id counts only if other content is equal or similar, too.
 */
export async function matchRecords(
  kind: ResourceKind,
  archived: readonly RecordToMatch[],
  target: readonly StackRecord[],
  { fixed, sameId, ownStack, exact }: KnownIdentity,
  signal?: AbortSignal,
): Promise<RecordPairs> {
  const digestOf = digestOnce(kind);
  const idOf = ({ id }: StackRecord): string => id;
  const rules: readonly Rule[] = [
    equalKeys(({ record }) => fixed.get(record.id), idOf),
    // This rule comes before the rule of equal content, because an earlier run may have created a copy with equal content next to
    // the original.
    equalKeys(
      (candidate) => withId(sameId(candidate.record), digestOf(candidate)),
      (record) => withId(record.id, digestOf(record)),
    ),
    // Pairs one to one, because several records may have the same name and content (docs/api.md#dashboards).
    equalKeys(digestOf, digestOf),
    equalIds(sameId, (candidate, record) => ownStack || haveOneKey(kind, candidate, record)),
    ...(exact === undefined ? rulesOfNames(kind, sameId) : rulesOfImages(kind, sameId, digestOf, exact)),
  ];
  const pairs = new Map<string, StackRecord>();
  const ambiguous = new Map<string, readonly StackRecord[]>();
  let unpaired: Unpaired = { archived, target: goingLast(target, exact) };
  for (const rule of rules) {
    const found = await rule(unpaired, signal);
    for (const [candidate, record] of found.pairs) pairs.set(candidate.record.id, record);
    for (const [id, records] of found.ambiguous ?? []) if (!ambiguous.has(id)) ambiguous.set(id, records);
    unpaired = withoutPairs(unpaired, found.pairs);
  }
  return { pairs, ambiguous };
}

/** The rules for records that are equal neither in their ids nor in their content. */
function rulesOfNames(kind: ResourceKind, sameId: KnownIdentity["sameId"]): readonly Rule[] {
  return [
    ...kind.naturalKeys.map((keyOf) => onlyOneOfKey(kind, keyOf)),
    equalIds(sameId, (candidate, record) => areAlike(kind, candidate, record)),
    onlyIds(sameId),
  ];
}

/** The rules for images that are equal to no record: somebody may have created one again with the old ids in its texts. */
function rulesOfImages(
  kind: ResourceKind,
  sameId: KnownIdentity["sameId"],
  digestOf: ReturnType<typeof digestOnce>,
  { isBegun }: ExactMatches,
): readonly Rule[] {
  const ofBegun =
    (rule: Rule): Rule =>
    (unpaired, signal) =>
      rule({ ...unpaired, archived: unpaired.archived.filter(({ record }) => isBegun(record)) }, signal);
  return [equalKeys(({ record }) => digestOf(record), digestOf), ...rulesOfNames(kind, sameId).map(ofBegun)];
}

function withId(id: string | undefined, digest: string): string | undefined {
  return id === undefined ? undefined : `${id} ${digest}`;
}

function withoutPairs({ archived, target }: Unpaired, pairs: readonly Pair[]): Unpaired {
  const candidates = new Set(pairs.map(([candidate]) => candidate));
  const ids = new Set(pairs.map(([, { id }]) => id));
  return {
    archived: archived.filter((candidate) => !candidates.has(candidate)),
    target: target.filter(({ id }) => !ids.has(id)),
  };
}

/** Groups items by a key, in their order. Yields to the event loop, because the key takes time to compute. */
async function groupByKey<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | undefined,
  signal: AbortSignal | undefined,
): Promise<Map<string | undefined, Item[]>> {
  const groups = new Map<string | undefined, Item[]>();
  for (const item of items) {
    getOrMake(groups, keyOf(item), () => []).push(item);
    await yieldToEventLoop(signal);
  }
  return groups;
}

/** Makes a rule that pairs records with equal keys, one to one. */
function equalKeys(
  archivedKey: (candidate: RecordToMatch) => string | undefined,
  targetKey: (record: StackRecord) => string | undefined,
): Rule {
  return async ({ archived, target }, signal) => {
    const records = await groupByKey(target, targetKey, signal);
    const pairs: Pair[] = [];
    for (const candidate of archived) {
      const key = archivedKey(candidate);
      const match = key === undefined ? undefined : records.get(key)?.shift();
      if (match) pairs.push([candidate, match]);
      await yieldToEventLoop(signal);
    }
    return { pairs };
  };
}

/** Makes a rule that pairs records with equal ids if `isCounterpart` accepts the pair. */
function equalIds(
  sameId: KnownIdentity["sameId"],
  isCounterpart: (candidate: RecordToMatch, record: StackRecord) => boolean,
): Rule {
  return async ({ archived, target }, signal) => {
    const records = new Map(target.map((record) => [record.id, record]));
    const pairs: Pair[] = [];
    for (const candidate of archived) {
      const record = records.get(sameId(candidate.record) ?? "");
      if (record && isCounterpart(candidate, record)) pairs.push([candidate, record]);
      await yieldToEventLoop(signal);
    }
    return { pairs };
  };
}

/** Makes a rule that calls two records ambiguous if only their ids are equal: the user decides whether they correspond. */
function onlyIds(sameId: KnownIdentity["sameId"]): Rule {
  return async (unpaired, signal) => {
    const { pairs } = await equalIds(sameId, () => true)(unpaired, signal);
    return { pairs: [], ambiguous: new Map(pairs.map(([{ record }, targetRecord]) => [record.id, [targetRecord]])) };
  };
}

function haveOneKey({ naturalKeys }: ResourceKind, { body }: RecordToMatch, record: StackRecord): boolean {
  return naturalKeys.some((keyOf) => {
    const key = foldKey(keyOf(body));
    return key !== undefined && key === foldKey(keyOf(record.body));
  });
}

/** Tells whether two records are equal except for the name, or share at least half of their children. */
function areAlike(kind: ResourceKind, { body }: RecordToMatch, record: StackRecord): boolean {
  const { name } = kind.nameFields;
  const withoutName = (content: JsonObject): JsonObject => (name === undefined ? content : { ...content, [name]: "" });
  if (haveSameContent(kind, withoutName(body), withoutName(record.body))) return true;
  const count = kind.children.flatMap((children) => childrenOf(body, children)).length;
  return count > 0 && mapChildrenByIdentity(kind, "", body, record.body).length * 2 >= count;
}

/**
 * Makes a rule that pairs records with the same natural key: first records that are equal except for secrets; then the last two, if
 * exactly one record remains on each side.
 */
function onlyOneOfKey(kind: ResourceKind, keyOf: (body: JsonObject) => string | undefined): Rule {
  return async ({ archived, target }, signal) => {
    const from = await groupByKey(archived, ({ body }) => foldKey(keyOf(body)), signal);
    const to = await groupByKey(target, ({ body }) => foldKey(keyOf(body)), signal);
    const pairs: Pair[] = [];
    const ambiguous = new Map<string, readonly StackRecord[]>();
    for (const [key, candidates] of from) {
      const records = key === undefined ? [] : (to.get(key) ?? []);
      const redacted = await pairRedacted(kind, candidates, records, signal);
      pairs.push(...redacted);
      const rest = withoutPairs({ archived: candidates, target: records }, redacted);
      const [candidate, ...others] = rest.archived;
      const [record, ...further] = rest.target;
      if (!candidate || !record) continue;
      if (others.length === 0 && further.length === 0) pairs.push([candidate, record]);
      else for (const leftover of rest.archived) ambiguous.set(leftover.record.id, rest.target);
    }
    return { pairs, ambiguous };
  };
}

/** Returns the strongest natural key of a body, with ids in lower case. */
export function naturalKey(kind: ResourceKind, body: JsonObject): string | undefined {
  return foldKey(kind.naturalKeys[0]?.(body));
}

function foldKey(key: string | undefined): string | undefined {
  return key === undefined ? undefined : foldIds(key);
}

/** Makes a function that digests each record only once, because several rules ask for it. */
function digestOnce(kind: ResourceKind): (of: RecordToMatch | StackRecord) => string {
  const digests = new Map<RecordToMatch | StackRecord, string>();
  return (of) => getOrMake(digests, of, () => recordFingerprint(kind, of.body));
}

/**
 * Pairs records that are equal except for redacted secrets. First groups the records by their content without the secrets, then
 * compares whole records only within a group. Without groups, a thousand dashboards of one name would need a million comparisons.
 */
async function pairRedacted(
  kind: ResourceKind,
  archived: readonly RecordToMatch[],
  target: readonly StackRecord[],
  signal: AbortSignal | undefined,
): Promise<Pair[]> {
  if (target.length === 0) return [];
  const grouped = new Map<string, ReadonlyMap<string, readonly StackRecord[]>>();
  const taken = new Set<StackRecord>();
  const pairs: Pair[] = [];
  for (const candidate of archived) {
    await yieldToEventLoop(signal);
    const { body } = candidate;
    const places = findPlaceholders(body);
    if (places.length === 0) continue;
    const where = places.map(({ pointer }) => pointer).join("\n");
    const groups = getOrMake(grouped, where, () =>
      groupBy(target, (record) => digestAround(kind, record.body, places)),
    );
    const isAlike = (targetBody: JsonObject): boolean =>
      haveSameContent(kind, borrowSecrets(body, targetBody), targetBody);
    const match = groups
      .get(digestAround(kind, body, places))
      ?.find((record) => !taken.has(record) && isAlike(record.body));
    if (!match) continue;
    taken.add(match);
    pairs.push([candidate, match]);
  }
  return pairs;
}

/** Makes a digest of a body without the values at these places. */
function digestAround(kind: ResourceKind, body: JsonObject, places: readonly PlaceholderPlace[]): string {
  return recordFingerprint(kind, setValues(body, new Map(places.map(({ tokens }) => [tokens, ""]))));
}
