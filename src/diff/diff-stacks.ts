import { byCodeUnit } from "../core/collections.ts";
import type { Diff, MemberChange, NotCompared, RecordChange } from "../core/diff.ts";
import type { JsonObject } from "../core/json.ts";
import type { Warning } from "../core/outcome.ts";
import { IdMap } from "../core/plan/id-map.ts";
import type { ManualMapping, Match, Transforms } from "../core/plan/plan.ts";
import { isSelected, type RecordFilter } from "../core/records/record-filter.ts";
import { isSameStack, keyOfRecord, recordKey, type KindName, type StackRecord } from "../core/records/record.ts";
import type { FindRecord, ResourceKind } from "../core/resource-kind.ts";
import { findKind, kinds as allKinds } from "../kinds/registry.ts";
import { findUnusedPatterns } from "../kinds/unused-patterns.ts";
import { withDisplayNames } from "../kinds/nouns.ts";
import { yieldToEventLoop } from "../core/event-loop.ts";
import { transformRecords, transformsBetween, type TransformedRecords } from "../import/transforms.ts";
import { recordFinder, type Inventory } from "../matching/inventory.ts";
import { namePrefixOf, type PlanOptions } from "../matching/plan-options.ts";
import { matchAll, type Matching } from "../matching/match-all.ts";
import { translatedBody } from "../matching/translated-body.ts";
import { indexArchive, type ArchiveIndex } from "../references/archive-index.ts";
import { differingParts } from "../references/compare.ts";
import { drawChanges } from "../references/member-changes.ts";
import { partsOfDesired, partsOfTarget, type SourceChildren } from "../references/parts.ts";
import { childrenOfSameId, mapChildrenByIdentity } from "../references/children.ts";
import { nameChangedReferences } from "../references/reference-names.ts";
import { inventoryFromSide, type DiffSide } from "./side.ts";

export interface DiffRequest {
  /** Empty means all. */
  readonly kinds: readonly KindName[];
  readonly filter: RecordFilter;
  readonly mapping: ManualMapping;
  readonly namePrefix?: string | undefined;
  /** The transforms that an import of the left side into the right side would use. */
  readonly transforms?: Transforms;
}

export interface DiffWithWarnings extends Diff {
  readonly warnings: readonly Warning[];
}

/**
 * Sends no request. Translates the left side's references to ids of the right side.
 * @throws StackferryError `usage` for a mistake in the map file
 */
export async function diffStacks(
  left: DiffSide,
  right: DiffSide,
  request: DiffRequest,
  signal?: AbortSignal,
): Promise<DiffWithWarnings> {
  const transformed = transformLeftSide(left, right, request);
  const writtenRecords = transformed.records.filter((record) => !transformed.leftOut.has(keyOfRecord(record)));
  const archive = await indexArchive(withDisplayNames(writtenRecords), signal);
  const inventory = inventoryFromSide({ ...right, records: withDisplayNames(right.records) });
  const paired = pairedFiles(left, right);
  // Ids of code files are derived from names and positions, so they mean nothing on a stack.
  const ownStack = paired === undefined && areOneStack(left, right);
  const options: PlanOptions = { onConflict: "keep", create: [], ...request, filter: transformed.filter, paired };
  const basis = { bases: new Map(), ownStack, isComparison: true, signal } as const;
  const matching = await matchAll(archive, inventory, options, basis);
  const kinds = allKinds.filter(({ name }) => request.kinds.length === 0 || request.kinds.includes(name));
  const haveOneAddress = isSameStack(left.identity, right.identity);
  const compared: Diff[] = [];
  for (const kind of kinds) {
    const notCompared = blockers(kind, left, right);
    const sides = { archive, inventory, matching, options, left, right, signal };
    // Skips a kind that no import writes, because each stack has its own records of it.
    const isComparable = notCompared.length === 0 && (haveOneAddress || kind.importPolicy.when !== "never");
    const comparison = isComparable ? await compareKind(kind, sides) : { changes: [], same: 0 };
    compared.push({ ...comparison, notCompared });
  }
  return {
    changes: compared.flatMap(({ changes }) => changes),
    same: compared.reduce((sum, { same }) => sum + same, 0),
    notCompared: compared.flatMap(({ notCompared }) => notCompared),
    warnings: [...transformed.warnings, ...matching.warnings],
  };
}

