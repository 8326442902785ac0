import { createHash, hash, type Hash } from "node:crypto";
import { isJsonArray, isJsonObject, writeCompactJson, type JsonObject, type JsonValue } from "../core/json.ts";
import { ID_PATTERN, recordKey, type RecordKey, type StackRecord } from "../core/records/record.ts";
import { withoutPath } from "../core/records/member-path.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { foldIds } from "./known-ids.ts";
import { findKind } from "../kinds/registry.ts";

export function haveSameContent(kind: ResourceKind, left: JsonObject, right: JsonObject): boolean {
  return areSameApartFromIdCase(comparableContent(kind, left), comparableContent(kind, right));
}

/** Ignores the order of members. Builds no text, because a value can have 16 MB. */
export function areSameApartFromIdCase(
  left: JsonValue,
  right: JsonValue,
  areAlike: (left: string, right: string) => boolean = () => false,
): boolean {
  if (left === right) return true;
  if (typeof left === "string" && typeof right === "string") return areSameTexts(left, right) || areAlike(left, right);
  if (isJsonArray(left) && isJsonArray(right)) {
    return (
      left.length === right.length &&
      left.every((item, index) => areSameApartFromIdCase(item, right[index] ?? null, areAlike))
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const [ours, theirs] = [namesIn(left), namesIn(right)];
  return (
    ours.length === theirs.length &&
    ours.every((name, index) => {
      const other = theirs[index] ?? "";
      return areSameTexts(name, other) && areSameApartFromIdCase(left[name] ?? null, right[other] ?? null, areAlike);
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
  for (const { 0: id, index } of left.matchAll(ID_PATTERN)) {
    const end = index + id.length;
    if (left.slice(from, index) !== right.slice(from, index)) return false;
    if (id.toLowerCase() !== right.slice(index, end).toLowerCase()) return false;
    from = end;
  }
  return left.slice(from) === right.slice(from);
}

/** Characters per call of the hash: one call per value would be slow, and one for all would need much memory. */
const PART = 65_536;

/** Ignores the order of children. */
export function recordFingerprint(kind: ResourceKind, body: JsonObject): string {
  const content = comparableContent(kind, body);
  const children = kind.children.flatMap(({ member }): [string, JsonValue][] => {
    const list = content[member];
    return isJsonArray(list) ? [[member, list.map(fingerprint).sort()]] : [];
  });
  return fingerprint({ ...content, ...Object.fromEntries(children) });
}

/** Values whose ids differ only in case have one fingerprint. */
export function fingerprint(value: JsonValue): string {
  let whole: Hash | undefined;
  let part = "";
  writeCompactJson(value, (text) => {
    part += text;
    if (part.length <= PART) return;
    whole = (whole ?? createHash("sha256")).update(foldIds(part));
    part = "";
  });
  // Hashing in one call takes half the time, and most values are short.
  return whole === undefined ? hash("sha256", foldIds(part)) : whole.update(foldIds(part)).digest("hex");
}

/** Trims the name, as the server does (docs/api.md#dashboards). */
export function comparableContent(kind: ResourceKind, body: JsonObject): JsonObject {
  const content = kind.comparable(kind.serverOwned.reduce(withoutPath, body));
  const { name } = content;
  return typeof name === "string" && name !== name.trim() ? { ...content, name: name.trim() } : content;
}

export interface RecordDigest {
  readonly key: RecordKey;
  readonly digest: string;
}

/** Without server-owned members: an alert that fires has not changed (docs/api.md#alerts). */
export function digestRecord({ kind: name, id, body }: StackRecord): RecordDigest {
  const owned = findKind(name)?.serverOwned ?? [];
  return { key: recordKey(name, foldIds(id)), digest: fingerprint(owned.reduce(withoutPath, body)) };
}

export function recordsDigest(records: Iterable<RecordDigest>): string {
  const lines = Array.from(records, ({ key, digest }) => `${key} ${digest}\n`).sort();
  return createHash("sha256").update(lines.join("")).digest("hex");
}
