import { createHash } from "node:crypto";
import type { JsonObject } from "../core/json.ts";
import { compactJson, writeCompact } from "../core/json.ts";
import { withoutPath } from "../core/records/member-path.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { foldIds } from "./known-ids.ts";

/** A record's content in canonical form, without what the server added. */
export function content(kind: ResourceKind, body: JsonObject): string {
  return foldIds(compactJson(comparableContent(kind, body)));
}

/** So much text is hashed at a time: a call for each value would take longer, and the text of a whole record is not held twice. */
const PART = 65_536;

/** SHA-256 of `content`: equal for two records that say the same. */
export function recordFingerprint(kind: ResourceKind, body: JsonObject): string {
  const hash = createHash("sha256");
  let part = "";
  const flush = (): void => {
    hash.update(foldIds(part));
    part = "";
  };
  writeCompact(comparableContent(kind, body), (text) => {
    part += text;
    if (part.length > PART) flush();
  });
  flush();
  return hash.digest("hex");
}

/** A body without what the server added, for comparing. */
export function comparableContent(kind: ResourceKind, body: JsonObject): JsonObject {
  return kind.comparable(kind.serverOwned.reduce(withoutPath, body));
}
