import { isScalar, visit, type Document } from "yaml";

/**
 * Finds a key that occurs twice in a YAML mapping, and returns its offset. Without this check, the second value would silently
 * replace the first. The library's own check compares each key with all others, which takes minutes for a hostile file.
 */
export function offsetOfRepeatedKey(document: Document.Parsed): number | undefined {
  let found: number | undefined;
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = memberName(key.value);
        if (seen.has(name)) {
          found = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        seen.add(name);
      }
      return undefined;
    },
  });
  return found;
}

/** Returns a key as a member name of an object: `1` and `"1"` are the same. */
function memberName(key: unknown): string {
  if (key === null) return "";
  return typeof key === "string" ? key : JSON.stringify(key);
}

/** Matches the separators of a YAML text: between two values, or before a nested value. */
const BETWEEN_VALUES = /[\n,[{?]|- /g;

/**
 * Tells whether a YAML text may hold more than `values` values. Counts separators instead of parsing, because parsed values take a
 * hundred times the memory of the text. Allows twice as many separators as values, because texts contain separators, too.
 */
export function mayHoldMoreValues(text: string, values: number): boolean {
  if (text.length <= 2 * values) return false;
  let count = 0;
  BETWEEN_VALUES.lastIndex = 0;
  while (count <= 2 * values && BETWEEN_VALUES.test(text)) count += 1;
  return count > 2 * values;
}
