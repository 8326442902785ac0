import { groupBy } from "../../core/collections.ts";
import type { Warning } from "../../core/outcome.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import { listed } from "../../core/text/plural.ts";
import { nameOfRecord } from "../../kinds/id-spaces.ts";
import { kinds } from "../../kinds/registry.ts";
import type { ImportOptions } from "../../matching/import-options.ts";
import { isRequested } from "../../matching/import-options.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";

/** A record and one that it lives on, as an alert does on a dashboard. */
interface Dependence {
  readonly dependent: StackRecord;
  readonly host: StackRecord;
}

/** The options under which what lives on an included record comes along: a dashboard without its alerts would be restored in silence. */
export function withDependents(options: ImportOptions, archive: ArchiveIndex): ImportOptions {
  const { filter } = options;
  if (filter.include.length === 0) return options;
  const { only: _only, ...included } = filter;
  const along = dependences(archive).filter(({ host }) => isSelected(host, included));
  return {
    ...options,
    filter: { ...filter, along: new Set(along.map(({ dependent: { kind, id } }) => recordKey(kind, id))) },
  };
}

/** Names what lives on the records that were asked for by name and is not written. */
export function leftBehind(archive: ArchiveIndex, options: ImportOptions): Warning[] {
  const { include, only = [] } = options.filter;
  if (include.length === 0 && only.length === 0) return [];
  const open = dependences(archive).filter(
    ({ dependent, host }) => isRequested(host, options) && !isRequested(dependent, options),
  );
  return [...groupBy(open, ({ host }) => recordKey(host.kind, host.id)).values()].flatMap((of): Warning[] => {
    const [first] = of;
    if (first === undefined) return [];
    const names = listed(of, MAX_NAMED, ({ dependent }) => nameOfRecord(dependent));
    return [{ code: "left-behind", message: `${nameOfRecord(first.host)} is written without ${names}` }];
  });
}

/** Of the records that live on one, so many are named. */
const MAX_NAMED = 5;

function dependences(archive: ArchiveIndex): Dependence[] {
  return kinds.flatMap(({ name, livesOn = [] }) =>
    livesOn.length === 0
      ? []
      : (archive.byKind.get(name) ?? []).flatMap((dependent) =>
          hostsOf(dependent, archive)
            .filter(({ kind }) => livesOn.includes(kind))
            .map((host) => ({ dependent, host })),
        ),
  );
}

function hostsOf({ kind, id }: StackRecord, archive: ArchiveIndex): StackRecord[] {
  const targets = archive.referenceTargets.get(recordKey(kind, id)) ?? [];
  const keys = new Set(targets.flatMap(({ record }) => record ?? []));
  return [...keys].flatMap((key) => archive.byKey.get(key) ?? []);
}
