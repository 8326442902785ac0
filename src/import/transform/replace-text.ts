import { ID_TOKEN } from "../../core/records/id-token.ts";
import type { ReplaceRule } from "../../core/importing/transforms.ts";
import { placeholderSpans } from "../../redaction/placeholders.ts";

/** A text with the rules applied, and which of them changed it. */
export interface ReplacedText {
  readonly text: string;
  readonly used: readonly ReplaceRule[];
}

/**
 * Applies the rules one after another. Placeholders of secrets and ids are no text: nothing in them is replaced. Undefined where
 * one would no longer be what it was, as the letters beside it would become a part of it.
 */
export function replaceText(text: string, rules: readonly ReplaceRule[]): ReplacedText | undefined {
  const used: ReplaceRule[] = [];
  const replaced = rules.reduce((before, rule) => {
    const after = replaceBetween(before, rule);
    if (after !== before) used.push(rule);
    return after;
  }, text);
  return protectedParts(replaced).join("\n") === protectedParts(text).join("\n") ? { text: replaced, used } : undefined;
}

function replaceBetween(text: string, rule: ReplaceRule): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of protectedSpans(text)) {
    parts.push(replaceIn(text.slice(at, start), rule), text.slice(start, end));
    at = end;
  }
  return [...parts, replaceIn(text.slice(at), rule)].join("");
}

/** What is written already is not written again where the new text holds the old one. */
function replaceIn(text: string, { from, to }: ReplaceRule): string {
  const pieces = to.includes(from) ? text.split(to) : [text];
  return pieces.map((piece) => piece.replaceAll(from, () => to)).join(to);
}

function protectedParts(text: string): string[] {
  return protectedSpans(text).map(({ start, end }) => text.slice(start, end));
}

function protectedSpans(text: string): { readonly start: number; readonly end: number }[] {
  const ids = [...text.matchAll(ID_TOKEN)].map(({ index, 0: id }) => ({ start: index, end: index + id.length }));
  return [...placeholderSpans(text), ...ids].toSorted((left, right) => left.start - right.start);
}
