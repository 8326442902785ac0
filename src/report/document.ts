import type { KindName, RecordKey } from "../core/records/record.ts";
import type { Panel, TileModel } from "./model/dashboard.ts";

/**
 * The content of a plan, a result, a comparison, a history or an archive, as data. Three renderers print a document:
 * `cli/output/text.ts`, `cli/output/markdown.ts` and `html/document-page.ts`.
 */
export interface Document {
  /** The first line: the two sides of a run or a comparison, or the archive or stack that was read. */
  readonly headline: string;
  /** Sentences below the first line, for example about an archive of another stack. */
  readonly notes: readonly Note[];
  /** Facts that few people need, such as the content digest. Only a page shows them. */
  readonly facts: readonly Fact[];
  readonly blocks: readonly Block[];
  /** The counts, without their label: `2 to create, 1 blocked; 33 as they are`. */
  readonly summary: string;
  /** The word before the counts: `Plan`, `Done`. */
  readonly label: string;
  /** Sentences after the counts. The last sentence has the next command. */
  readonly next: readonly string[];
  /** The digest by which a plan is approved, on the last line. */
  readonly digest?: string | undefined;
}

export interface Note {
  readonly text: string;
  readonly isFailure: boolean;
}

/** A piece of a line. `record`: a link to a record on the page. `removed`, `added`: a difference between two texts. */
export type Span =
  | string
  | { readonly code: string }
  /** A text of several lines, such as a query or a message. */
  | { readonly text: string; readonly isCode: boolean }
  | { readonly record: RecordKey; readonly name: string }
  | { readonly removed: string }
  | { readonly added: string };
export type Words = Span | readonly Span[];

export type Fact = readonly [term: string, value: Words | undefined];

/**
 * The sign before a line: `+` created or added, `-` deleted or removed, `~` changed, `!` needs attention, `·` left as
 * it is, `=` the same, `?` a guess, `→` advice to the reader.
 */
export type Mark = "+" | "-" | "~" | "!" | "·" | "=" | "?" | "→" | "";

export interface Line {
  readonly mark: Mark;
  readonly words: Words;
  readonly inner?: readonly Line[];
}

export type Block =
  | { readonly is: "notes"; readonly notes: readonly Note[] }
  | Section
  | RecordBlock
  /** Warnings of the run. The text output omits them, because stderr already has them. */
  | { readonly is: "warnings"; readonly lines: readonly Line[] }
  | TableBlock
  | { readonly is: "facts"; readonly facts: readonly Fact[] }
  | Inventory
  | Drawing
  /** Blocks that a page shows closed at first. A text has these blocks only with `--verbose`, Markdown never. */
  | { readonly is: "fold"; readonly blocks: readonly Block[] };

/** Records as an archive has them, without an outcome. */
export interface Inventory {
  readonly is: "inventory";
  readonly id: string;
  readonly title: string;
  readonly records: readonly DescribedRecord[];
}

export interface DescribedRecord {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** Describes the record when it is printed, because all descriptions of a large archive would fill the memory. */
  readonly content: () => RecordContent;
}

/** Describes a record in words and drawings. */
export interface RecordContent {
  readonly about: Words;
  readonly blocks: readonly Block[];
}

/** The grids of a dashboard, with every tile at its place. */
export interface Drawing {
  readonly is: "drawing";
  readonly name: string;
  readonly panels: readonly DrawnPanel[];
}

export interface DrawnPanel extends Omit<Panel, "tiles"> {
  readonly tiles: readonly DrawnTile[];
}

export interface DrawnTile extends TileModel {
  /** The name of the tile's source; empty if the tile has none. */
  readonly source: string;
  readonly alerts: readonly string[];
}

/** Lines or blocks under a heading. */
export interface Section {
  readonly is: "section";
  readonly id: string;
  readonly title: string;
  readonly lines?: readonly Line[];
  readonly blocks?: readonly Block[];
  readonly next?: string;
}

export interface TableBlock {
  readonly is: "table";
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Words[])[];
}

/** The records with one outcome, such as all created records. */
export interface RecordBlock {
  readonly is: "records";
  readonly id: string;
  readonly title: string;
  readonly mark: Mark;
  /** The word before each record or group, and on its badge: `create`, `created`, `blocked`. */
  readonly word: string;
  readonly groups: readonly RecordGroup[];
  /** Whether all records are named, however many there are. */
  readonly isWhole?: boolean;
}

/** Records with the same reason, or without a reason. */
export interface RecordGroup {
  readonly code?: string;
  readonly reason?: string;
  /** Advice about the reason, which is printed below the group. */
  readonly remedy?: string;
  readonly records: readonly RecordItem[];
}

export interface RecordItem {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** Words after the name, such as `, which is "Logs" on the target`. */
  readonly more?: string;
  readonly lines: readonly Line[];
  /** Further facts. Only a page shows them. */
  readonly facts: readonly Fact[];
  /** The reason that a page shows with the record. Texts show the reason of the group. */
  readonly reason?: string;
  readonly code?: string;
}

/**
 * Returns words as plain text, without marks for links and code. Removed and added texts have the marks of `git diff --word-diff`.
 */
export function plainWords(words: Words): string {
  return spansOf(words).map(plainSpan).join("");
}

export function spansOf(words: Words): readonly Span[] {
  return isSpans(words) ? words : [words];
}

function isSpans(words: Words): words is readonly Span[] {
  return Array.isArray(words);
}

function plainSpan(span: Span): string {
  if (typeof span === "string") return span;
  if ("code" in span) return span.code;
  if ("text" in span) return span.text;
  if ("record" in span) return span.name;
  return "removed" in span ? `[-${span.removed}-]` : `{+${span.added}+}`;
}

/** Lists the records blocks of a document, including those inside sections and folds. */
export function recordBlocksOf(blocks: readonly Block[]): RecordBlock[] {
  return blocks.flatMap((block) => {
    if (block.is === "records") return [block];
    return block.is === "section" || block.is === "fold" ? recordBlocksOf(block.blocks ?? []) : [];
  });
}

export function itemsOf({ groups }: RecordBlock): readonly RecordItem[] {
  return groups.flatMap(({ records }) => records);
}
