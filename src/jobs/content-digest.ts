import { createHash } from "node:crypto";
import type { JsonObject } from "../domain/json.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { content } from "./content.ts";

/** A short proof of what a record says, in the form in which records are compared. */
export function contentDigest(kind: ResourceKind, body: JsonObject): string {
  return createHash("sha256").update(content(kind, body)).digest("hex");
}
