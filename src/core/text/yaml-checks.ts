import type { Document } from "yaml";
import { isScalar, visit } from "yaml";

/**
 * Where a document of YAML has a key twice in one mapping, as an offset into the text: the later would count, in silence. The
 * library's own check compares each key with all others, which takes minutes for a file made for it.
 */
export function repeatedKey(document: Document.Parsed): number | undefined {
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

/** What a key is called as a member of an object: `1` and `"1"` are one. */
function memberName(key: unknown): string {
  if (key === null) return "";
  return typeof key === "string" ? key : JSON.stringify(key);
}

/** What stands between two values, or before one that is in another. */
const BETWEEN_VALUES = /[\n,[{?]|- /g;

/**
 * Whether a file of YAML has more of what separates values than twice `values`. A value of a parsed file takes a hundred times the
 * memory of its text, so this is asked before; texts have separators, too, which is why twice as many are allowed.
 */
export function mayHoldMore(text: string, values: number): boolean {
  if (text.length <= 2 * values) return false;
  let count = 0;
  BETWEEN_VALUES.lastIndex = 0;
  while (count <= 2 * values && BETWEEN_VALUES.test(text)) count += 1;
  return count > 2 * values;
}
