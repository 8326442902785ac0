import { groupBy } from "../../core/collections.ts";
import type { Warning } from "../../core/outcome.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import { keyOfRecord, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { MAX_NAMED, joinNames } from "../../core/text/format.ts";
import { kinds } from "../../kinds/registry.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { isRequested, type PlanOptions } from "../../matching/plan-options.ts";
import { hostsOf } from "../../matching/pair-kind.ts";
import { referenceTargetsOf, type ArchiveIndex } from "../../references/archive-index.ts";

/** A record and the record that it belongs to, such as an alert and its dashboard. */
interface Dependence {
  readonly dependent: StackRecord;
  readonly host: StackRecord;
}

/**
 * Extends the selection by the records that belong to an included record: otherwise a dashboard would lack its alerts, and nobody
 * would notice. Excludes records without a name together with the record that they belong to, because no pattern can name them.
 */
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
  if (options.withDependencies === true) addDependencies(along, filter, all, archive);
  return { ...options, filter: { ...filter, along } };
}

/**
 * Adds to the selection the records that selected records reference, and the records that belong to selected records. Does the same
 * for each added record. Adds neither excluded records nor records that only an excluded record references.
 */
function addDependencies(
  along: Set<RecordKey>,
  selection: PlanOptions["filter"],
  all: readonly Dependence[],
  archive: ArchiveIndex,
): void {
  const dependentsOf = groupBy(all, ({ host }) => keyOfRecord(host));
  const unvisited = [...archive.byKey.values()].filter(
    (record) => isSelected(record, selection) || along.has(keyOfRecord(record)),
  );
  for (let record = unvisited.pop(); record !== undefined; record = unvisited.pop()) {
    const referenced = referenceTargetsOf(archive, record).flatMap(
      ({ record: key }) => archive.byKey.get(key ?? "/") ?? [],
    );
    const belonging = dependentsOf.get(keyOfRecord(record)) ?? [];
    for (const next of [...referenced, ...belonging.map(({ dependent }) => dependent)]) {
      const isExcluded = !isSelected(next, {
        include: [],
        exclude: selection.exclude,
        excludedAlong: selection.excludedAlong,
      });
      if (isExcluded || along.has(keyOfRecord(next)) || isSelected(next, selection)) continue;
      along.add(keyOfRecord(next));
      unvisited.push(next);
    }
  }
}

/**
 * Warns of records that are not written although they belong to a record that was selected by name.
 * @param isOnTarget tells whether the target has the record already: an update of the other one leaves it there
 */
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
