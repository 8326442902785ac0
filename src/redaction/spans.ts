import { getOrMake } from "../core/collections.ts";
import { escapeForRegExp } from "../core/text/format.ts";

export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

export interface TextRule {
  /** Each text with a secret contains one of these words; case is ignored. */
  readonly words: readonly string[];
  readonly find: (text: string) => readonly SecretSpan[];
}

export const NOT_BEFORE_WORD = String.raw`(?![A-Za-z\d])`;

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

/** `matchAll` would compile a copy of the expression, which can take longer than the search. */
export function matchesOf(text: string, expression: RegExp): RegExpExecArray[] {
  if (!expression.global) throw new TypeError("only a global expression can be searched for more than one match");
  const matches: RegExpExecArray[] = [];
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match; match = expression.exec(text)) {
    matches.push(match);
    // A team's pattern such as `\b` matches no character, so the search moves on by one.
    if (match[0] === "") expression.lastIndex += (text.codePointAt(match.index) ?? 0) > 0xff_ff ? 2 : 1;
  }
  return matches;
}

export type ValueTest = (value: string, match: RegExpExecArray) => boolean;

export interface ValueOptions {
  readonly rule?: string;
  readonly trim?: (raw: string) => string;
}

/** The value is the last group that matched, else the whole match. */
export function valueSpans(
  text: string,
  expression: RegExp,
  isSecret: ValueTest = () => true,
  { rule, trim = (raw) => raw }: ValueOptions = {},
): SecretSpan[] {
  if (text.search(expression) < 0) return [];
  // A search for the group's text could find an earlier place, so the flag `d` gives the group's position.
  const indexed = getOrMake(indexedExpressions, expression, () => new RegExp(expression, `${expression.flags}d`));
  return matchesOf(text, indexed).flatMap((match): SecretSpan[] => {
    const group = match.findLastIndex((content) => content !== undefined);
    const [raw = "", [from] = [0]] = [match[group], match.indices?.[group]];
    const value = trim(raw);
    return isSecret(value, match) ? [spanAt(from + raw.indexOf(value), value, rule)] : [];
  });
}

const indexedExpressions = new Map<RegExp, RegExp>();

/** Every text contains the empty word. */
export const EVERY_TEXT: readonly string[] = [""];
/** Stands for any run of twenty token characters. */
export const LONG_RUN = "\0";
const RUN = String.raw`[\w+/=-]{20}`;

export function createWordTest(words: readonly string[]): (text: string) => boolean {
  let expression: RegExp | undefined;
  return (text) => (expression ??= anyOf(words)).test(text);
}

function anyOf(words: readonly string[]): RegExp {
  const distinct = [...new Set(words)];
  const source = distinct.map((word) => (word === LONG_RUN ? RUN : escapeForRegExp(word))).join("|");
  return new RegExp(distinct.length === 0 ? "(?!)" : source, "i");
}
