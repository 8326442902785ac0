import { visibleText, visibleLines } from "../../core/text/printable.ts";

const MARKUP = Symbol("markup");

/** Markup, which only this file can create. JSON cannot imitate `Html`, because its only member is a symbol. */
export interface Html {
  readonly [MARKUP]: string;
}

/** A value in a template. Text is escaped, markup is not; undefined and false render as nothing. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[];

const tidied = new WeakMap<TemplateStringsArray, readonly string[]>();

/**
 * Renders a template to a piece of a page. Texts are escaped in the same way for content and for quoted attributes, so always quote
 * attributes. Characters that reverse the reading direction or hide text become `\u{…}`. A line break of the template becomes a
 * space next to a word; between tags, or between a tag and a value, it is removed.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  const fixed = tidied.get(strings) ?? tidy(strings);
  let markup = fixed[0] ?? "";
  for (const [index, part] of parts.entries()) markup += markupOf(part) + (fixed[index + 1] ?? "");
  return { [MARKUP]: markup };
}

/** Removes the indentation of a template, which would make a page of a thousand dashboards a third longer. */
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

export function htmlLines(text: string): Html {
  return { [MARKUP]: escape(visibleLines(text)) };
}

/** Declares a text to be markup: the style and the script of a page, never a text from a record. */
export function trustedMarkup(markup: string): Html {
  return { [MARKUP]: markup };
}

/** Returns the markup of a part as text, to be written to a file. */
export function markupOf(part: HtmlPart): string {
  if (part === undefined || part === false) return "";
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escape(visibleText(part));
  if (isList(part)) return part.map(markupOf).join("");
  return part[MARKUP];
}

function isList(part: Html | readonly HtmlPart[]): part is readonly HtmlPart[] {
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
