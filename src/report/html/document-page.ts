import { yieldToEventLoop } from "../../core/event-loop.ts";
import { recordKey, splitKey, type RecordKey } from "../../core/records/record.ts";
import {
  itemsOf,
  recordBlocksOf,
  spansOf,
  type Block,
  type DescribedRecord,
  type Document,
  type Fact,
  type Inventory,
  type Line,
  type Note,
  type RecordBlock,
  type RecordItem,
  type Section,
  type TableBlock,
  type Words,
} from "../document.ts";
import { groupByKind } from "../view/outcomes.ts";
import { kindTitle, nameOrId } from "../view/words.ts";
import { drawingHtml } from "./drawing.ts";
import { html, htmlLines, type Html, type HtmlPart } from "./html.ts";
import {
  anchorOf,
  disclosure,
  factList,
  htmlTable,
  isShortTable,
  pageItem,
  pageNote,
  pageSection,
  renderPage,
} from "./page.ts";

/** `signal` stops the rendering of an inventory, because thousands of records take seconds. */
export async function documentPage(document: Document, madeBy: string, signal?: AbortSignal): Promise<string> {
  const { blocks } = document;
  const facts = [...document.facts, ...blocks.flatMap((block) => (block.is === "facts" ? block.facts : []))];
  const items = recordBlocksOf(blocks).flatMap(itemsOf);
  const inventory = blocks.flatMap((block) => (block.is === "inventory" ? block.records : []));
  const places = new Set([...items, ...inventory].map(({ kind, id }) => recordKey(kind, id)));
  const page: Page = { places, isOpen: isShortTable(items), signal };
  const warnings = blocks.flatMap((block) => (block.is === "warnings" ? block.lines : []));
  return renderPage({
    title: document.headline,
    lead: html`<p class="outcome">${document.label}: ${document.summary}.</p>
      ${notesHtml(document.notes)}${
        facts.length > 0 && disclosure("Details", factList(factsHtml(facts, page)), "meta")
      }${warnings.map(({ words }) => pageNote(wordsHtml(words, page), false))}`,
    sections: await sectionsHtml(blocks, page),
    madeBy,
  });
}

async function sectionsHtml(blocks: readonly Block[], page: Page): Promise<Html[]> {
  const sections: Html[] = [];
  for (const block of blocks) {
    if (block.is === "facts") continue;
    if (block.is === "inventory") sections.push(await inventoryHtml(block, page));
    else sections.push(...blockHtml(block, page, false));
  }
  return sections;
}

interface Page {
  readonly signal: AbortSignal | undefined;
  /** Records on the page; links lead only to these. */
  readonly places: ReadonlySet<RecordKey>;
  readonly isOpen: boolean;
}

function blockHtml(block: Block, page: Page, isFolded: boolean): Html[] {
  switch (block.is) {
    case "records":
      return [recordsHtml(block, page, isFolded)];
    case "section":
      return isEmpty(block) ? [] : [sectionHtml(block, page)];
    case "table":
      return [tableHtml(block, page)];
    case "facts":
      return [factList(factsHtml(block.facts, page))];
    case "drawing":
      return drawingHtml(block);
    case "fold":
      return block.blocks.flatMap((inner) => blockHtml(inner, page, true));
    case "notes":
      return notesHtml(block.notes);
    case "warnings":
    // `sectionsHtml` renders inventories, and the lead of the page has the warnings.
    case "inventory":
      return [];
    default:
      return block satisfies never;
  }
}

function isEmpty({ lines = [], blocks = [], next }: Section): boolean {
  return lines.length + blocks.length === 0 && next === undefined;
}

function notesHtml(notes: readonly Note[]): Html[] {
  return notes.map(({ text, isFailure }) => pageNote(text, isFailure));
}

function recordsHtml(block: RecordBlock, page: Page, isFolded: boolean): Html {
  const items = itemsOf(block);
  const kinds = groupByKind(items);
  const remedies = block.groups.flatMap(({ remedy }) => remedy ?? []);
  const content = [
    remedies.map((remedy) => html`<p class="soft">${remedy}</p>`),
    kinds.map(
      ([kind, group]) =>
        html`<div data-section="">
          <h3>${kindTitle(kind)} <span class="count">${group.length}</span></h3>
          ${group.map((item) => itemHtml(item, block, page))}
        </div>`,
    ),
  ];
  const names = kinds.map(([kind]) => kindTitle(kind).toLowerCase()).join(", ");
  return pageSection(
    block.id,
    block.title,
    items.length,
    isFolded ? disclosure(`Show ${names}`, content, "fold") : content,
  );
}

