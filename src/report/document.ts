import type { KindName, RecordKey } from "../core/records/record.ts";
import type { Panel, TileModel } from "./model/dashboard.ts";

/** Three renderers print a document: `cli/output/text.ts`, `cli/output/markdown.ts` and `html/document-page.ts`. */
export interface Document {
  readonly headline: string;
  readonly notes: readonly Note[];
  /** Only a page shows these facts. */
  readonly facts: readonly Fact[];
  readonly blocks: readonly Block[];
  readonly summary: string;
  readonly label: string;
  /** Sentences after the counts, such as the next command. */
  readonly next: readonly string[];
  /** The digest by which a plan is approved. */
  readonly digest?: string | undefined;
}

export interface Note {
  readonly text: string;
  readonly isFailure: boolean;
}

export type Span =
  | string
  | { readonly code: string }
  | { readonly text: string; readonly isCode: boolean }
  | { readonly record: RecordKey; readonly name: string }
  | { readonly removed: string }
  | { readonly added: string };
export type Words = Span | readonly Span[];

export type Fact = readonly [term: string, value: Words | undefined];

/** `!` needs attention, `·` is left as it is, `=` is the same, `?` is a guess, `→` is advice. */
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
  /** The text output omits warnings, because stderr already has them. */
  | { readonly is: "warnings"; readonly lines: readonly Line[] }
  | TableBlock
  | { readonly is: "facts"; readonly facts: readonly Fact[] }
  | Inventory
  | Drawing
  /** A page shows a fold closed at first; a text shows a fold only with `--verbose`, Markdown never. */
  | { readonly is: "fold"; readonly blocks: readonly Block[] };

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
  /** A function, because all descriptions of a large archive would fill the memory. */
  readonly content: () => RecordContent;
}

export interface RecordContent {
  readonly about: Words;
  readonly blocks: readonly Block[];
}

export interface Drawing {
  readonly is: "drawing";
  readonly name: string;
  readonly panels: readonly DrawnPanel[];
}

export interface DrawnPanel extends Omit<Panel, "tiles"> {
  readonly tiles: readonly DrawnTile[];
}

export interface DrawnTile extends TileModel {
  readonly source: string;
  readonly alerts: readonly string[];
}

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

export interface RecordBlock {
  readonly is: "records";
  readonly id: string;
  readonly title: string;
  readonly mark: Mark;
  /** The action on these records, such as `create`, or `blocked`. */
  readonly word: string;
  readonly groups: readonly RecordGroup[];
  /** True if all records are named, however many there are. */
  readonly isWhole?: boolean;
}

export interface RecordGroup {
  readonly code?: string;
  readonly reason?: string;
  readonly remedy?: string;
  readonly records: readonly RecordItem[];
}

export interface RecordItem {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** Words after the name, with their leading separator. */
  readonly more?: string;
  readonly lines: readonly Line[];
  /** Only a page shows these facts. */
  readonly facts: readonly Fact[];
  /** Only a page shows this reason; texts show the reason of the group. */
  readonly reason?: string;
  readonly code?: string;
}

/** Removed and added texts have the marks of `git diff --word-diff`. */
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

export function recordBlocksOf(blocks: readonly Block[]): RecordBlock[] {
  return blocks.flatMap((block) => {
    if (block.is === "records") return [block];
    return block.is === "section" || block.is === "fold" ? recordBlocksOf(block.blocks ?? []) : [];
  });
}

export function itemsOf({ groups }: RecordBlock): readonly RecordItem[] {
  return groups.flatMap(({ records }) => records);
}
