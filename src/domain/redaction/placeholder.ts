import { visitStrings } from "../json.ts";
import type { JsonValue } from "../json.ts";
import { formatPointer } from "../pointer.ts";

/** How the name of a rule looks: it becomes part of a placeholder. */
export const RULE_NAME = /^[a-z][a-z0-9-]{0,63}$/;

const PLACEHOLDER = /«redacted:([a-z][a-z0-9-]{0,63})»/g;

/** What stands where a secret was: stable, typed by its rule, unmistakable. */
export function placeholder(rule: string): string {
  return `«redacted:${rule}»`;
}

/** A string of a record that holds placeholders. */
export interface PlaceholderPlace {
  readonly tokens: readonly string[];
  readonly pointer: string;
  /** The rules of its placeholders, in the order in which they stand in the text. */
  readonly rules: readonly string[];
}

/** Whether it is worth to look for placeholders: asked of every text of a stack, and hardly any has one. */
export function mayHoldPlaceholder(text: string): boolean {
  return text.includes("«");
}

/** Where a value holds placeholders. Member names are not looked at: nothing is redacted there. */
export function findPlaceholders(value: JsonValue): PlaceholderPlace[] {
  const found: PlaceholderPlace[] = [];
  visitStrings(value, (text, path) => {
    if (!mayHoldPlaceholder(text)) return;
    const rules = [...text.matchAll(PLACEHOLDER)].map(([, rule = ""]) => rule);
    if (rules.length > 0) found.push({ tokens: [...path], pointer: formatPointer(path), rules });
  });
  return found;
}

/** The text between the placeholders: one part more than there are placeholders. */
export function partsAround(text: string): string[] {
  return text.split(/«redacted:[a-z][a-z0-9-]{0,63}»/);
}

/** The text with NUL in the place of every placeholder, so that no rule looks into one, nor takes what follows for its value. */
export function masked(text: string): string {
  return mayHoldPlaceholder(text) ? text.replaceAll(PLACEHOLDER, (mark) => "\0".repeat(mark.length)) : text;
}