/** An address proves nothing: a stack can have several, or be rebuilt at the same one. */
function areOneStack(left: DiffSide, right: DiffSide): boolean {
  const keys = new Set(left.records.map(keyOfRecord));
  const shared = right.records.filter((record) => keys.has(keyOfRecord(record))).length;
  const half = Math.min(keys.size, right.records.length) / 2;
  return shared > 0 && (isSameStack(left.identity, right.identity) || shared >= half);
}

/** Records of the right side's own stack need no transforms. */
function transformLeftSide(
  left: DiffSide,
  right: DiffSide,
  { transforms, filter }: Pick<DiffRequest, "transforms" | "filter">,
): TransformedRecords {
  const applied = left.paired ? transforms : transformsBetween(left.identity, right.identity, transforms);
  return transformRecords(left.records, applied, filter);
}

/** @throws StackferryError `usage` for a pattern of `--include` that certainly matches none */
export async function warnOfUnusedPatterns(left: DiffSide, right: DiffSide, request: DiffRequest): Promise<Warning[]> {
  const { filter, namePrefix } = request;
  if (filter.include.length + filter.exclude.length === 0) return [];
  const unprefixed = right.records.flatMap((record): StackRecord[] => {
    const kind = findKind(record.kind);
    const withoutItsPrefix = kind && withoutNamePrefix(kind, record, namePrefix);
    return withoutItsPrefix === undefined ? [] : [withoutItsPrefix];
  });
  return findUnusedPatterns(filter, {
    records: [...left.records, ...transformLeftSide(left, right, request).records, ...right.records, ...unprefixed],
    where: "on either side",
    unread: [...new Set([left, right].flatMap(({ unread = [] }) => unread))],
    nameOf: ({ name }) => name,
  });
}

function pairedFiles({ paired: ours }: DiffSide, { paired: theirs }: DiffSide): ManualMapping | undefined {
  if (ours !== undefined || theirs === undefined) return ours;
  return Object.fromEntries(
    Object.entries(theirs).map(([space, lines]) => {
      const pairs = Object.entries(lines).flatMap(([to, from]) =>
        typeof from === "string" ? [[from, to] as const] : [],
      );
      return [space, Object.fromEntries<string>(pairs)];
    }),
  );
}

interface Sides {
  readonly archive: ArchiveIndex;
  readonly inventory: Inventory;
  readonly matching: Matching;
  readonly options: PlanOptions;
  readonly left: DiffSide;
  readonly right: DiffSide;
  readonly signal: AbortSignal | undefined;
}

function blockers({ name }: ResourceKind, left: DiffSide, right: DiffSide): NotCompared[] {
  const blockedSides = (["left", "right"] as const).flatMap((side): NotCompared[] => {
    const status = { left, right }[side].statuses.get(name) ?? "not-requested";
    return status === "complete" || status === "partial" ? [] : [{ kind: name, side, reason: status }];
  });
  // Nothing is reported for a kind that neither the code files nor the other side have.
  const isInNone = [left, right].every(({ records }) => records.every(({ kind }) => kind !== name));
  if (
    isInNone &&
    (left.paired ?? right.paired) !== undefined &&
    blockedSides.every(({ reason }) => reason === "not-requested")
  )
    return [];
  return blockedSides.length === 2 && blockedSides.every(({ reason }) => reason !== "failed") ? [] : blockedSides;
}

async function compareKind(kind: ResourceKind, sides: Sides): Promise<Omit<Diff, "notCompared">> {
  const { archive, inventory, matching, right, options, signal } = sides;
  const find = recordFinder(inventory);
  const records = sorted(archive.byKind.get(kind.name) ?? []);
  const pairs = new Map(
    records.flatMap(({ id }) => {
      const counterpart = find(kind.name, matching.ids.get(kind.name, id) ?? "");
      return counterpart === undefined ? [] : [[id, counterpart] as const];
    }),
  );
  const changes: RecordChange[] = [];
  let same = 0;
  for (const record of records) {
    await yieldToEventLoop(signal);
    const counterpart = pairs.get(record.id);
    const selected =
      isSelected(record, options.filter) || (counterpart !== undefined && isSelected(counterpart, options.filter));
    if (!selected) continue;
    if (counterpart === undefined) {
      if (provesNothing(right, record)) continue;
      const unsure = matching.pairs.get(kind.name)?.ambiguous.has(record.id) ? ({ ambiguous: true } as const) : {};
      changes.push({ ...describe(record, "removed"), leftId: record.id, ...unsure });
      continue;
    }
    const change = isDeclaredSame(kind, record, sides) ? undefined : compareRecords(kind, record, counterpart, sides);
    if (change === undefined) same += 1;
    else changes.push(change);
  }
  return { changes: [...changes, ...addedRecords(kind, pairs, sides)], same };
}

