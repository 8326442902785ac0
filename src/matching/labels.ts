import type { JsonObject } from "../core/json.ts";
import { isJsonArray } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";

/** The values of `--name-prefix` and `--tag`. */
export interface Labels {
  readonly namePrefix?: string;
  readonly tags: readonly string[];
}

/** Adds the prefix to the name and the tags to a body, if the kind has such members. */
export function applyLabels(kind: ResourceKind, body: JsonObject, labels: Labels): JsonObject {
  return { ...body, ...prefixed(kind, body, labels.namePrefix), ...tagged(kind, body, labels.tags) };
}

function prefixed(kind: ResourceKind, body: JsonObject, prefix: string | undefined): JsonObject {
  const member = kind.labels.name;
  const name = member === undefined ? undefined : body[member];
  // A record without a name (an alert may have null) gets none, because nobody would search for it by name.
  return prefix && member !== undefined && typeof name === "string" ? { [member]: prefix + name } : {};
}

function tagged(kind: ResourceKind, body: JsonObject, tags: readonly string[]): JsonObject {
  const member = kind.labels.tags;
  if (member === undefined || tags.length === 0) return {};
  const present = body[member];
  return { [member]: [...new Set([...(isJsonArray(present) ? present : []), ...tags])] };
}
