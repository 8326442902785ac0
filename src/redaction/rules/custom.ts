import type { RedactionPolicy } from "../policy.ts";
import { matchSpans } from "../spans.ts";
import type { TextRule } from "./text-rule.ts";

/** What only one team or one run knows: its patterns, and secrets by their value. */
export function ownRules({ patterns = [], literals = [] }: RedactionPolicy): TextRule[] {
  const known = literals
    .filter((literal) => literal !== "")
    .map((literal) => ({ rule: "known-secret", pattern: escaped(literal) }));
  return [...patterns, ...known].map(({ rule, pattern }) => ({
    hint: new RegExp(pattern, "u"),
    find: (text) => matchSpans(text, new RegExp(pattern, "gu"), rule),
  }));
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
