import { StackferryError } from "../../core/errors.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { closestName } from "../../core/text/similarity.ts";
import type { StackRecord, RecordKey } from "../../core/records/record.ts";
import { readAhead, readRecords } from "../../import/read/archive-records.ts";
import type { WriteOnlyMembers } from "../../kinds/members/write-only.ts";
import { kindsWithWriteOnly, writeOnlyMembersOf } from "../../kinds/members/write-only.ts";
import type { StackModel } from "../../report/model/stack.ts";
import { readStack } from "../../report/model/stack.ts";
import { inspectText, address } from "../output/inspect/archive.ts";
import { dashboardText, treeText } from "../output/inspect/dashboard.ts";
import type { CommandResult } from "../output/document.ts";
import type { OutputOptions } from "../output/terminal/theme.ts";
import type { Session } from "../program/session.ts";
import { openArchiveFile } from "../wiring/archive-file.ts";
import type { ManifestEntry, Manifest } from "../../core/manifest.ts";
import { recordKey } from "../../core/records/record.ts";
import { MAX_DISPLAY_NAMES, displayNameOf } from "../../kinds/display-name.ts";
import { findKind, inKindOrder } from "../../kinds/registry.ts";
import { pluralOf } from "../../kinds/id-spaces.ts";
import { counted } from "../../report/page/parts.ts";
import { conditionOf } from "../../report/sections/alert.ts";
import { code, plain } from "../output/markdown/escape.ts";

/** `stackferry inspect`, normalised. */
export interface InspectRequest {
  readonly archive: string;
  /** Name or id of a dashboard to draw. */
  readonly dashboard: string | undefined;
  readonly tree: boolean;
  readonly markdown: boolean;
}

/**
 * Shows the manifest of an archive. All records are read only for `--dashboard`, `--tree` and `--markdown`; otherwise only those
 * that may have write-only members, and those without a name together with the records that they refer to.
 */
export async function runInspect(request: InspectRequest, session: Session): Promise<CommandResult> {
  const { archive, dashboard, tree, markdown } = request;
  const drawings = [dashboard !== undefined, tree, markdown].filter(Boolean).length;
  if (drawings > 1) {
    throw new StackferryError("usage", "--dashboard, --tree and --markdown exclude each other");
  }
  await using reader = await openArchiveFile(archive, session);
  const { manifest } = reader;
  session.runState.from = { label: archive, ...manifest.source };
  const needed = drawings === 0 ? await readNeeded(reader, session.signal) : [];
  return {
    exitCode: 0,
    text: await textFor(request, reader, needed, session.signal),
    warnings: manifest.warnings,
    extra: { manifest, needed },
  };
}

async function readNeeded(reader: ArchiveReader, signal: AbortSignal): Promise<WriteOnlyMembers[]> {
  const names = kindsWithWriteOnly();
  const entries = reader.manifest.entries.filter(({ kind }) => names.includes(kind));
  const records: StackRecord[] = [];
  for await (const [, record] of readAhead(reader, entries, signal)) records.push(record);
  return writeOnlyMembersOf(records);
}

async function textFor(
  { dashboard, tree, markdown }: InspectRequest,
  reader: ArchiveReader,
  needed: readonly WriteOnlyMembers[],
  signal: AbortSignal,
): Promise<(display: OutputOptions) => string> {
  const { manifest, summary } = reader;
  if (dashboard === undefined && !tree && !markdown) {
    const called = await callUnnamedEntries(reader, signal);
    return (display) => inspectText(manifest, summary, { needed, called }, display);
  }
  const model = readStack(await readRecords(reader, signal));
  if (tree) return (display) => treeText(model, display);
  if (dashboard === undefined) return () => markdownText(manifest, model);
  const found = model.dashboards.filter(({ id, name }) => id === dashboard || name === dashboard);
  if (found.length === 0) throw unknownDashboard(dashboard, model);
  return (display) => found.map((each) => dashboardText(each, model, display)).join("\n");
}

function unknownDashboard(wanted: string, { dashboards }: StackModel): StackferryError {
  const meant = closestName(
    wanted,
    dashboards.map(({ name }) => name),
  );
  const hint = meant === undefined ? "stackferry inspect ARCHIVE lists them" : `did you mean "${meant}"?`;
  return new StackferryError("usage", `the archive holds no dashboard "${wanted}"`, { hint });
}

