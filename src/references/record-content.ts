import { createHash } from "node:crypto";
import type { JsonObject } from "../core/json.ts";
import { compactJson } from "../core/json.ts";
import { withoutPath } from "../core/member-path.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { foldIds } from "./known-ids.ts";

/** What a record says, in the form in which the server's additions do not count. */
export function content(kind: ResourceKind, body: JsonObject): string {
  return foldIds(compactJson(kind.comparable(kind.serverOwned.reduce(withoutPath, body))));
}

/** SHA-256 of `content`: equal for two records that say the same. */
export function recordFingerprint(kind: ResourceKind, body: JsonObject): string {
  return createHash("sha256").update(content(kind, body)).digest("hex");
}
