import { ownMember } from "../../core/json.ts";
import { groupBy } from "../../core/collections.ts";
import type { Warning } from "../../core/outcome.ts";
import type { AlteredMember, Transforms } from "../../core/plan/plan.ts";
import { matchesGlob, isSelected, type RecordFilter } from "../../core/records/record-filter.ts";
import {
  isSameStack,
  keyOfRecord,
  type RecordKey,
  type StackIdentity,
  type StackRecord,
} from "../../core/records/record.ts";
import { findKind } from "../../kinds/registry.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { naturalKey } from "../../matching/match-records.ts";
import { transformBody } from "./transform-record.ts";
import { targetAnswersOf, type Inventory } from "../../matching/inventory.ts";

/** The effects of transforms that the plan reports. */
export interface TransformNotes {
  readonly changes: ReadonlyMap<RecordKey, readonly AlteredMember[]>;
  readonly leftOut: ReadonlySet<RecordKey>;
  /** The names of the left-out records, each with its kind (`KIND NAME`): the original names and the transformed names. */
  readonly leftOutNames: ReadonlySet<string>;
  readonly formerNames: ReadonlyMap<RecordKey, string>;
  /** Records that a transform made indistinguishable from another record, with the message. */
  readonly collisions: ReadonlyMap<RecordKey, string>;
}

export const NO_TRANSFORM_NOTES: TransformNotes = {
  changes: new Map(),
  leftOut: new Set(),
  leftOutNames: new Set(),
  formerNames: new Map(),
  collisions: new Map(),
};

export interface TransformedRecords extends TransformNotes {
  /** All records, including those that are left out. */
  readonly records: readonly StackRecord[];
  /** The user's filter, extended so that it also selects a renamed record by its former name. */
  readonly filter: RecordFilter;
  readonly warnings: readonly Warning[];
}

/**
 * Returns the transforms for records of this source; undefined if the source is the target itself, because a stack's own records
 * are restored unchanged.
 */
export function transformsBetween(
  source: StackIdentity,
  target: StackIdentity,
  transforms: Transforms | undefined,
): Transforms | undefined {
  return isSameStack(source, target) ? undefined : transforms;
}

/** Applies a target's transforms to records before they are planned. Pure. */
export function transformRecords(
  records: readonly StackRecord[],
  transforms: Transforms | undefined,
  filter: RecordFilter,
): TransformedRecords {
  if (transforms === undefined) return { ...NO_TRANSFORM_NOTES, records, filter, warnings: [] };
  const changes = new Map<RecordKey, readonly AlteredMember[]>();
  const warnings: Warning[] = [];
  const leftOut = new Set(records.filter(({ kind, name }) => isLeftOut(transforms, kind, name)).map(keyOfRecord));
  const named = records.map((record) => {
    const kind = findKind(record.kind);
    if (kind === undefined || leftOut.has(keyOfRecord(record))) return record;
    const transformed = transformBody(kind, record.body, transforms);
    warnings.push(...transformed.untouched.map((pointer) => untouchedWarning(record, pointer)));
    if (transformed.changes.length === 0) return record;
    changes.set(keyOfRecord(record), transformed.changes);
    return { ...record, name: kind.nameOf(transformed.body), body: transformed.body };
  });
  const renamed = records.filter(({ name }, index) => named[index]?.name !== name);
  const formerNames = new Map(renamed.map((record) => [keyOfRecord(record), record.name]));
  const isWritten = (record: StackRecord): boolean => !leftOut.has(keyOfRecord(record));
  return {
    records: named,
    changes,
    leftOut,
    leftOutNames: namesOf(
      records.filter((record) => !isWritten(record)),
      transforms,
    ),
    formerNames,
    collisions: findCollisions(named.filter(isWritten), formerNames),
    filter: underBothNames(filter, renamed),
    warnings,
  };
}

function namesOf(records: readonly StackRecord[], transforms: Transforms): Set<string> {
  const names = records.flatMap(({ kind: name, name: recordName, body }) => {
    const kind = findKind(name);
    const renamed = kind === undefined ? recordName : kind.nameOf(transformBody(kind, body, transforms).body);
    return [`${name} ${recordName}`, `${name} ${renamed}`];
  });
  return new Set(names);
}

function isLeftOut({ leaveOut = {} }: Transforms, kind: string, name: string): boolean {
  const patterns = ownMember(leaveOut, kind);
  return patterns?.some((pattern) => matchesGlob(pattern, name)) === true;
}

/** Finds records whose natural keys became equal: nothing would tell which of them corresponds to the target's record. */
function findCollisions(
  written: readonly StackRecord[],
  formerNames: TransformNotes["formerNames"],
): ReadonlyMap<RecordKey, string> {
  const formerName = (record: StackRecord): string => formerNames.get(keyOfRecord(record)) ?? record.name;
  const renamed = new Set(written.flatMap((record) => (formerNames.has(keyOfRecord(record)) ? [record.kind] : [])));
  const groups = groupBy(
    written.filter(({ kind }) => renamed.has(kind)),
    (record) => `${record.kind} ${keyOf(record)}`,
  );
  const collisions = new Map<RecordKey, string>();
  for (const group of groups.values()) {
    const names = [...new Set(group.map(formerName))];
    if (names.length < 2) continue;
    const quoted = names.map((name) => `"${name}"`);
    const namesText = [...quoted.slice(0, 3), ...(quoted.length > 3 ? [`${quoted.length - 3} more`] : [])].join(", ");
    const message = `transforms.rename gives ${namesText} the same name, "${group[0]?.name ?? ""}"; give each its own`;
    for (const record of group) collisions.set(keyOfRecord(record), message);
  }
  return collisions;
}

function keyOf(record: StackRecord): string {
  const kind = findKind(record.kind);
  return (kind && naturalKey(kind, record.body)) ?? record.id;
}

function underBothNames(filter: RecordFilter, renamed: readonly StackRecord[]): RecordFilter {
  const idsOf = (patterns: readonly string[]): string[] =>
    patterns.length === 0
      ? []
      : renamed.filter((record) => isSelected(record, { include: patterns, exclude: [] })).map(({ id }) => id);
  return {
    include: [...filter.include, ...idsOf(filter.include)],
    exclude: [...filter.exclude, ...idsOf(filter.exclude)],
  };
}

function untouchedWarning(record: StackRecord, pointer: string): Warning {
  const message = `transforms.replace left a text of ${nameOfRecord(record)} alone, because an id or a placeholder in that text would have changed; narrow the from of the rule`;
  return { code: "unused", message, pointer };
}

/** Converts each record to the form that the target's variant takes, such as one channel in place of a list of one. */
export function convertForVariant(archived: readonly StackRecord[], inventory: Inventory): readonly StackRecord[] {
  return archived.map((record) => {
    const form = findKind(record.kind)?.formFor?.(record.body, targetAnswersOf(inventory, record.kind));
    return form === undefined ? record : { ...record, body: form };
  });
}
