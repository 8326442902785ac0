import { getOrMake } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import { keyOfRecord, splitKey, type RecordKey, type StackRecord, type Variant } from "../core/records/record.ts";
import type { ChildIds } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { nameOfChild, nameOfRecord } from "../kinds/nouns.ts";
import { childIdOf, childIdsOf, childrenOf } from "./children.ts";
import { foldIds } from "./known-ids.ts";
import { findReferences } from "./references.ts";
import { recordFingerprint } from "./record-content.ts";

/** Evidence of content that no answer of the API contains (docs/api.md#hidden-tiles). */
export interface HiddenContent {
  /** Names of children that the API returns in place of hidden ones. */
  readonly substitutes: readonly string[];
  readonly watchers: readonly StackRecord[];
}

/** Returns the records that hide content. An update of such a record destroys the content. */
export function findHiddenContent(
  records: readonly StackRecord[],
  variant: Variant,
): ReadonlyMap<RecordKey, HiddenContent> {
  const watchers = watchersOfHidden(records);
  return new Map(
    records.flatMap((record): [RecordKey, HiddenContent][] => {
      const key = keyOfRecord(record);
      const hidden = { substitutes: substitutesIn(record, variant), watchers: watchers.get(key) ?? [] };
      return hidden.substitutes.length + hidden.watchers.length === 0 ? [] : [[key, hidden]];
    }),
  );
}

/** An update of `owner` destroys the hidden child, and the server deletes these dependents with the child. */
export function dependentsOnHidden(
  owner: StackRecord | undefined,
  dependents: readonly StackRecord[] = [],
): RecordKey[] {
  return owner === undefined ? [] : [...watchersOfHidden([owner, ...dependents]).values()].flat().map(keyOfRecord);
}

function watchersOfHidden(records: readonly StackRecord[]): ReadonlyMap<RecordKey, readonly StackRecord[]> {
  const owners = new Map(records.map((record) => [foldIds(keyOfRecord(record)), record]));
  const watchers = new Map<RecordKey, StackRecord[]>();
  for (const record of records) {
    const kind = findKind(record.kind);
    if (kind?.references.some(({ within }) => within !== undefined) !== true) continue;
    for (const { space, id, record: to } of findReferences(kind, record.body)) {
      const owner = space.includes("/") && to !== undefined ? owners.get(foldIds(to)) : undefined;
      if (owner === undefined || childIdsOf(owner).has(foldIds(splitKey(id)[1]))) continue;
      getOrMake(watchers, keyOfRecord(owner), () => []).push(record);
    }
  }
  return watchers;
}

export function hiddenContentText({ substitutes, watchers }: HiddenContent): string {
  const substituteNames = substitutes.map((name) => `"${name}"`);
  const watched = watchers.map((record) => nameOfRecord(record));
  return [
    ...(substituteNames.length === 0 ? [] : [`the API shows another chart in place of ${substituteNames.join(", ")}`]),
    ...(watched.length === 0
      ? []
      : [`${watched.join(", ")} ${watched.length === 1 ? "watches" : "watch"} a tile that the API does not show`]),
  ].join("; ");
}

export function substitutesIn(record: Holder, variant: Variant): string[] {
  return childrenThat(record, (child, { isSubstitute }) => isSubstitute?.[variant]?.(child) === true);
}

export function childrenWithIds(record: Holder, ids: ReadonlySet<string>): string[] {
  return childrenThat(record, (child) => ids.has(childIdOf(child)));
}

type Holder = Pick<StackRecord, "kind" | "body">;

function childrenThat({ kind, body }: Holder, test: (child: JsonObject, children: ChildIds) => boolean): string[] {
  return (findKind(kind)?.children ?? []).flatMap((children) =>
    childrenOf(body, children)
      .filter((child) => test(child, children))
      .map((child) => nameOfChild(children, body, child)),
  );
}

/**
 * A record as an import wrote it has no hidden content, because no write can send any.
 * @param lastWrite digest of the record after an import's last write
 */
export function isAsLastWritten({ kind: name, body }: StackRecord, lastWrite: string | undefined): boolean {
  const kind = findKind(name);
  return kind !== undefined && lastWrite !== undefined && recordFingerprint(kind, body) === lastWrite;
}

/** Leaves out children that are only shown in place of hidden ones. */
export function childrenHidingSettings(record: Holder, variant: Variant): string[] {
  return childrenThat(
    record,
    (child, { isSubstitute, mayHideSettings }) =>
      mayHideSettings?.[variant]?.(child) === true && isSubstitute?.[variant]?.(child) !== true,
  );
}
