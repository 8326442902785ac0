import { isMap, isNode, isScalar, visit, type Document } from "yaml";

/** The second value would replace the first unnoticed. The library's own check takes minutes for a hostile file. */
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

export function offsetOfMember(
  document: Document.Parsed,
  path: readonly PropertyKey[],
  start: "key" | "value",
): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const member =
      start === "key" && isMap(parent)
        ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path[length - 1]))?.key
        : document.getIn(path.slice(0, length), true);
    if (isNode(member) && member.range) return member.range[0];
  }
  return undefined;
}

function memberName(key: unknown): string {
  if (key === null) return "";
  return typeof key === "string" ? key : JSON.stringify(key);
}

const BETWEEN_VALUES = /[\n,[{?]|- /g;

/** Counts before parsing, which takes a hundred times the text's memory. Allows two separators per value: texts contain some, too. */
export function mayHoldMoreValues(text: string, values: number): boolean {
  if (text.length <= 2 * values) return false;
  let count = 0;
  BETWEEN_VALUES.lastIndex = 0;
  while (count <= 2 * values && BETWEEN_VALUES.test(text)) count += 1;
  return count > 2 * values;
}
