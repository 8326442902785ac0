import { groupBy } from "../core/collections.ts";
import type { RunContext } from "../core/events.ts";
import { childId } from "../core/id-map.ts";
import type { ManifestEntry } from "../core/manifest.ts";
import type { RecordReads } from "../core/ports.ts";
import type { RecordKey, StackRecord } from "../core/record.ts";
import { recordKey } from "../core/record.ts";
import type { IdSpace, ResourceKind } from "../core/resource-kind.ts";
import { readAhead } from "../import/read/archive-records.ts";
import { parseRecord } from "../kinds/record-schema.ts";
import { findKind } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { findReferences, refersOnlyTo } from "../references/references.ts";

/** A record that is not what its kind says it should be. */
export interface VerifyProblem {
  readonly path: string;
  readonly code: "unreadable-record" | "unknown-kind";
  readonly message: string;
}

/** A reference. */
export interface ReferenceTo {
  readonly path: string;
  readonly pointer: string;
  readonly space: IdSpace;
  readonly id: string;
}

/** Something that the archive does not hold, the first place that refers to it, and how many do. */
export interface DanglingReference extends ReferenceTo {
  readonly references: number;
}

/** What checking an archive found. Damage is not in here: it is thrown. */
export interface VerifyResult {
  readonly records: number;
  readonly problems: readonly VerifyProblem[];
  readonly dangling: readonly DanglingReference[];
}

/**
 * Reads every record: sizes and checksums (by the reader, which throws `archive-damaged`), the schema of each, and whether
 * what they refer to is in the archive. Id spaces that an archive never holds (connections, saved searches) are left out.
 */
export async function verifyRecords(reader: RecordReads, context: RunContext): Promise<VerifyResult> {
  const { entries } = reader.manifest;
  const problems: VerifyProblem[] = [];
  const ids = new Map(
    [...groupBy(entries, ({ kind }) => kind)].map(([kind, all]) => [kind, new Set(all.map(({ id }) => id))]),
  );
  // Other resources of a stack (connections, saved searches) are in no archive.
  const isHeld = (space: IdSpace, id: string): boolean =>
    findKind(space) === undefined ? !space.includes("/") : ids.get(space)?.has(id) === true;
  const dangling = new Map<string, DanglingReference>();
  const parts = wantedParts();
  const isMissing = (reference: ReferenceTo): void => {
    const key = `${reference.space} ${reference.id}`;
    const known = dangling.get(key);
    dangling.set(key, { ...(known ?? reference), references: (known?.references ?? 0) + 1 });
  };
  context.events({ type: "phase", phase: "verify", total: entries.length });
  for await (const [entry, record] of readAhead(reader, partsLast(entries), context.signal)) {
    const { path } = entry;
    const kind = findKind(record.kind);
    if (!kind) {
      const message = `records of the kind "${record.kind}" are not known`;
      problems.push({ path, code: "unknown-kind", message });
      continue;
    }
    const parsed = parseRecord(kind, record.body);
    if (!parsed.ok) problems.push({ path, code: "unreadable-record", message: parsed.problem });
    parts.found(kind, record);
    if (refersOnlyTo(kind, record.body, isHeld)) continue;
    for (const { space, id, pointer, record: to } of findReferences(kind, record.body, new Map())) {
      const reference = { path, pointer, space, id };
      if (to === undefined) continue;
      if (findKind(space) === undefined) parts.wanted(reference, to);
      else if (!isHeld(space, id)) isMissing(reference);
    }
  }
  for (const reference of await parts.missing(reader)) isMissing(reference);
  return { records: entries.length, problems, dangling: [...dangling.values()].toSorted(byPlace) };
}

/** Records that hold parts come after those that may refer to them. */
function partsLast(entries: readonly ManifestEntry[]): ManifestEntry[] {
  const holdsParts = ({ kind }: ManifestEntry): number => Math.sign(findKind(kind)?.children.length ?? 0);
  return entries.toSorted((left, right) => holdsParts(left) - holdsParts(right));
}

function byPlace(left: DanglingReference, right: DanglingReference): number {
  return compare(left.path, right.path) || compare(left.pointer, right.pointer);
}

function compare(left: string, right: string): number {
  return Number(left > right) - Number(left < right);
}

/** References to parts of records. An archive can hold millions of parts, so only those that are wanted are kept. */
export interface WantedParts {
  wanted(reference: ReferenceTo, owner: RecordKey): void;
  /** A record that holds parts has been read. */
  found(kind: ResourceKind, record: StackRecord): void;
  /** Those that no record has. Records that were read before their parts were wanted are read again. */
  missing(reader: RecordReads): Promise<ReferenceTo[]>;
}

/** No part is wanted yet. */
function wantedParts(): WantedParts {
  const byOwner = new Map<RecordKey, ReferenceTo[]>();
  const missing: ReferenceTo[] = [];

  const found = (kind: ResourceKind, record: StackRecord): void => {
    const owner = recordKey(kind.name, record.id);
    const references = byOwner.get(owner);
    if (references === undefined) return;
    const parts = new Set(
      kind.children.flatMap((children) =>
        childrenOf(record.body, children).map((part) => `${children.space} ${childId(record.id, childIdOf(part))}`),
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
