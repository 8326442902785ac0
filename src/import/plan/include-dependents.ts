import { groupBy } from "../../core/collections.ts";
import type { Warning } from "../../core/outcome.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import { joinNames } from "../../core/text/format.ts";
import { nameOfRecord } from "../../kinds/names.ts";
import { kinds } from "../../kinds/registry.ts";
import type { PlanOptions } from "../../matching/plan-options.ts";
import { isRequested } from "../../matching/plan-options.ts";
import { hostsOf } from "../../matching/pair-kind.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";

/** A record and the record that it belongs to, such as an alert and its dashboard. */
interface Dependence {
  readonly dependent: StackRecord;
  readonly host: StackRecord;
}

/**
 * Adds to the selection the records that belong to an included record: without its alerts, a dashboard would be incomplete and
 * nobody would notice.
 */
export function withDependents(options: PlanOptions, archive: ArchiveIndex): PlanOptions {
  const { filter } = options;
  if (filter.include.length === 0) return options;
  const { only: _only, ...included } = filter;
  const along = dependences(archive).filter(({ host }) => isSelected(host, included));
  return {
    ...options,
    filter: { ...filter, along: new Set(along.map(({ dependent: { kind, id } }) => recordKey(kind, id))) },
  };
}

/** Warns of records that belong to a record selected by name and are not written. */
export function leftBehind(archive: ArchiveIndex, options: PlanOptions): Warning[] {
  const { include, only = [] } = options.filter;
  if ((include.length === 0 && only.length === 0) || options.chosen !== undefined) return [];
  const missingDependences = dependences(archive).filter(
    ({ dependent, host }) => isRequested(host, options) && !isRequested(dependent, options),
  );
  return [...groupBy(missingDependences, ({ host }) => recordKey(host.kind, host.id)).values()].flatMap(
    (of): Warning[] => {
      const [first] = of;
      if (first === undefined) return [];
      const names = joinNames(of, MAX_NAMED, ({ dependent }) => nameOfRecord(dependent));
      return [{ code: "left-behind", message: `${nameOfRecord(first.host)} is written without ${names}` }];
    },
  );
}

/** Dependents named per record. */
const MAX_NAMED = 5;

function dependences(archive: ArchiveIndex): Dependence[] {
  return kinds.flatMap((kind) =>
    (archive.byKind.get(kind.name) ?? []).flatMap((dependent) =>
      hostsOf(kind, dependent, archive).map((host) => ({ dependent, host })),
    ),
  );
}
