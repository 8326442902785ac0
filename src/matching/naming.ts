import type { JsonObject } from "../core/json.ts";
import { isJsonArray } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";

/** The values of `--name-prefix` and `--tag`. */
export interface NamingOptions {
  readonly namePrefix?: string;
  readonly tags: readonly string[];
}

/** Adds the prefix to the name and the tags to a body, if the kind has such members. */
export function applyNaming(kind: ResourceKind, body: JsonObject, naming: NamingOptions): JsonObject {
  return { ...body, ...prefixedName(kind, body, naming.namePrefix), ...addedTags(kind, body, naming.tags) };
}

function prefixedName(kind: ResourceKind, body: JsonObject, prefix: string | undefined): JsonObject {
  const member = kind.nameFields.name;
  const name = member === undefined ? undefined : body[member];
  // A record without a name (an alert may have null) gets none, because nobody would search for it by name.
  return prefix && member !== undefined && typeof name === "string" ? { [member]: prefix + name } : {};
}

function addedTags(kind: ResourceKind, body: JsonObject, tags: readonly string[]): JsonObject {
  const member = kind.nameFields.tags;
  if (member === undefined || tags.length === 0) return {};
  const present = body[member];
  return { [member]: [...new Set([...(isJsonArray(present) ? present : []), ...tags])] };
}
