import { partition } from "../../core/collections.ts";
import type { DeadReference, Manifest, MissingContent } from "../../core/manifest.ts";
import type { ArchiveSummary } from "../../core/ports.ts";
import { recordKey, type KindName, type RecordKey } from "../../core/records/record.ts";
import { formatSize, pluralize } from "../../core/text/format.ts";
import { nounOf, pluralOf } from "../../kinds/nouns.ts";
import { sortByKind } from "../../kinds/registry.ts";
import type { WriteOnlyMembers } from "../../kinds/members/write-only.ts";
import { type Block, type Document, type Fact, type Line, type Note, type Words } from "../document.ts";
import type { StackModel } from "../model/stack.ts";
import { groupByKind } from "./outcomes.ts";
import { describedRecord } from "./records.ts";
import { addressInWords, kindTitle, minuteText, shortAddressOf, timeText } from "./words.ts";

export interface ReadArchive {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  /** All records; absent if only the manifest was read. */
  readonly model?: StackModel;
  readonly displayNames?: ReadonlyMap<RecordKey, string>;
  /** The write-only members that a rebuild would have to supply. */
  readonly needed?: readonly WriteOnlyMembers[];
  /** References to records that the archive does not have. */
  readonly danglingReferences?: readonly DeadReference[];
  /** The notes on a backup say that it is suspect, or which kinds have fewer records than before. */
  readonly notes?: readonly string[];
}

/** Makes the document of an archive: where it is from, what it lacks, and every record in it. */
export function archiveDocument(archive: ReadArchive): Document {
  const { summary, manifest, model, needed = [], danglingReferences = [], notes = [] } = archive;
  const { source, createdAt, entries, redactions, notHeld = [] } = manifest;
  const [unshown, dead] = partition(danglingReferences, ({ isUnshown }) => isUnshown);
  const name = nameIn(archive);
  const secrets = pluralize(redactions.length, "secret");
  return {
    eyebrow: "Archive",
    title: `Archive of ${shortAddressOf(source)}`,
    headline: `${summary.path} (${formatSize(summary.bytes)}): ${addressInWords(source)}, ${minuteText(createdAt)}`,
    notes: [...notes.map((text) => ({ text, isFailure: true })), ...manifestNotes(archive)],
    facts: [],
    blocks: [
      { is: "facts", facts: factsOf(archive) },
      ...danglingTable(dead, DEAD, name),
      ...danglingTable(unshown, UNSHOWN, name),
      ...(model === undefined ? [] : inventories(model)),
      ...redactionTable(archive, name),
      kindsTable(manifest),
      { is: "section", id: "needed", title: NEEDED, lines: needed.map(neededLine) },
      { is: "section", id: "not-held", title: NOT_HELD, lines: notHeld.map(notHeldLine) },
      ...(model === undefined ? [entriesTable(archive)] : []),
    ],
    label: "Archive",
    summary: `${pluralize(entries.length, "record")}, ${secrets} taken out; ${completeness(manifest)}`,
    next: [],
  };
}

const NEEDED = "May hold secrets, which the API never returns and which a rebuild needs";
const NOT_HELD = "Not in the archive, because the API does not return it";

/** Returns what the user should know of an archive as a whole. */
function manifestNotes({ manifest: { kinds, warnings }, model }: ReadArchive): Note[] {
  const failed = Object.entries(kinds).flatMap(([kind, { status, error = "no reason given" }]) =>
    status === "failed" ? [{ text: `${pluralOf(kind)} could not be read: ${error}`, isFailure: true }] : [],
  );
  // If the records were read, these have tables.
  const isInTable = (code: string): boolean =>
    model !== undefined && (code === "dead-reference" || code === "unshown-tile");
  const others = warnings.filter(({ code }) => !isInTable(code));
  return [...failed, ...others.map(({ message }) => ({ text: message, isFailure: false }))];
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

function kindsTable({ kinds }: Manifest): Block {
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

/** Says what an archive or an export lacks, and why. */
export function notHeldLine({ kind, message }: MissingContent): Line {
  return { mark: "·", words: kind === undefined ? message : `${pluralOf(kind)}: ${message}` };
}

type NameRecord = (kind: KindName, id: string) => Words;

function nameIn({ manifest, displayNames, model }: ReadArchive): NameRecord {
  const names = new Map(manifest.entries.map(({ kind, id, name }) => [recordKey(kind, id), name]));
  return (kind, id) => {
    const key = recordKey(kind, id);
    const known = names.get(key) || displayNames?.get(key) || model?.find(kind, id)?.name;
    return known === undefined ? { code: id } : { record: key, name: known || id };
  };
}

function entriesTable({ manifest, displayNames }: ReadArchive): Block {
  const rows = sortByKind(manifest.entries, ({ kind }) => kind).map(({ kind, name, id, bytes }) => [
    kind,
    name || (displayNames?.get(recordKey(kind, id)) ?? ""),
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
    records: records.map((record) => describedRecord(record, model)),
  }));
}

const DEAD = {
  id: "dead-references",
  title: "Dead references",
  about: "their targets were gone when the stack was read",
};
const UNSHOWN = {
  id: "unshown-tiles",
  title: "Tiles that are not shown",
  about: "these watch a tile that the API does not show, so the archive does not hold it",
};

/** Lists the references to records that were gone, or to tiles that the archive cannot contain. */
function danglingTable(dead: readonly DeadReference[], title: typeof DEAD, name: NameRecord): Block[] {
  if (dead.length === 0) return [];
  const rows = dead.map(({ kind, id, pointer, places, space, to }): Words[] => [
    name(kind, id),
    [{ code: pointer }, places > 1 ? ` and ${places - 1} more` : ""],
    [`${nounOf(space)} `, { code: to }],
  ]);
  return [{ is: "table", ...title, columns: ["Record", "Member", "Points to"], rows }];
}

/** Lists the redacted values: the place of each, and the rule that redacted it. */
function redactionTable({ manifest, model }: ReadArchive, name: NameRecord): Block[] {
  const { redactions, entries } = manifest;
  if (redactions.length === 0 || model === undefined) return [];
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const rows = redactions.map(({ path, pointer, rule }): Words[] => {
    const entry = byPath.get(path);
    return [entry === undefined ? { code: path } : name(entry.kind, entry.id), { code: pointer }, rule];
  });
  const about = [...new Set(redactions.map(({ rule }) => rule))].join(", ");
  return [{ is: "table", id: "redactions", title: "Redactions", about, columns: ["Record", "Member", "Rule"], rows }];
}
