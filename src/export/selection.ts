import type { ManifestWarning } from "../core/manifest.ts";
import type { RecordFilter } from "../core/records/record-filter.ts";
import { isSelected } from "../core/records/record-filter.ts";
import type { RecordKey, StackRecord } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import { listed } from "../core/text/plural.ts";
import { nameOfRecord } from "../kinds/id-spaces.ts";
import { knownKind } from "../kinds/registry.ts";
import { findReferences } from "../references/references.ts";

type Named = Pick<StackRecord, "kind" | "id" | "name">;

/** What becomes of a record. */
export interface Choice {
  readonly isTaken: boolean;
  /** A record that is taken and that this one lives on, though it is left out itself. */
  readonly leftOn?: RecordKey;
}

/** Chooses the records that a user asked for. */
export interface Selection {
  /** Records are asked for by name: it has to see them before what lives on them. */
  readonly isByName: boolean;
  choose(record: StackRecord): Choice;
}

/**
 * What lives on a record of `include` comes along, as an alert does with its dashboard: an export of a dashboard without its alerts
 * would lose them in silence. Kinds that are only matched are always taken.
 */
export function createSelection(filter: RecordFilter): Selection {
  const { only: _only, ...included } = filter;
  const isByName = filter.include.length + (filter.only ?? []).length > 0;
  const taken = new Map<string, RecordKey>();
  const bringing = new Set<string>();
  const isExcluded = (record: StackRecord): boolean => !isSelected(record, { include: [], exclude: filter.exclude });
  return {
    isByName,
    choose(record) {
      const hosts = isByName ? hostsOf(record) : [];
      const comesAlong = hosts.some((host) => bringing.has(host)) && !isExcluded(record);
      if (isSelected(record, filter) || comesAlong) {
        const key = recordKey(record.kind, record.id);
        taken.set(key.toLowerCase(), key);
        if (filter.include.length > 0 && isSelected(record, included)) bringing.add(key.toLowerCase());
        return { isTaken: true };
      }
      if (knownKind(record.kind).notReplayed !== undefined) return { isTaken: true };
      const leftOn = hosts.map((host) => taken.get(host)).find((host) => host !== undefined);
      return { isTaken: false, ...(leftOn !== undefined && { leftOn }) };
    },
  };
}

/** The records that one lives on. A stack may spell ids in another case from one answer to the next. */
function hostsOf({ kind: name, body }: StackRecord): string[] {
  const kind = knownKind(name);
  const { livesOn = [] } = kind;
  if (livesOn.length === 0) return [];
  const references = findReferences(kind, body, new Map());
  return references.flatMap(({ record }) =>
    record !== undefined && livesOn.some((host) => record.startsWith(`${host}/`)) ? [record.toLowerCase()] : [],
  );
}

/** Of the records that live on one, so many are named. */
const MAX_NAMED = 5;

/** Names what lives on records that were asked for by name and is left out. @param left by what each lives on */
export function leftBehindWarnings(
  taken: readonly Named[],
  left: ReadonlyMap<RecordKey, readonly Named[]>,
): ManifestWarning[] {
  return taken.flatMap((host) => {
    const of = left.get(recordKey(host.kind, host.id)) ?? [];
    if (of.length === 0) return [];
    const names = listed(of, MAX_NAMED, nameOfRecord);
    return [{ code: "left-behind", message: `${nameOfRecord(host)} is exported without ${names}` }];
  });
}
