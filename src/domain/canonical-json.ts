import { isJsonArray, isJsonObject } from "./json.ts";
import type { JsonValue } from "./json.ts";

/** Most strings need none of the care that `JSON.stringify` takes. */
const NEEDS_ESCAPES = /["\\\p{Cc}\p{Cs}]/u;

/**
 * The archive's one way to write a value: members sorted by code unit, two spaces, LF, a final newline.
 * Equal content gives equal bytes, whatever order the server answered in (field note: key order changes after a PUT).
 * @throws RangeError where objects and arrays nest deeper than `maxDepth`
 */
export function canonicalJson(value: JsonValue, maxDepth = Number.POSITIVE_INFINITY): string {
  return `${indented(value, "\n", maxDepth)}\n`;
}

/** The same order without white space: for comparing and hashing, not for files. */
export function compactJson(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(compactJson).join(",")}]`;
  if (!isJsonObject(value)) return scalar(value);
  return `{${members(value)
    .map(([name, inner]) => `${scalar(name)}:${compactJson(inner)}`)
    .join(",")}}`;
}

/** `lineEnd` is a line feed and the indentation of the line that the value ends on. */
function indented(value: JsonValue, lineEnd: string, depthLeft: number): string {
  if (typeof value !== "object" || value === null) return scalar(value);
  if (depthLeft <= 0) throw new RangeError("nested too deep");
  const inner = `${lineEnd}  `;
  let text = "";
  if (isJsonArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${inner}${indented(item, inner, depthLeft - 1)}`;
    return text === "" ? "[]" : `[${text}${lineEnd}]`;
  }
  for (const [name, item] of members(value)) {
    text += `${text === "" ? "" : ","}${inner}${scalar(name)}: ${indented(item, inner, depthLeft - 1)}`;
  }
  return text === "" ? "{}" : `{${text}${lineEnd}}`;
}

function members(value: Readonly<Record<string, JsonValue | undefined>>): [string, JsonValue][] {
  const found: [string, JsonValue][] = [];
  for (const name of Object.keys(value).sort()) {
    const inner = value[name];
    if (inner !== undefined) found.push([name, inner]);
  }
  return found;
}

function scalar(value: string | number | boolean | null): string {
  return typeof value === "string" && !NEEDS_ESCAPES.test(value) ? `"${value}"` : JSON.stringify(value);
}
