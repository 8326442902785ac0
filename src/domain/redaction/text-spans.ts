import { assignedSpans } from "./assigned-spans.ts";
import type { NameTest } from "./assigned-spans.ts";
import { identitySpans, keySpans } from "./block-spans.ts";
import { looksRandom } from "./looks-secret.ts";
import type { RedactionLevel, SecretPattern, SecretSpan } from "./redaction-policy.ts";
import { sqlFunctionSpans } from "./sql-function-spans.ts";
import { tokenSpans } from "./token-formats.ts";
import { urlSpans } from "./url-spans.ts";

/** What texts are searched for besides the rules that everybody has. */
export interface TextRules {
  readonly level: RedactionLevel;
  readonly named: NameTest;
  /** The team has names of its own: no text can be passed over for holding none of the usual words. */
  readonly thorough: boolean;
  readonly patterns: readonly SecretPattern[];
  readonly literals: readonly string[];
}

/** Below this length nothing is a secret that could be told from other text. */
const LEAST_LENGTH = 8;
const LONG_WORD = /[\w+/=-]{32,}/g;
const KNOWN_ID = /^(?:[\da-f]{24}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** Makes the search: everything in a text that is a secret by its form or by what stands before it. Pure; spans may overlap. */
export function textSearch({ level, named, thorough, patterns, literals }: TextRules): (text: string) => SecretSpan[] {
  const own = patterns.map(({ rule, pattern }) => ({ rule, expression: new RegExp(pattern, "gu") }));
  return (text) => {
    const spans = own.flatMap(({ rule, expression }) =>
      [...text.matchAll(expression)].map(({ index, 0: whole }) => span(index, whole, rule)),
    );
    for (const literal of literals) spans.push(...occurrences(text, literal));
    if (text.length < LEAST_LENGTH) return spans;
    spans.push(...keySpans(text), ...urlSpans(text), ...tokenSpans(text), ...sqlFunctionSpans(text));
    spans.push(...assignedSpans(text, named, thorough));
    if (level === "strict") spans.push(...identitySpans(text), ...randomSpans(text));
    return spans;
  };
}

function occurrences(text: string, literal: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (literal === "") return spans;
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length))
    spans.push(span(at, literal, "known-secret"));
  return spans;
}

function randomSpans(text: string): SecretSpan[] {
  return [...text.matchAll(LONG_WORD)].flatMap(({ index, 0: word }) =>
    looksRandom(word) && !KNOWN_ID.test(word) ? [span(index, word, "random-text")] : [],
  );
}

function span(start: number, text: string, rule: string): SecretSpan {
  return { start, end: start + text.length, rule };
}
