import { readFileSync } from "node:fs";
import { compactJson, visitStrings, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { formatPointer, placesAt } from "../../src/core/records/member-path.ts";
import { findKind } from "../../src/kinds/registry.ts";
import type { Redactor } from "../../src/redaction/redactor.ts";

/** One case of a set whose author had not seen the rules. */
export interface BlindCase {
  readonly family: string;
  readonly kind: "secret" | "look-alike";
  readonly at: string;
  readonly value: JsonValue;
  readonly secret?: readonly string[];
}

/** The sets, in the order in which they were tried. Each was tried once before anybody read its cases. */
export const BLIND_SETS = [
  "first",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth",
  "eleventh",
  "twelfth",
  "thirteenth",
  "fourteenth",
  "fifteenth",
  "sixteenth",
  "seventeenth",
] as const;

/**
 * Sets of forms that were found in public files, in the order in which they were tried. Their words and values were replaced.
 */
export const PUBLIC_SETS = ["first", "second", "third"] as const;

/**
 * Returns the cases of a set. In the file, each long word contains marks, so that scanners of repositories do not take it for
 * a token.
 */
export function blindCases(set: (typeof BLIND_SETS)[number]): BlindCase[] {
  return casesIn(`blind/${set}.json`);
}

/** Returns the cases of a set of forms from public files. */
export function publicCases(set: (typeof PUBLIC_SETS)[number]): BlindCase[] {
  return casesIn(`public/${set}.json`);
}

function casesIn(file: string): BlindCase[] {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  return JSON.parse(text.replaceAll("¦", "")) as BlindCase[];
}

const id = "6b00e15be5757e17d9e50091";

/** Returns a record that contains the case, as the program would read it. */
export function recordOf({ at, value }: BlindCase): readonly [kind: string, body: JsonObject] {
  const tile = (name: string, config: JsonObject): JsonObject => ({ id, name, x: 0, y: 0, w: 6, h: 3, config });
  const dashboard = (name: string, config: JsonObject): JsonObject => ({
    id,
    name,
    tags: ["production"],
    tiles: [tile(at === "name" ? name : "Requests", config)],
  });
  if (typeof value === "string") {
    if (at === "sql") return ["dashboards", dashboard("Overview", { configType: "sql", sqlTemplate: value })];
    if (at === "name") return ["dashboards", dashboard(value, { displayType: "line" })];
    if (at === "alert-message") return ["alerts", { id, name: "Many errors", source: "tile", message: value }];
    const markdown = at === "url" ? `[Open](${value})` : value;
    return ["dashboards", dashboard("Overview", { displayType: "markdown", markdown })];
  }
  return [`${at}s`, { id, ...(value as JsonObject) }];
}

/** Redacts a case. Returns the redacted record if a secret was left or a look-alike was redacted, and otherwise undefined. */
export async function problemOf(redact: Redactor, each: BlindCase): Promise<string | undefined> {
  const [name, body] = recordOf(each);
  const kind = findKind(name);
  if (!kind) throw new Error(`there is no kind ${name}`);
  const { body: redacted, redactions } = await redact(kind, body);
  if (each.kind === "secret")
    return (each.secret ?? []).some((secret) => isLeft(secret, body, redacted)) ? compactJson(redacted) : undefined;
  // Declared members are always redacted, so only the rest of the record counts.
  const declared = new Set(
    kind.secrets.flatMap(({ path }) => placesAt(body, path).map(({ tokens }) => formatPointer(tokens))),
  );
  const touched = redactions.filter(({ pointer }) => !declared.has(pointer));
  return touched.length > 0 ? compactJson(redacted) : undefined;
}

/**
 * Returns whether the secret, or the first or last half of it, is in the redacted record. Ignores parts that also occur
 * elsewhere in the original.
 */
function isLeft(secret: string, before: JsonObject, after: JsonObject): boolean {
  const half = Math.max(6, Math.ceil(secret.length / 2));
  const parts = secret.length <= 6 ? [secret] : [secret, secret.slice(0, half), secret.slice(-half)];
  const elsewhere = textsOf(before).map((text) => text.replaceAll(secret, "\0"));
  const left = textsOf(after);
  return parts.some(
    (part) => !elsewhere.some((text) => text.includes(part)) && left.some((text) => text.includes(part)),
  );
}

function textsOf(body: JsonObject): string[] {
  const texts: string[] = [];
  visitStrings(body, (text) => texts.push(text));
  return texts;
}
