import type { RedactionPolicy, SecretSpan } from "./redaction-policy.ts";
import type { TextRule } from "./text-rule.ts";

/** What only one team or one run knows: its patterns, and secrets by their value. */
export function ownRules({ patterns = [], literals = [] }: RedactionPolicy): TextRule[] {
  const known = literals.filter((literal) => literal !== "");
  const rules = patterns.map(({ rule, pattern }): TextRule => {
    const [one, all] = [new RegExp(pattern, "u"), new RegExp(pattern, "gu")];
    return {
      signs: [],
      may: (text) => one.test(text),
      find: (text) => [...text.matchAll(all)].map(({ index, 0: whole }) => span(index, whole, rule)),
    };
  });
  if (known.length === 0) return rules;
  const may = (text: string): boolean => known.some((literal) => text.includes(literal));
  return [...rules, { signs: [], may, find: (text) => known.flatMap((literal) => occurrences(text, literal)) }];
}

function occurrences(text: string, literal: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length))
    spans.push(span(at, literal, "known-secret"));
  return spans;
}

function span(start: number, text: string, rule: string): SecretSpan {
  return { start, end: start + text.length, rule };
}