function addedRecords(
  kind: ResourceKind,
  pairs: ReadonlyMap<string, StackRecord>,
  { inventory, left, options: { filter, namePrefix } }: Sides,
): RecordChange[] {
  const taken = new Set([...pairs.values()].map(({ id }) => id));
  return sorted(inventory.kinds.get(kind.name)?.records ?? []).flatMap((record): RecordChange[] => {
    const unprefixed = withoutNamePrefix(kind, record, namePrefix);
    if (taken.has(record.id) || unprefixed === undefined || provesNothing(left, record)) return [];
    if (!isSelected(record, filter) && !isSelected(unprefixed, filter)) return [];
    return [{ ...describe(record, "added"), rightId: record.id }];
  });
}

/** A line of the map file says that the two records stand for each other. */
function isDeclaredSame({ name, importPolicy }: ResourceKind, { id }: StackRecord, { matching }: Sides): boolean {
  const isDeclared = ({ space, from, to, rule }: Match): boolean =>
    space === name && from === id && to !== id && rule === "map-file";
  return importPolicy.when === "on-request" && matching.matches.some(isDeclared);
}

function compareRecords(
  kind: ResourceKind,
  record: StackRecord,
  counterpart: StackRecord,
  { archive, inventory, matching, options }: Sides,
): RecordChange | undefined {
  const translation = { ids: matching.ids, knownIds: archive.knownIds, namePrefix: namePrefixOf(record, options) };
  const body = translatedBody(kind, record, translation);
  const changes = diffBodies(kind, body, { owner: record, ids: matching.ids }, counterpart.body);
  if (changes.length === 0) return undefined;
  // `findLeft` serves ids without a counterpart, which are still ids of the left side.
  const findLeft: FindRecord = (of, id) => archive.byKey.get(recordKey(of, id));
  const versions = { left: body, right: counterpart.body };
  const members = nameChangedReferences(kind, changes, versions, [recordFinder(inventory), findLeft]);
  return { ...describe(counterpart, "changed"), leftId: record.id, rightId: counterpart.id, members };
}

function diffBodies(
  kind: ResourceKind,
  left: JsonObject,
  children: SourceChildren,
  right: JsonObject,
): readonly MemberChange[] {
  return drawChanges(kind, differingParts(partsOfDesired(kind, left, children), partsOfTarget(kind, right)));
}

export function diffVersions(
  kind: ResourceKind,
  left: Pick<StackRecord, "id" | "body">,
  right: JsonObject,
): readonly MemberChange[] {
  const { id, body } = left;
  const children = mapChildrenByIdentity(kind, id, body, right, {
    pairs: childrenOfSameId(kind, body, { target: right }),
  });
  return diffBodies(kind, body, { owner: left, ids: new IdMap(children) }, right);
}

/** Undefined if the name lacks the prefix: no import with this prefix created the record. */
function withoutNamePrefix(
  { nameFields }: ResourceKind,
  record: StackRecord,
  namePrefix: string | undefined,
): StackRecord | undefined {
  if (namePrefix === undefined || nameFields.name === undefined || record.name === "") return record;
  return record.name.startsWith(namePrefix) ? { ...record, name: record.name.slice(namePrefix.length) } : undefined;
}

function provesNothing({ leftOut }: DiffSide, record: StackRecord): boolean {
  return leftOut?.has(keyOfRecord(record)) === true;
}

function describe(
  { kind, name, displayName }: StackRecord,
  change: RecordChange["change"],
): Omit<RecordChange, "leftId"> {
  return { kind, name, change, members: [], ...(displayName !== undefined && { displayName }) };
}

/** By code unit: a comparison reads the same on every machine. */
function sorted(records: readonly StackRecord[]): StackRecord[] {
  const key = ({ name, id }: StackRecord): string => `${name}\n${id}`;
  return [...records].sort((record, other) => byCodeUnit(key(record), key(other)));
}
