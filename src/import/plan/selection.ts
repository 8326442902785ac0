import { groupBy } from "../../core/collections.ts";
import type { Warning } from "../../core/outcome.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import { keyOfRecord, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { MAX_NAMED, joinNames } from "../../core/text/format.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { kinds, kindsOnRequest, knownKind } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { isRequested, type PlanOptions } from "../../matching/plan-options.ts";
import { hostsOf } from "../../matching/pair-kind.ts";
import { referenceTargetsOf, type ArchiveIndex } from "../../references/archive-index.ts";
import type { DecisionBasis, RecordToDecide } from "./decide/decision.ts";

/** Records of kinds that `--create` names come first, because others reference them. */
export function requestedRecords(archive: ArchiveIndex, options: PlanOptions): RecordToDecide[] {
  const written = kinds.filter(({ importPolicy }) => importPolicy.when === "always");
  const requested = written.flatMap(({ name }) =>
    (archive.byKind.get(name) ?? []).filter((record) => isRequested(record, options)),
  );
  const created = kindsOnRequest.flatMap(({ name }) =>
    options.create.includes(name) ? (archive.byKind.get(name) ?? []) : [],
  );
  const needed =
    created.length > 0 && isPartialImport(options)
      ? withLinked(requested, (record) => linkedFrom(record, archive))
      : undefined;
  const wanted = created.filter(
    (record) => needed === undefined || options.kinds.includes(record.kind) || needed.has(keyOfRecord(record)),
  );
  return [...wanted, ...requested].map((record) => ({ kind: knownKind(record.kind), record }));
}

export function isPartialImport({ kinds: requestedKinds, filter }: PlanOptions): boolean {
  return [requestedKinds, filter.include, filter.exclude].some((values) => values.length > 0);
}

function linkedFrom(record: StackRecord, archive: ArchiveIndex): StackRecord[] {
  return referenceTargetsOf(archive, record).flatMap(({ record: key }) => archive.byKey.get(key ?? "/") ?? []);
}

function withLinked(
  records: readonly StackRecord[],
  linksOf: (record: StackRecord) => readonly StackRecord[],
): Set<RecordKey> {
  const found = new Map(records.map((record) => [keyOfRecord(record), record]));
  // A map that grows while it is walked through also yields what was added.
  for (const record of found.values()) for (const next of linksOf(record)) found.set(keyOfRecord(next), next);
  return new Set(found.keys());
}

interface Dependence {
  readonly dependent: StackRecord;
  readonly host: StackRecord;
}

/** Selects alerts along with their dashboard. Excludes unnamed alerts with their dashboard, because no pattern can name them. */
export function withDependents(options: PlanOptions, archive: ArchiveIndex): PlanOptions {
  const { include, exclude } = options.filter;
  if (include.length === 0 && exclude.length === 0) return options;
  const all = dependences(archive);
  const excludedAlong = new Set(
    all
      .filter(({ dependent, host }) => dependent.name.trim() === "" && !isSelected(host, { include: [], exclude }))
      .map(({ dependent }) => keyOfRecord(dependent)),
  );
  const filter = { ...options.filter, excludedAlong };
  if (include.length === 0) return { ...options, filter };
  const along = new Set(
    all.filter(({ host }) => isSelected(host, filter)).map(({ dependent }) => keyOfRecord(dependent)),
  );
  if (options.withDependencies !== true) return { ...options, filter: { ...filter, along } };
  const dependentsOf = groupBy(all, ({ host }) => keyOfRecord(host));
  // A record to which only an excluded record links is not added either.
  const linksOf = (record: StackRecord): StackRecord[] =>
    [
      ...linkedFrom(record, archive),
      ...(dependentsOf.get(keyOfRecord(record)) ?? []).map(({ dependent }) => dependent),
    ].filter((next) => isSelected(next, { include: [], exclude, excludedAlong }));
  const selected = archive.records.filter((record) => isSelected(record, filter) || along.has(keyOfRecord(record)));
  return { ...options, filter: { ...filter, along: withLinked(selected, linksOf) } };
}

/** @param isOnTarget true if the target has the dependent, which an update of its host keeps */
export function warnOfOmittedDependents(
  archive: ArchiveIndex,
  options: PlanOptions,
  isOnTarget: (record: StackRecord) => boolean,
): Warning[] {
  if (options.filter.include.length === 0 || options.chosen !== undefined) return [];
  const missingDependences = dependences(archive).filter(
    ({ dependent, host }) => isRequested(host, options) && !isRequested(dependent, options) && !isOnTarget(dependent),
  );
  return [...groupBy(missingDependences, ({ host }) => keyOfRecord(host)).values()].flatMap((of): Warning[] => {
    const [first] = of;
    if (first === undefined) return [];
    const names = joinNames(of, MAX_NAMED, ({ dependent }) => nameOfRecord(dependent));
    return [{ code: "left-out", message: `${nameOfRecord(first.host)} is written without ${names}` }];
  });
}

function dependences(archive: ArchiveIndex): Dependence[] {
  return kinds.flatMap((kind) =>
    (archive.byKind.get(kind.name) ?? []).flatMap((dependent) =>
      hostsOf(kind, dependent, archive).map((host) => ({ dependent, host })),
    ),
  );
}

/** A deployment offers creates if it has the list of `servedWith`, even if the key cannot read that list. */
export function isCreateOffered({ routes, importPolicy }: ResourceKind, { stack, kinds: lists }: Inventory): boolean {
  if (importPolicy.when !== "on-request" || routes[stack.variant].create === undefined) return false;
  return (lists.get(importPolicy.servedWith)?.status ?? "not-offered") !== "not-offered";
}

export function creationHint(
  kind: ResourceKind,
  { inventory, options }: Pick<DecisionBasis, "inventory" | "options">,
): string {
  if (kind.importPolicy.when !== "on-request") return "";
  if (inventory.kinds.get(kind.name)?.status === "forbidden") return "; the target's cannot be read with this key";
  if (!isCreateOffered(kind, inventory)) return "; the target does not offer to create one";
  return options.create.includes(kind.name) ? "" : `; --create ${kind.name} creates missing ones`;
}
