import { getOrMake } from "../core/collections.ts";
import { escapeForRegExp } from "../core/text/format.ts";

/** A secret in a text: its offsets, and the rule that found it. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

export interface TextRule {
  /**
   * Words in lower case, or `LONG_RUN`. Each text in which the rule finds something contains one of these words, in
   * upper or lower case.
   */
  readonly words: readonly string[];
  /** Finds the secrets in a text. The spans may overlap. */
  readonly find: (text: string) => readonly SecretSpan[];
}

/** Forbids a letter or digit directly after a match. */
export const NOT_BEFORE_WORD = String.raw`(?![A-Za-z\d])`;

/** Returns a rule that finds the values in the matches of an expression, as `valueSpans` does. */
export function valueRule(
  words: readonly string[],
  expression: RegExp,
  isSecret?: ValueTest,
  options?: ValueOptions,
): TextRule {
  return { words, find: (text) => valueSpans(text, expression, isSecret, options) };
}

export function spanAt(start: number, value: string, rule = "assigned-secret"): SecretSpan {
  return { start, end: start + value.length, rule };
}

/**
 * Returns the matches of a global expression; throws a `TypeError` for another expression. `matchAll` would run a copy
 * of the expression, and compiling the copy can take longer than the search.
 */
export function matchesOf(text: string, expression: RegExp): RegExpExecArray[] {
  if (!expression.global) throw new TypeError("only a global expression can be searched for more than one match");
  const matches: RegExpExecArray[] = [];
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match; match = expression.exec(text)) {
    matches.push(match);
    // A team's own pattern may match the empty text. The search then continues after the next character, which may have two code
    // units.
    if (match[0] === "") expression.lastIndex += (text.codePointAt(match.index) ?? 0) > 0xff_ff ? 2 : 1;
  }
  return matches;
}

export type ValueTest = (value: string, match: RegExpExecArray) => boolean;

export interface ValueOptions {
  /** The rule of the spans; `assigned-secret` by default. */
  readonly rule?: string;
  /** Cuts off the end of a match that is not part of the value. */
  readonly trim?: (raw: string) => string;
}

/** Returns a span for each match whose value is a secret. The value is the last group that matched, else the whole match. */
export function valueSpans(
  text: string,
  expression: RegExp,
  isSecret: ValueTest = () => true,
  { rule, trim = (raw) => raw }: ValueOptions = {},
): SecretSpan[] {
  if (text.search(expression) < 0) return [];
  // The flag `d` gives the position of the value. A search for the value could find another place in the match.
  const indexed = getOrMake(indexedExpressions, expression, () => new RegExp(expression, `${expression.flags}d`));
  return matchesOf(text, indexed).flatMap((match): SecretSpan[] => {
    const group = match.findLastIndex((content) => content !== undefined);
    const [raw = "", [from] = [0]] = [match[group], match.indices?.[group]];
    const value = trim(raw);
    return isSecret(value, match) ? [spanAt(from + raw.indexOf(value), value, rule)] : [];
  });
}

const indexedExpressions = new Map<RegExp, RegExp>();

/** A list of words that fits every text, because every text contains the empty word. */
export const EVERY_TEXT: readonly string[] = [""];
/** Stands for any run of twenty token characters in a list of words. */
export const LONG_RUN = "\0";
const RUN = String.raw`[\w+/=-]{20}`;

/**
 * Creates a test that tells whether a text has one of the words, in upper or lower case. The expression is compiled at
 * the first call.
 */
export function createWordTest(words: readonly string[]): (text: string) => boolean {
  let expression: RegExp | undefined;
  return (text) => (expression ??= anyOf(words)).test(text);
}

function anyOf(words: readonly string[]): RegExp {
  const distinct = [...new Set(words)];
  const source = distinct.map((word) => (word === LONG_RUN ? RUN : escapeForRegExp(word))).join("|");
  return new RegExp(distinct.length === 0 ? "(?!)" : source, "i");
}
