import { visible, visibleLines } from "../core/text/printable.ts";

const MARKUP = Symbol("markup");

/** Markup that is safe to put into a page. Only this file makes it, and no JSON can hold it: a symbol is its only member. */
export interface Html {
  readonly [MARKUP]: string;
}

/** What may stand in a template. Text is escaped, markup is not; undefined and false are nothing. */
export type Part = Html | string | number | undefined | false | readonly Part[];

const tidied = new WeakMap<TemplateStringsArray, readonly string[]>();

/**
 * A piece of a page. Everything put in is escaped for text and for quoted attributes alike, so attributes are always written
 * in quotes; what could turn the reading direction or hide is shown as `\u{…}`. A line break of the template is a space next to
 * words, and nothing between tags or between a tag and what is put in.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const fixed = tidied.get(strings) ?? tidy(strings);
  let markup = fixed[0] ?? "";
  for (const [index, part] of parts.entries()) markup += markupOf(part) + (fixed[index + 1] ?? "");
  return { [MARKUP]: markup };
}

/** Templates are indented for people; a page of a thousand dashboards would be a third longer for it, in text and in nodes. */
function tidy(strings: TemplateStringsArray): readonly string[] {
  const fixed = strings.map((text) =>
    text
      .replaceAll(/>\s*\n\s*(?=<|$)/g, ">")
      .replaceAll(/^\s*\n\s*(?=<)/g, "")
      .replaceAll(/\s*\n\s*(?=\/?>)/g, "")
      .replaceAll(/\s*\n\s*/g, " ")
      .replaceAll(" />", "/>"),
  );
  tidied.set(strings, fixed);
  return fixed;
}

/** A text of several lines, its line breaks kept. */
export function lines(text: string): Html {
  return { [MARKUP]: escape(visibleLines(text)) };
}

/** Text of ours that is markup already: the style, the script and the symbols of a page. Never anything from a record. */
export function trusted(markup: string): Html {
  return { [MARKUP]: markup };
}

/** The markup as text, to be written to a file. */
export function markupOf(part: Part): string {
  if (part === undefined || part === false) return "";
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escape(visible(part));
  if (isList(part)) return part.map(markupOf).join("");
  return part[MARKUP];
}

function isList(part: Html | readonly Part[]): part is readonly Part[] {
  return Array.isArray(part);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const MARKUP_CHARACTER = /[&<>"']/;

function escape(text: string): string {
  return MARKUP_CHARACTER.test(text) ? text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "") : text;
}
