import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject, writeCompact } from "../core/json.ts";
import { ID_TOKEN } from "../core/records/record.ts";
import { withoutPath } from "../core/records/member-path.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { foldIds } from "./known-ids.ts";

/** Tells whether two bodies have the same content, apart from additions of the server. */
export function haveSameContent(kind: ResourceKind, left: JsonObject, right: JsonObject): boolean {
  return areSame(comparableContent(kind, left), comparableContent(kind, right));
}

/**
 * Tells whether two values are equal, ignoring the case of ids and the order of members. Builds no new texts, because a record may
 * be one text of 16 MB.
 */
export function areSame(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left === "string" && typeof right === "string") return areSameTexts(left, right);
  if (isJsonArray(left) && isJsonArray(right)) {
    return left.length === right.length && left.every((item, index) => areSame(item, right[index] ?? null));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const [ours, theirs] = [namesIn(left), namesIn(right)];
  return (
    ours.length === theirs.length &&
    ours.every((name, index) => {
      const other = theirs[index] ?? "";
      return areSameTexts(name, other) && areSame(left[name] ?? null, right[other] ?? null);
    })
  );
}

function namesIn(object: JsonObject): string[] {
  return Object.keys(object)
    .filter((name) => object[name] !== undefined)
    .sort();
}

function areSameTexts(left: string, right: string): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  let from = 0;
  for (const { 0: id, index } of left.matchAll(ID_TOKEN)) {
    const end = index + id.length;
    if (left.slice(from, index) !== right.slice(from, index)) return false;
    if (id.toLowerCase() !== right.slice(index, end).toLowerCase()) return false;
    from = end;
  }
  return left.slice(from) === right.slice(from);
}

/** Number of characters hashed at a time: a call per value would be slower, and the whole text would need too much memory. */
const PART = 65_536;

/** SHA-256 of a body's content: equal for records with equal content. */
export function recordFingerprint(kind: ResourceKind, body: JsonObject): string {
  return fingerprint(comparableContent(kind, body));
}

/** SHA-256 of a value in canonical form, with ids in lower case. */
export function fingerprint(value: JsonValue): string {
  const hash = createHash("sha256");
  let part = "";
  const flush = (): void => {
    hash.update(foldIds(part));
    part = "";
  };
  writeCompact(value, (text) => {
    part += text;
    if (part.length > PART) flush();
  });
  flush();
  return hash.digest("hex");
}

/** Removes from a body the server's additions, and blanks around its name, which the API trims (docs/api.md#dashboards). */
export function comparableContent(kind: ResourceKind, body: JsonObject): JsonObject {
  const content = kind.comparable(kind.serverOwned.reduce(withoutPath, body));
  const { name } = content;
  return typeof name === "string" && name !== name.trim() ? { ...content, name: name.trim() } : content;
}