/** Display names of an archive's records without a name. Reads only these records and those that they refer to. */
export async function callUnnamedEntries(
  reader: ArchiveReader,
  signal: AbortSignal,
): Promise<ReadonlyMap<RecordKey, string>> {
  const { entries } = reader.manifest;
  const unnamed = entries.filter(({ kind, name }) => name.trim() === "" && findKind(kind)?.displayName !== undefined);
  const records = await readEntries(reader, unnamed.slice(0, MAX_DISPLAY_NAMES), signal);
  const wanted = new Set<RecordKey>();
  for (const record of records.values()) {
    displayNameOf(record, (kind, id) => {
      wanted.add(recordKey(kind, id));
      return undefined;
    });
  }
  const pointedTo = entries.filter(({ kind, id }) => wanted.has(recordKey(kind, id)));
  const others = await readEntries(reader, pointedTo, signal);
  return new Map(
    [...records].map(([key, record]) => [key, displayNameOf(record, (kind, id) => others.get(recordKey(kind, id)))]),
  );
}

async function readEntries(
  reader: ArchiveReader,
  entries: readonly ManifestEntry[],
  signal: AbortSignal,
): Promise<Map<RecordKey, StackRecord>> {
  const records = new Map<RecordKey, StackRecord>();
  for await (const [, record] of readAhead(reader, entries, signal)) {
    records.set(recordKey(record.kind, record.id), record);
  }
  return records;
}

/** Maximum length of a list, so that the rest of a pull request stays visible. */
const MAX_LISTED = 50;

/** A summary of an archive in Markdown, for a pull request. */
export function markdownText(manifest: Manifest, model: StackModel): string {
  const { createdAt, createdBy, source, contentDigest, redactions, warnings, notHeld = [] } = manifest;
  const made = `${code(address(source))}, read ${plain(createdAt)} by ${plain(createdBy.name)} ${plain(createdBy.version)}`;
  const secrets = counted(redactions.length, "secret");
  return [
    `## Stack archive of ${made}\n`,
    countTable(manifest),
    `Content digest ${code(contentDigest)}; ${secrets} taken out.\n`,
    ...warnings.map(({ message }) => `> **Warning**: ${plain(message)}\n`),
    ...listOf("Not in it, as no answer of the stack shows it", notHeld, ({ kind, message }) =>
      plain(kind === undefined ? message : `${pluralOf(kind)}: ${message}`),
    ),
    ...listOf("Dashboards", model.dashboards, ({ name, id, tiles, tags }) => {
      const alerts = model.alertsOn(id).length;
      const about = [
        counted(tiles.length, "tile"),
        ...(alerts > 0 ? [counted(alerts, "alert")] : []),
        ...tags.map(code),
      ];
      return `**${plain(name || id)}**: ${about.join(", ")}`;
    }),
    ...listOf("Alerts", model.alerts, (alert) => {
      const tile = model.tile(alert.dashboardId, alert.tileId);
      const on = tile === undefined ? "" : ` on ${plain(tile.name || tile.id)}`;
      return `**${plain(alert.name || alert.id)}**: fires when ${plain(conditionOf(alert, model))}${on}`;
    }),
    ...listOf("Sources", model.sources, ({ name, id, kind, tables }) => {
      return `**${plain(name || id)}** (${plain(kind)})${tables.length > 0 ? `: ${tables.map(code).join(", ")}` : ""}`;
    }),
  ].join("\n");
}

function countTable({ kinds }: Manifest): string {
  const rows = inKindOrder(Object.entries(kinds), ([kind]) => kind).map(([kind, { count, status, error }]) => {
    return `| ${plain(kind)} | ${count} | ${plain(status)}${error === undefined ? "" : `: ${plain(error)}`} |\n`;
  });
  return `| kind | records | status |\n| --- | ---: | --- |\n${rows.join("")}`;
}

function listOf<Item>(title: string, items: readonly Item[], line: (item: Item) => string): string[] {
  if (items.length === 0) return [];
  const shown = items.slice(0, MAX_LISTED).map((item) => `- ${line(item)}\n`);
  const more = items.length > MAX_LISTED ? `- and ${items.length - MAX_LISTED} more\n` : "";
  return [`### ${title}\n`, `${shown.join("")}${more}`];
}
