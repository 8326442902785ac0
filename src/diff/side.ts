import { yieldToEventLoop } from "../core/event-loop.ts";
import type { RunContext } from "../core/events.ts";
import { readRecords } from "../import/read/archive-records.ts";
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
import { kinds as allKinds } from "../kinds/registry.ts";
import { unreadKinds } from "../kinds/unused-patterns.ts";
import { readInventory, recordsOf, type Inventory } from "../matching/inventory.ts";
import { redactRecord } from "../redaction/redact-names.ts";
import type { Redactor } from "../redaction/redactor.ts";

export interface DiffSide {
  readonly identity: StackIdentity;
  readonly records: readonly StackRecord[];
  readonly statuses: ReadonlyMap<KindName, KindStatus>;
  /** Only for code files: id of a file's record → id of the other side's record. */
  readonly paired?: ManualMapping;
  /** Kinds of which the side may have unread records. */
  readonly unread?: readonly KindName[];
  /** Records of the other side whose code files have a mistake. */
  readonly leftOut?: ReadonlySet<RecordKey>;
}

export function inventoryFromSide({ identity, records, statuses }: DiffSide): Inventory {
  const kinds = allKinds.map(({ name }) => {
    const readStatus = statuses.get(name);
    const status = readStatus === "complete" || readStatus === "partial" ? readStatus : "not-offered";
    return [name, { status, records: records.filter(({ kind }) => kind === name) }] as const;
  });
  return { stack: identity, kinds: new Map(kinds) };
}

export async function sideOfArchive(
  reader: ArchiveReader,
  redact: Redactor,
  { signal }: RunContext,
): Promise<DiffSide> {
  const { manifest } = reader;
  const records: StackRecord[] = [];
  for (const record of await readRecords(reader, signal)) {
    signal?.throwIfAborted();
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
  // For the check of patterns, a kind without files counts as read.
  const side = { ...(await sideOfArchive(reader, redact, context)), unread: leftOut.map(({ kind }) => kind) };
  if (leftOut.length === 0) return { ...side, paired };
  const keys = leftOut.flatMap(({ kind, targetId }) => (targetId === undefined ? [] : [recordKey(kind, targetId)]));
  return { ...side, paired, leftOut: new Set(keys) };
}

/** @param kinds any other kind counts as not requested */
export async function sideOfStack(
  client: StackClient,
  redact: Redactor,
  context: RunContext,
  kinds: readonly ResourceKind[] = allKinds,
): Promise<DiffSide> {
  const inventory = await readInventory(client, kinds, context);
  const records: StackRecord[] = [];
  for (const record of recordsOf(inventory)) {
    // Redaction does not yield to the event loop, so without a pause no signal would be handled.
    await yieldToEventLoop(context.signal);
    records.push(await redactRecord(record, redact));
  }
  const statuses = new Map(
    [...inventory.kinds].map(([kind, { status }]): [KindName, KindStatus] => [
      kind,
      status === "forbidden" ? "failed" : status,
    ]),
  );
  const unread = [...statuses].flatMap(([kind, status]) => (status === "partial" || status === "failed" ? [kind] : []));
  return { identity: client.identity, records, statuses, unread };
}
