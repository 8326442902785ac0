import { yieldToEventLoop } from "../core/event-loop.ts";
import type { RunContext } from "../core/events.ts";
import { memoryBudget } from "../core/records/memory-budget.ts";
import type { KindStatus } from "../core/manifest.ts";
import type { ManualMapping, LeftOutRecord } from "../core/plan/plan.ts";
import type { ArchiveReader, StackClient } from "../core/ports.ts";
import {
  recordKey,
  type KindName,
  type RecordKey,
  type StackIdentity,
  type StackRecord,
} from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { collectKind } from "../export/collect-kind.ts";
import type { Encoder } from "../export/encode-records.ts";
import { parseRecord } from "../kinds/descriptor-parts.ts";
import { forbiddenWarning, missingRightError } from "../kinds/list-answers.ts";
import { kinds as allKinds } from "../kinds/registry.ts";
import { unreadKinds } from "../kinds/unused-patterns.ts";
import { readInventory, type Inventory } from "../matching/inventory.ts";
import { redactRecord } from "../redaction/redact-names.ts";
import type { Redactor } from "../redaction/redactor.ts";

/** One side of a comparison, redacted: an archive, code files, or the present state of a stack. */
export interface DiffSide {
  readonly identity: StackIdentity;
  readonly records: readonly StackRecord[];
  readonly statuses: ReadonlyMap<KindName, KindStatus>;
  /**
   * For code files: the id of each file's record, and the id of the other side's record with the same name. Undefined for an
   * archive or a stack. Unlike an archive, code files are no copy of a stack, and belong to no variant (managed or self-hosted).
   */
  readonly paired?: ManualMapping;
  /** Kinds of which the side may have unread records. */
  readonly unread?: readonly KindName[];
  /** For code files: records of the other side whose files have a mistake. Nothing is reported about these records. */
  readonly leftOut?: ReadonlySet<RecordKey>;
}

/** Returns a side as an inventory, the form in which a stack's lists are read. */
export function inventoryFromSide({ identity, records, statuses }: DiffSide): Inventory {
  const kinds = allKinds.map(({ name }) => {
    const readStatus = statuses.get(name);
    const status = readStatus === "complete" || readStatus === "partial" ? readStatus : "not-offered";
    return [name, { status, records: records.filter(({ kind }) => kind === name) }] as const;
  });
  return { stack: identity, kinds: new Map(kinds) };
}

/** Reads a whole archive; each record is verified against its checksum. */
export async function sideOfArchive(
  reader: ArchiveReader,
  redact: Redactor,
  { signal }: RunContext,
): Promise<DiffSide> {
  const { manifest } = reader;
  const records: StackRecord[] = [];
  const hold = memoryBudget("archive");
  for await (const record of reader.records()) {
    signal?.throwIfAborted();
    hold(record.body);
    records.push(await redactRecord(record, redact));
  }
  const statuses = new Map(Object.entries(manifest.kinds).map(([kind, { status }]) => [kind, status]));
  return { identity: manifest.source, records, statuses, unread: unreadKinds(Object.entries(manifest.kinds)) };
}

interface ReadFiles {
  readonly reader: ArchiveReader;
  readonly paired: ManualMapping;
  readonly leftOut: readonly LeftOutRecord[];
}

export async function sideOfFiles(
  { reader, paired, leftOut }: ReadFiles,
  redact: Redactor,
  context: RunContext,
): Promise<DiffSide> {
  // A kind without files has no records.
  const side = { ...(await sideOfArchive(reader, redact, context)), unread: leftOut.map(({ kind }) => kind) };
  if (leftOut.length === 0) return { ...side, paired };
  const keys = leftOut.flatMap(({ kind, targetId }) => (targetId === undefined ? [] : [recordKey(kind, targetId)]));
  return { ...side, paired, leftOut: new Set(keys) };
}

/**
 * Reads the lists of a stack.
 * @param kinds the kinds to read; any other kind counts as not requested
 */
export async function sideOfStack(
  client: StackClient,
  redact: Redactor,
  context: RunContext,
  kinds: readonly ResourceKind[] = allKinds,
): Promise<DiffSide> {
  const inventory = await readInventory(client, kinds, context);
  const statuses = new Map<KindName, KindStatus>();
  const records: StackRecord[] = [];
  for (const [kind, list] of inventory.kinds) {
    // A kind that this key may not read is not compared, and the comparison is incomplete.
    statuses.set(kind, list.status === "forbidden" ? "failed" : list.status);
    for (const record of list.records) {
      // Redaction never yields to the event loop, so without a pause no signal would be handled.
      await yieldToEventLoop(undefined);
      context.signal?.throwIfAborted();
      records.push(await redactRecord(record, redact));
    }
  }
  for (const kind of kinds.filter(({ importPolicy }) => importPolicy.when === "never")) {
    const list = await readUnwritten(kind, client, context);
    statuses.set(kind.name, list.status);
    for (const record of list.records) records.push(await redactRecord(record, redact));
  }
  const unread = [...statuses].flatMap(([kind, status]) => (status === "partial" || status === "failed" ? [kind] : []));
  return { identity: client.identity, records, statuses, unread };
}

/** Reads a kind that no import writes: an inventory does not have it. */
async function readUnwritten(
  kind: ResourceKind,
  client: StackClient,
  context: RunContext,
): Promise<{ readonly status: KindStatus; readonly records: readonly StackRecord[] }> {
  const collected = await collectKind(kind, { client, encode: parse }, context);
  if (collected.error !== undefined) {
    const refused = missingRightError(kind, client.identity.variant, collected.error);
    if (refused === undefined) throw collected.error;
    context.events({ type: "warning", warning: forbiddenWarning(kind, refused) });
    return { status: "failed", records: [] };
  }
  return collected;
}

const parse: Encoder<StackRecord> = async (kind, value, problem) => {
  const parsed = parseRecord(kind, value, problem);
  return parsed.ok ? { ...parsed, name: parsed.record.name, status: "ready" } : { ...parsed, status: "unreadable" };
};
