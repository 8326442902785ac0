import { visibleText, visibleLines } from "../../core/text/printable.ts";

const MARKUP = Symbol("markup");

/** The only member is a symbol, so that JSON cannot imitate markup. */
export interface Html {
  readonly [MARKUP]: string;
}

export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[];

const tidied = new WeakMap<TemplateStringsArray, readonly string[]>();

/**
 * Always quote attributes, because texts are escaped for quoted attributes. A line break of the template becomes a space beside a
 * word, else nothing.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  const fixed = tidied.get(strings) ?? tidy(strings);
  let markup = fixed[0] ?? "";
  for (const [index, part] of parts.entries()) markup += markupOf(part) + (fixed[index + 1] ?? "");
  return { [MARKUP]: markup };
}

/** Removes indentation, which makes a page of a thousand dashboards a third longer. */
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

/** For the style and the script of a page, never for a text from a record. */
export function trustedMarkup(markup: string): Html {
  return { [MARKUP]: markup };
}

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
