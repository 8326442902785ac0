import type { Manifest, ManifestEntry, MissingContent } from "../../core/manifest.ts";
import type { ArchiveSummary } from "../../core/ports.ts";
import { recordKey } from "../../core/records/record.ts";
import { formatSize, pluralize } from "../../core/text/format.ts";
import { nounOf, pluralOf } from "../../kinds/nouns.ts";
import { sortByKind } from "../../kinds/registry.ts";
import type { WriteOnlyMembers } from "../../kinds/members/write-only.ts";
import { type Block, type Document, type Fact, type Line, type Note, type Section, type Words } from "../document.ts";
import type { StackModel } from "../model/stack.ts";
import { groupByKind } from "./outcomes.ts";
import { describeRecord } from "./records.ts";
import { addressInWords, kindTitle, minuteText, timeText } from "./words.ts";

export interface ReadArchive {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  /** Absent if only the manifest was read. */
  readonly model?: StackModel;
  /** Write-only members that a rebuild has to supply. */
  readonly needed?: readonly WriteOnlyMembers[];
  /** Sentences that say why a backup is suspect. */
  readonly notes?: readonly string[];
}

export function archiveDocument(archive: ReadArchive): Document {
  const { summary, manifest, model, needed = [], notes = [] } = archive;
  const { source, createdAt, entries, redactions, notHeld = [] } = manifest;
  const secrets = pluralize(redactions.length, "secret");
  return {
    headline: `${summary.path} (${formatSize(summary.bytes)}): ${addressInWords(source)}, ${minuteText(createdAt)}`,
    notes: [...notes.map((text) => ({ text, isFailure: true })), ...manifestNotes(archive)],
    facts: [],
    blocks: [
      { is: "facts", facts: factsOf(archive) },
      ...(model === undefined ? [] : inventories(model)),
      ...redactionTable(archive),
      kindsTable(manifest.kinds),
      { is: "section", id: "needed", title: NEEDED, lines: needed.map(neededLine) },
      notHeldSection(notHeld),
      ...(model === undefined ? [entriesTable(archive)] : []),
    ],
    label: "Archive",
    summary: `${pluralize(entries.length, "record")}, ${secrets} taken out; ${completeness(manifest)}`,
    next: [],
  };
}

const NEEDED = "May hold secrets, which the API never returns and which a rebuild needs";

function manifestNotes({ manifest: { kinds, warnings } }: ReadArchive): Note[] {
  const failed = Object.entries(kinds).flatMap(([kind, { status, error = "no reason given" }]) =>
    status === "failed" ? [{ text: `${pluralOf(kind)} could not be read: ${error}`, isFailure: true }] : [],
  );
  return [...failed, ...warnings.map(({ message }) => ({ text: message, isFailure: false }))];
}

function completeness({ kinds }: Manifest): string {
  const kindsOf = (wanted: string): string =>
    Object.entries(kinds)
      .flatMap(([kind, { status }]) => (status === wanted ? [pluralOf(kind)] : []))
      .join(", ");
  const [failed, partial] = [kindsOf("failed"), kindsOf("partial")];
  if (failed !== "") return `incomplete: ${failed} could not be read`;
  if (partial !== "") return `the stack returns ${partial} only in part`;
  return "complete: every kind that was asked for could be read";
}

function factsOf({ summary, manifest }: ReadArchive): Fact[] {
  const { createdAt, createdBy, source, contentDigest, formatVersion, redactions } = manifest;
  const rules = [...new Set(redactions.map(({ rule }) => rule))].sort();
  return [
    ["Exported", `${timeText(createdAt)} by ${createdBy.name} ${createdBy.version}`],
    ["Stack", `${addressInWords(source)} (${source.variant})`],
    ["File", `${summary.path} (${formatSize(summary.bytes)}, format version ${formatVersion})`],
    ["Taken out", rules.length === 0 ? undefined : `${pluralize(redactions.length, "secret")} (${rules.join(", ")})`],
    ["Content digest", { code: contentDigest }],
  ];
}

export function kindsTable(kinds: Manifest["kinds"]): Block {
  const rows = sortByKind(Object.entries(kinds), ([kind]) => kind).map(([kind, { status, count, error = "" }]) => [
    kind,
    status,
    String(count),
    error,
  ]);
  return { is: "table", id: "kinds", title: "Kinds", about: "what was read", columns: KIND_COLUMNS, rows };
}

const KIND_COLUMNS = ["Kind", "Status", "Records", "Error"];

function neededLine({ kind, id, name, members }: WriteOnlyMembers): Line {
  return { mark: "!", words: `${nounOf(kind)} "${name || id}": ${members.join(", ")}` };
}

export function notHeldSection(notHeld: readonly MissingContent[]): Section {
  const lines = notHeld.map(({ kind, message }): Line => {
    return { mark: "·", words: kind === undefined ? message : `${pluralOf(kind)}: ${message}` };
  });
  return { is: "section", id: "not-held", title: "Not in the archive, because the API does not return it", lines };
}

function recordWords({ kind, id, name }: ManifestEntry, model: StackModel): Words {
  return { record: recordKey(kind, id), name: name || model.find(kind, id)?.name || id };
}

function entriesTable({ manifest }: ReadArchive): Block {
  const rows = sortByKind(manifest.entries, ({ kind }) => kind).map(({ kind, name, id, bytes }) => [
    kind,
    name,
    id,
    formatSize(bytes),
  ]);
  return { is: "table", id: "records", title: "Records", about: "", columns: ["Kind", "Name", "Id", "Size"], rows };
}

function inventories(model: StackModel): Block[] {
  return groupByKind(model.records).map(([kind, records]) => ({
    is: "inventory",
    id: kind,
    title: kindTitle(kind),
    records: records.map((record) => ({ ...record, content: () => describeRecord(record, model) })),
  }));
}

function redactionTable({ manifest, model }: ReadArchive): Block[] {
  const { redactions, entries } = manifest;
  if (redactions.length === 0 || model === undefined) return [];
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const rows = redactions.map(({ path, pointer, rule }): Words[] => {
    const entry = byPath.get(path);
    return [entry === undefined ? { code: path } : recordWords(entry, model), { code: pointer }, rule];
  });
  const about = [...new Set(redactions.map(({ rule }) => rule))].join(", ");
  return [{ is: "table", id: "redactions", title: "Redactions", about, columns: ["Record", "Member", "Rule"], rows }];
}
