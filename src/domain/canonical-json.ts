import { isJsonArray, isJsonObject } from "./json.ts";
import type { JsonValue } from "./json.ts";

/**
 * The archive's one way to write a value: members sorted by code unit, two spaces, LF, a final newline.
 * Equal content gives equal bytes, whatever order the server answered in (field note: key order changes after a PUT).
 */
export function canonicalJson(value: JsonValue): string {
  return `${JSON.stringify(sortMembers(value), undefined, 2)}\n`;
}

/** The same order without white space: for comparing and hashing, not for files. */
export function compactJson(value: JsonValue): string {
  return JSON.stringify(sortMembers(value));
}

function sortMembers(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(sortMembers);
  if (!isJsonObject(value)) return value;
  const members = Object.keys(value).sort();
  return Object.fromEntries(
    members.flatMap((member) => {
      const inner = value[member];
      return inner === undefined ? [] : [[member, sortMembers(inner)]];
    }),
  );
}
