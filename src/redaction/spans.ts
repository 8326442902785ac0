import { getOrMake } from "../core/collections.ts";
import { placeholder } from "./placeholders.ts";
import { isPlaceholderValue } from "./values/non-secrets.ts";
import { mayBeSecretPart } from "./values/secret-value.ts";
import type { TemplateSpan } from "./values/templates.ts";
import { templatesIn } from "./values/templates.ts";

/** A secret in a text: its offsets, and the rule that found it. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

/** The condition of every text in which a rule finds a secret. Without words, every text meets it. */
export interface Precondition {
  /** Words in lower case. The text has one of them, in any case. */
  readonly words?: readonly string[];
  /** The text has at least twenty characters of tokens in a row. */
  readonly isLong?: boolean;
}

/** A rule that finds secrets in a text. */
export interface TextRule extends Precondition {
  /** Pure; spans may overlap. */
  readonly find: (text: string) => readonly SecretSpan[];
}

/** Makes a rule that finds the values in the matches of an expression. See `valueSpans`. */
export function valueRule(
  words: readonly string[],
  expression: RegExp,
  isSecret: (value: string) => boolean,
  trim?: (raw: string) => string,
): TextRule {
  return { words, find: (text) => valueSpans(text, expression, isSecret, trim) };
}

/** A text without its spans, and the rules of those that were redacted. */
export interface CleanedText {
  readonly text: string;
  readonly rules: readonly string[];
}

/** Returns the matches of a global expression. Few texts have one, and `matchAll` copies the expression first. */
export function matchesOf(text: string, expression: RegExp): RegExpExecArray[] {
  return text.search(expression) < 0 ? [] : [...text.matchAll(expression)];
}

/** A span for each match of a global expression. */
export function matchSpans(text: string, expression: RegExp, rule: string): SecretSpan[] {
  return matchesOf(text, expression).map(({ index, 0: whole }) => ({
    start: index,
    end: index + whole.length,
    rule,
  }));
}

/**
 * A span for each match whose value is a secret. The value is the last group that matched.
 * @param trim removes characters around the value that are not part of it
 */
export function valueSpans(
  text: string,
  expression: RegExp,
  isSecret: (value: string) => boolean,
  trim: (raw: string) => string = (raw) => raw,
): SecretSpan[] {
  if (text.search(expression) < 0) return [];
  return [...text.matchAll(withIndices(expression))].flatMap((match): SecretSpan[] => {
    const group = match.findLastIndex((each, index) => index > 0 && each !== undefined);
    const [raw = "", [from] = [0]] = [match[group], match.indices?.[group]];
    const value = trim(raw);
    const start = from + raw.indexOf(value);
    return isSecret(value) ? [{ start, end: start + value.length, rule: "assigned-secret" }] : [];
  });
}

const placed = new Map<RegExp, RegExp>();

/** The expression with group positions in its matches: the text of the value may occur twice in a match. */
function withIndices(expression: RegExp): RegExp {
  return getOrMake(placed, expression, () => new RegExp(expression, `${expression.flags}d`));
}

/**
 * Replaces each span with a placeholder. Overlapping spans become one, named after the first to begin; if two begin together, after
 * the longer. Existing placeholders (NUL in `masked`) and templates are kept.
 */
export function applySpans(text: string, masked: string, spans: readonly SecretSpan[]): CleanedText {
  if (spans.length === 0) return { text, rules: [] };
  const templates = templatesIn(masked);
  const secrets = spans.filter(({ start, end }) => !isBlank(masked.slice(start, end)));
  const merged = mergeSpans(secrets.flatMap((span) => withoutTemplates(span, masked, templates))).flatMap((span) =>
    withoutMasked(span, masked),
  );
  let cleaned = "";
  let from = 0;
  for (const { start, end, rule } of merged) {
    cleaned += text.slice(from, start) + placeholder(rule);
    from = end;
  }
  return { text: cleaned + text.slice(from), rules: merged.map(({ rule }) => rule) };
}

function mergeSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const sorted = [...spans].sort((left, right) => left.start - right.start || right.end - left.end);
  const merged: SecretSpan[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last && span.start < last.end) merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    else merged.push(span);
  }
  return merged;
}

/** Tells whether the last part of an address is a stand-in as in documentation: `/XXXXXXXX`. */
function isBlank(found: string): boolean {
  return (
    found.length < 500 &&
    /\/[A-Za-z*.…]{4,}$/.test(found) &&
    isPlaceholderValue(found.slice(found.lastIndexOf("/") + 1))
  );
}

/** Splits a secret around the templates in it, and keeps the parts that could be secrets by themselves. */
function withoutTemplates(span: SecretSpan, masked: string, templates: readonly TemplateSpan[]): SecretSpan[] {
  const inside = templatesTouching(span, templates);
  if (inside.length === 0) return [span];
  const starts = [span.start, ...inside.map(({ end }) => Math.max(end, span.start))];
  const ends = [...inside.map(({ start }) => Math.min(start, span.end)), span.end];
  return starts.flatMap((start, index): SecretSpan[] => {
    const end = ends[index] ?? start;
    return start < end && mayBeSecretPart(masked.slice(start, end)) ? [{ start, end, rule: span.rule }] : [];
  });
}

/**
 * Finds the templates in a span. A text may have as many templates as secrets, so this is a binary search: templates are in order
 * and never overlap.
 */
function templatesTouching(span: SecretSpan, templates: readonly TemplateSpan[]): TemplateSpan[] {
  let [first, after] = [0, templates.length];
  while (first < after) {
    const middle = Math.floor((first + after) / 2);
    if ((templates[middle]?.end ?? 0) < span.start) first = middle + 1;
    else after = middle;
  }
  while ((templates[after]?.start ?? Infinity) <= span.end) after += 1;
  return templates.slice(first, after);
}

function withoutMasked({ start, end, rule }: SecretSpan, masked: string): SecretSpan[] {
  return shifted(matchSpans(masked.slice(start, end), /[^\0]+/g, rule), start);
}

/** Moves the spans of a part to the offsets of the whole text. @param by offset of the part */
function shifted(spans: readonly SecretSpan[], by: number): SecretSpan[] {
  return spans.map(({ start, end, rule }) => ({ start: by + start, end: by + end, rule }));
}