/** A page can have several items for one record; `section` makes the anchor unique. */
function itemHtml(item: RecordItem, { word, mark }: RecordBlock, page: Page, section?: string): Html {
  const { kind, id, name, more = "", lines, facts, reason = "", code = "" } = item;
  const why = reason === "" && code === "" ? undefined : html`${code !== "" && html`<b>${code}</b> `}${reason}`;
  return pageItem({
    kind,
    anchor: anchorOf(kind, section === undefined ? id : `${section} ${id}`),
    name: nameOrId(name, id),
    about: more.replace(/^, /, ""),
    state: word,
    mark,
    reason: why,
    content: [factList(factsHtml(facts, page)), lines.length > 0 && linesHtml(lines, page)],
    isOpen: page.isOpen && lines.length > 0,
  });
}

async function inventoryHtml({ id, title, records }: Inventory, page: Page): Promise<Html> {
  const items: Html[] = [];
  for (const record of records) {
    await yieldToEventLoop(page.signal);
    items.push(describedHtml(record, page));
  }
  return pageSection(id, title, records.length, items);
}

function describedHtml({ kind, id, name, content }: DescribedRecord, page: Page): Html {
  const { about, blocks } = content();
  return pageItem({
    kind,
    anchor: anchorOf(kind, id),
    name: nameOrId(name, id),
    about: wordsHtml(about, page),
    content: contentHtml(blocks, page),
  });
}

function contentHtml(blocks: readonly Block[], page: Page): Html[] {
  return blocks.flatMap((block) =>
    block.is === "table" ? [disclosure(block.title, tableContent(block, page))] : blockHtml(block, page, false),
  );
}

function sectionHtml({ id, title, lines = [], blocks = [], next = "" }: Section, page: Page): Html {
  if (blocks.length > 0) {
    const count = recordBlocksOf(blocks).flatMap(itemsOf).length;
    const content = blocks.map((block) =>
      block.is === "records"
        ? itemsOf(block).map((item) => itemHtml(item, block, page, id))
        : blockHtml(block, page, false),
    );
    return pageSection(id, title, count, content);
  }
  const item = { kind: id, anchor: `r-${id}`, name: title, about: next, content: linesHtml(lines, page) };
  return pageSection(id, title, lines.length, pageItem({ ...item, isOpen: isShortTable(lines) }));
}

function tableHtml(table: TableBlock, page: Page): Html {
  const { id, title, about, rows } = table;
  const item = { kind: id, anchor: `r-${id}`, name: title, about, content: tableContent(table, page) };
  return pageSection(id, title, rows.length, pageItem(item));
}

function tableContent({ title, columns, rows }: TableBlock, page: Page): Html {
  return htmlTable(
    title,
    columns,
    rows.map((row) => row.map((cell) => wordsHtml(cell, page))),
  );
}

function linesHtml(lines: readonly Line[], page: Page): Html {
  return html`<ul class="plain">
    ${lines.map(
      ({ mark, words, inner = [] }) =>
        html`<li>
          ${mark !== "" && html`<code>${mark}</code> `}${wordsHtml(words, page)}${inner.length > 0 && linesHtml(inner, page)}
        </li>`,
    )}
  </ul>`;
}

function factsHtml(facts: readonly Fact[], page: Page): (readonly [string, HtmlPart])[] {
  return facts.map(([term, words]) => [term, words === undefined || words === "" ? undefined : wordsHtml(words, page)]);
}

function wordsHtml(words: Words, { places }: Page): Html {
  const spans = spansOf(words).map((span): HtmlPart => {
    if (typeof span === "string") return span;
    if ("code" in span) return span.code !== "" && html`<code>${span.code}</code>`;
    if ("text" in span) return html`<pre class="${span.isCode ? "text code" : "text"}">${htmlLines(span.text)}</pre>`;
    if ("removed" in span) return html`<del>${span.removed}</del>`;
    if ("added" in span) return html`<ins>${span.added}</ins>`;
    const [kind, id] = splitKey(span.record);
    return places.has(span.record) ? html`<a href="#${anchorOf(kind, id)}">${span.name}</a>` : span.name;
  });
  return html`${spans}`;
}
