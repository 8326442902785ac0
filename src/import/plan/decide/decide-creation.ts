import type { KindName, RecordKey, StackRecord } from "../../../core/records/record.ts";
import { recordKey } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { kinds, lookedUpKinds } from "../../../kinds/registry.ts";
import type { ImportOptions } from "../../../matching/import-options.ts";
import { isRequested } from "../../../matching/import-options.ts";
import type { Inventory } from "../../../matching/inventory.ts";
import type { ArchiveIndex } from "../../../references/archive-index.ts";
import { referenceTargetsOf } from "../../../references/archive-index.ts";

/**
 * The records that `--create` asks for: all of its kinds, or, where only some records are imported, those of the kinds that are
 * named and those that the others need, directly or through each other.
 */
export function requestedCreations(archive: ArchiveIndex, options: ImportOptions): StackRecord[] {
  const created = lookedUpKinds.flatMap(({ name }) =>
    options.create.includes(name) ? (archive.byKind.get(name) ?? []) : [],
  );
  if (created.length === 0 || !isNarrowed(options)) return created;
  const needed = neededBy(archive, options);
  return created.filter(
    (record) => options.kinds.includes(record.kind) || needed.has(recordKey(record.kind, record.id)),
  );
}

function isNarrowed({ kinds: asked, filter }: ImportOptions): boolean {
  const { include, only = [], exclude } = filter;
  return [asked, include, only, exclude].some((given) => given.length > 0);
}

function neededBy(archive: ArchiveIndex, options: ImportOptions): Set<RecordKey> {
  const written = kinds.filter(({ notReplayed }) => notReplayed === undefined);
  const open = written.flatMap(({ name }) =>
    (archive.byKind.get(name) ?? []).filter((each) => isRequested(each, options)),
  );
  const needed = new Set<RecordKey>();
  for (let record = open.pop(); record !== undefined; record = open.pop()) {
    for (const { record: key } of referenceTargetsOf(archive, record)) {
      const target = key === undefined || needed.has(key) ? undefined : archive.byKey.get(key);
      if (key === undefined || target === undefined) continue;
      needed.add(key);
      open.push(target);
    }
  }
  return needed;
}

/** Whether the target lets records of this kind be created, as far as its lists tell. */
export function isCreateOffered({ routes, onRequest }: ResourceKind, inventory: Inventory): boolean {
  if (onRequest === undefined || routes[inventory.stack.variant].create === undefined) return false;
  return (inventory.kinds.get(onRequest.servedWith)?.status ?? "not-offered") !== "not-offered";
}

/** Kinds of which the target would let records be created, and nobody has asked for it. */
export function creatableKinds(inventory: Inventory, { create }: ImportOptions): ReadonlySet<KindName> {
  const offered = lookedUpKinds.filter((kind) => !create.includes(kind.name) && isCreateOffered(kind, inventory));
  return new Set(offered.map(({ name }) => name));
}
