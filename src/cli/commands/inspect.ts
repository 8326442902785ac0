import { defineCommand } from "../program/parse/define-command.ts";
import type { ManifestEntry } from "../../core/manifest.ts";
import { StackferryError } from "../../core/errors.ts";
import type { ArchiveReader, RecordReader } from "../../core/ports.ts";
import { recordKey, type StackRecord, type RecordKey } from "../../core/records/record.ts";
import { readAhead, readRecords } from "../../import/read/archive-records.ts";
import { findKind } from "../../kinds/registry.ts";
import { MAX_DISPLAY_NAMES, displayNameOf } from "../../kinds/display-names.ts";
import { kindsWithWriteOnlyFields, writeOnlyMembersOf, type WriteOnlyMembers } from "../../kinds/members/write-only.ts";
import { createRedactedReader } from "../../redaction/redact-names.ts";
import { manifestText } from "../output/inspect/archive.ts";
import type { OutputOptions } from "../output/terminal.ts";
import type { ArgumentsOf } from "../program/parse/outlines.ts";
import { openArchiveFile } from "../wiring/archive-file.ts";
import { createRunRedactor } from "../wiring/config.ts";

/**
 * Shows the manifest of an archive. `--dashboard`, `--tree` and `--markdown` read all records. Otherwise it reads only records
 * that may have write-only members, records without a name, and the records that these reference.
 */
export const inspectCommand = defineCommand("inspect", {
  prepare: (args) => args,
  run: async (request, session) => {
    const { archive, dashboard, tree, markdown } = request;
    const drawings = [dashboard !== undefined, tree, markdown].filter(Boolean).length;
    if (drawings > 1) {
      throw new StackferryError("usage", "--dashboard, --tree and --markdown exclude each other");
    }
    await using reader = await openArchiveFile(archive, session);
    session.runState.from = { label: archive, ...reader.manifest.source };
    const redacted = await createRedactedReader(reader, await createRunRedactor(session));
    const { manifest } = redacted;
    const needed = drawings === 0 ? await readWriteOnly(redacted, session.signal) : [];
    return {
      exitCode: 0,
      text: await textFor(request, reader, redacted, needed, session.signal),
      warnings: manifest.warnings,
      details: { manifest, needed },
    };
  },
});

async function readWriteOnly(reader: RecordReader, signal: AbortSignal): Promise<WriteOnlyMembers[]> {
  const names = kindsWithWriteOnlyFields();
  const entries = reader.manifest.entries.filter(({ kind }) => names.includes(kind));
  return writeOnlyMembersOf([...(await readEntries(reader, entries, signal)).values()]);
}

async function textFor(
  { dashboard, tree, markdown }: Pick<ArgumentsOf<"inspect">, "dashboard" | "tree" | "markdown">,
  { summary, manifest: { entries } }: ArchiveReader,
  redacted: RecordReader,
  needed: readonly WriteOnlyMembers[],
  signal: AbortSignal,
): Promise<(display: OutputOptions) => string> {
  const { manifest } = redacted;
  if (dashboard === undefined && !tree && !markdown) {
    const displayNames = await displayNamesOf(redacted, signal);
    return (display) => manifestText(manifest, summary, { needed, displayNames }, display);
  }
  // The code that draws records takes longer to load than the rest, so it is loaded on demand.
  const { contentRenderer } = await import("../output/inspect/content.ts");
  const records = await readRecords(redacted, signal);
  if (dashboard === undefined) return contentRenderer({ tree }, manifest, records);
  const isNamed = ({ kind, id, name }: ManifestEntry): boolean =>
    kind === "dashboards" && (id === dashboard || name === dashboard);
  const ids = new Set(entries.filter(isNamed).map(({ id }) => id));
  return contentRenderer({ dashboard: { name: dashboard, ids }, tree }, manifest, records);
}

/** Returns display names for an archive's records without a name. Reads only these records and the records that they reference. */
async function displayNamesOf(reader: RecordReader, signal: AbortSignal): Promise<ReadonlyMap<RecordKey, string>> {
  const { entries } = reader.manifest;
  const unnamed = entries.filter(({ kind, name }) => name.trim() === "" && findKind(kind)?.displayName !== undefined);
  const records = await readEntries(reader, unnamed.slice(0, MAX_DISPLAY_NAMES), signal);
  const referencedKeys = new Set<RecordKey>();
  for (const record of records.values()) {
    displayNameOf(record, (kind, id) => {
      referencedKeys.add(recordKey(kind, id));
      return undefined;
    });
  }
  const pointedTo = entries.filter(({ kind, id }) => referencedKeys.has(recordKey(kind, id)));
  const others = await readEntries(reader, pointedTo, signal);
  return new Map(
    [...records].map(([key, record]) => [key, displayNameOf(record, (kind, id) => others.get(recordKey(kind, id)))]),
  );
}

async function readEntries(
  reader: RecordReader,
  entries: readonly ManifestEntry[],
  signal: AbortSignal,
): Promise<Map<RecordKey, StackRecord>> {
  const records = new Map<RecordKey, StackRecord>();
  for await (const [, record] of readAhead(reader, entries, signal)) {
    records.set(recordKey(record.kind, record.id), record);
  }
  return records;
}
