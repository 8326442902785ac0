import { isJsonArray, isJsonObject, mapMembers, type JsonValue } from "../../src/core/json.ts";
import { findJsonFlaw } from "../../src/core/text/json-scan.ts";

/** Makes the JSON of a value that costs much memory or time for its size. `bytes` is its approximate size. */
export type HostileShape = (bytes: number) => string;

const DEPTH = 120;

function repeatUnit(unit: string): HostileShape {
  return (bytes) => `[${unit.repeat(Math.ceil(bytes / unit.length))}0]`;
}

/** Makes an object whose members have different names. */
function members(nameOf: (index: number) => string, value: string): HostileShape {
  return (bytes) => {
    const parts: string[] = [];
    for (let size = 0; size < bytes; size += parts.at(-1)?.length ?? 1)
      parts.push(`"${nameOf(parts.length)}":${value},`);
    return `{${parts.join("")}"":0}`;
  };
}

function text(unit: string): HostileShape {
  return (bytes) => `"${unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit)))}"`;
}

/** The shapes of hostile records, by name. */
export const hostileShapes: Readonly<Record<string, HostileShape>> = {
  objects: repeatUnit("{},"),
  arrays: repeatUnit("[],"),
  digits: repeatUnit("1,"),
  "empty strings": repeatUnit('"",'),
  pairs: repeatUnit('{"a":1},'),
  "different objects": (bytes) =>
    `[${Array.from({ length: Math.ceil(bytes / 14) }, (_, index) => `{"k${index.toString(36)}":{}}`).join(",")}]`,
  keys: members((index) => index.toString(36), "0"),
  "keys that are numbers": members((index) => String(index * 7919), "{}"),
  "keys of one hash prefix": members((index) => `${"k".repeat(60)}${index.toString(36)}`, "[]"),
  "one long key": (bytes) => `{${text("k")(bytes)}:1}`,
  "one long number": (bytes) => "1".repeat(bytes),
  "long fractions": repeatUnit(`0.${"1".repeat(900)},`),
  "one long text": text("a"),
  "one long text of wide characters": text("概"),
  "one long text without spaces": text("aZ9-_"),
  escapes: text("\\u0041"),
  "escapes of controls": text("\\u0001"),
  "halves of characters": text("\\ud800"),
  backslashes: text("\\\\"),
  quotes: text('\\"'),
  "line breaks": text("\\n"),
  assignments: text("password=a "),
  addresses: text("https://a:b@c/?token=d&"),
  "addresses with passwords": text("http://u:pass@h "),
  "secrets beside templates": text("https://u:pass@h?t={{a}} "),
  certificates: text("-----BEGIN CERTIFICATE-----a-----END CERTIFICATE-----"),
  placeholders: text("«redacted:a»"),
  ids: text("0123456789ABCDEF01234567 "),
  "different ids": (bytes) =>
    `"${Array.from({ length: Math.ceil(bytes / 25) }, (_, index) => index.toString(16).padStart(24, "0")).join(" ")}"`,
  tables: text("| a | password |\\n"),
  labels: text("**password**: x\\n"),
  "text that begins tags": text("<a "),
  braces: text("{{ {{ "),
  nesting: (bytes) => {
    const tower = `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)},`;
    return repeatUnit(tower)(bytes);
  },
  bottomless: (bytes) => "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
  "deep digits": (bytes) => "[".repeat(DEPTH) + repeatUnit("1,")(bytes).slice(1, -1) + "]".repeat(DEPTH),
  "white space": (bytes) => `[${" ".repeat(bytes)}]`,
};

/** Makes a value of this shape of about that many bytes, or fewer if it would hold more than `maxValues` values. */
export function largestWithin(shape: HostileShape, bytes: number, maxValues: number): string {
  const sample = shape(SAMPLE_BYTES);
  const perByte = valuesIn(sample) / sample.length;
  return shape(Math.min(bytes, Math.floor((maxValues * 0.95) / perByte)));
}

/** Changes the last number of the JSON, or the end of its last text. */
export function changedAtEnd(json: string): string {
  return json.endsWith('"') ? `${json.slice(0, -1)}z"` : json.replace(/0(?=[\]}]*$)/, "7");
}

/** Changes every value of the JSON. */
export function changedThroughout(json: string): string {
  const changed = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return `b${value}`;
    if (isJsonArray(value)) return value.length === 0 ? {} : value.map(changed);
    if (isJsonObject(value)) return Object.keys(value).length === 0 ? [] : mapMembers(value, changed);
    return Number(value) + 1;
  };
  return JSON.stringify(changed(JSON.parse(json) as JsonValue));
}

const SAMPLE_BYTES = 30_000;

/** Counts the values of a JSON text by bisection, with the program's own check of the maximum. */
function valuesIn(json: string): number {
  let [enough, tooFew] = [json.length + 1, 0];
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    if (findJsonFlaw(json, { maxValues: middle, maxDepth: json.length }) === "values") tooFew = middle;
    else enough = middle;
  }
  return enough;
}
