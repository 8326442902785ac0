import { childId } from "../domain/id-map.ts";
import type { RecordReads } from "../domain/ports.ts";
import { recordKey } from "../domain/record.ts";
import type { RecordKey, StackRecord } from "../domain/record.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { partId, partsOf } from "./parts.ts";
import type { ReferenceTo } from "./verify-archive.ts";

/** References to parts of records. An archive can hold millions of parts, so only those that are wanted are kept. */
export interface WantedParts {
  wanted(reference: ReferenceTo, owner: RecordKey): void;
  /** A record that holds parts has been read. */
  found(kind: ResourceKind, record: StackRecord): void;
  /** Those that no record has. Records that were read before their parts were wanted are read again. */
  missing(reader: RecordReads): Promise<ReferenceTo[]>;
}

/** No part is wanted yet. */
export function wantedParts(): WantedParts {
  const byOwner = new Map<RecordKey, ReferenceTo[]>();
  const missing: ReferenceTo[] = [];

  const found = (kind: ResourceKind, record: StackRecord): void => {
    const owner = recordKey(kind.name, record.id);
    const references = byOwner.get(owner);
    if (references === undefined) return;
    const parts = new Set(
      kind.children.flatMap((children) =>
        partsOf(record.body, children).map((part) => `${children.space} ${childId(record.id, partId(part))}`),
      ),
    );
    for (const reference of references) if (!parts.has(`${reference.space} ${reference.id}`)) missing.push(reference);
    byOwner.delete(owner);
  };

  return {
    wanted(reference, owner) {
      const others = byOwner.get(owner);
      if (others === undefined) byOwner.set(owner, [reference]);
      else others.push(reference);
    },
    found,
    async missing(reader) {
      for (const entry of reader.manifest.entries) {
        const kind = findKind(entry.kind);
        if (kind !== undefined && byOwner.has(recordKey(entry.kind, entry.id))) found(kind, await reader.read(entry));
      }
      return [...missing, ...[...byOwner.values()].flat()];
    },
  };
}
