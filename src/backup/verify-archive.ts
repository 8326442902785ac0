import { byCodeUnit, getOrMake, groupBy } from "../core/collections.ts";
import type { RunContext } from "../core/events.ts";
import { qualifiedChildId } from "../core/plan/id-map.ts";
import type { ManifestEntry } from "../core/manifest.ts";
import type { RecordReader } from "../core/ports.ts";
import { recordKey, type KindName, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { readAhead } from "../import/read/archive-records.ts";
import { parseRecord } from "../kinds/descriptor-parts.ts";
import { findKind, knownKind } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { findReferences } from "../references/references.ts";

/** A record that does not fit the schema of its kind. */
export interface VerifyProblem {
  readonly path: string;
  readonly code: "unreadable-record" | "unknown-form";
  readonly message: string;
}

export interface LocatedReference {
  readonly path: string;
  readonly pointer: string;
  readonly space: IdSpace;
  readonly id: string;
}

/** The first reference to a record that the archive does not contain. */
export interface DanglingReference extends LocatedReference {
  /** The number of references to that record. */
  readonly references: number;
}

/** The result of verifying an archive. Damage is not part of it: a damaged archive throws `archive-damaged`. */
export interface VerifyResult {
  readonly records: number;
  readonly problems: readonly VerifyProblem[];
  readonly dangling: readonly DanglingReference[];
}

/**
 * Reads every record and checks its schema and its references. The reader checks sizes and checksums. References to kinds that the
 * archive does not contain (connections, saved searches) are not checked.
 * @param onRecord receives each record
 * @throws StackferryError `archive-damaged`, whose `faults` are the paths of the damaged records
 */
export async function verifyRecords(
  reader: RecordReader,
  context: RunContext,
  onRecord: (record: StackRecord) => void = () => {},
): Promise<VerifyResult> {
  const { entries } = reader.manifest;
  const problems: VerifyProblem[] = [];
  const ids = new Map(
    [...groupBy(entries, ({ kind }) => kind)].map(([kind, ofKind]) => [kind, new Set(ofKind.map(({ id }) => id))]),
  );
  const isContained = (space: IdSpace, id: string): boolean => {
    if (space.includes("/")) return false;
    // References to a kind that the stack does not list (connections, saved searches) cannot be checked, so they count as resolved.
    return isArchived(space, reader.manifest) ? ids.get(space)?.has(id) === true : true;
  };
  const dangling = new Map<string, DanglingReference>();
  const children = wantedChildren();
  const isMissing = (reference: LocatedReference): void => {
    const key = `${reference.space} ${reference.id}`;
    const recorded = dangling.get(key);
    dangling.set(key, { ...(recorded ?? reference), references: (recorded?.references ?? 0) + 1 });
  };
  context.events({ type: "phase", phase: "verify", total: entries.length });
  for await (const [entry, record] of readAhead(reader, childrenLast(entries), context.signal)) {
    const { path } = entry;
    onRecord(record);
    const kind = findKind(record.kind);
    if (!kind) {
      const message = `the kind "${record.kind}" is not known`;
      problems.push({ path, code: "unknown-form", message });
      continue;
    }
    const parsed = parseRecord(kind, record.body);
    if (!parsed.ok) problems.push({ path, code: "unreadable-record", message: parsed.problem });
    children.addRecord(record);
    for (const { space, id, pointer, record: to } of findReferences(kind, record.body, new Map())) {
      const reference = { path, pointer, space, id };
      if (to === undefined) continue;
      if (findKind(space) === undefined) children.addReference(reference, to);
      else if (!isContained(space, id)) isMissing(reference);
    }
  }
  for (const reference of await children.findMissing(reader)) isMissing(reference);
  return { records: entries.length, problems, dangling: [...dangling.values()].toSorted(byPlace) };
}

function isArchived(kind: KindName, { kinds, entries }: RecordReader["manifest"]): boolean {
  const policy = findKind(kind)?.importPolicy;
  const optional = policy?.when === "on-request" && policy.servedWith === kind;
  return (
    !optional ||
    ["complete", "partial"].includes(kinds[kind]?.status ?? "") ||
    entries.some((entry) => entry.kind === kind)
  );
}

/** Puts records with children after the records that may reference these children. */
function childrenLast(entries: readonly ManifestEntry[]): ManifestEntry[] {
  const hasChildren = ({ kind }: ManifestEntry): number => Math.sign(findKind(kind)?.children.length ?? 0);
  return entries.toSorted((left, right) => hasChildren(left) - hasChildren(right));
}

function byPlace(left: DanglingReference, right: DanglingReference): number {
  return byCodeUnit(left.path, right.path) || byCodeUnit(left.pointer, right.pointer);
}

/**
 * Checks references to children: parts of a record with ids of their own, such as tiles. An archive can contain millions of
 * children, so only the referenced ones are kept.
 */
function wantedChildren() {
  const byOwner = new Map<RecordKey, LocatedReference[]>();
  const missing: LocatedReference[] = [];

  /** Checks the known references to children of a record that has just been read. */
  const addRecord = (record: StackRecord): void => {
    const owner = recordKey(record.kind, record.id);
    const references = byOwner.get(owner);
    if (references === undefined) return;
    const ids = new Set(
      knownKind(record.kind).children.flatMap((children) =>
        childrenOf(record.body, children).map(
          (child) => `${children.space} ${qualifiedChildId(record.id, childIdOf(child))}`,
        ),
      ),
    );
    for (const reference of references) if (!ids.has(`${reference.space} ${reference.id}`)) missing.push(reference);
    byOwner.delete(owner);
  };

  return {
    addReference: (reference: LocatedReference, owner: RecordKey) =>
      void getOrMake(byOwner, owner, () => []).push(reference),
    addRecord,
    /** Returns dangling references. Reads again the records that came before the references to their children. */
    async findMissing(reader: RecordReader): Promise<LocatedReference[]> {
      for (const entry of reader.manifest.entries) {
        if (byOwner.has(recordKey(entry.kind, entry.id))) addRecord(await reader.read(entry));
      }
      return [...missing, ...[...byOwner.values()].flat()];
    },
  };
}
