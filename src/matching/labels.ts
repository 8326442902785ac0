import type { JsonObject } from "../core/json.ts";
import { isJsonArray } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";

/** What `--name-prefix` and `--tag` ask for. */
export interface Labels {
  readonly namePrefix?: string;
  readonly tags: readonly string[];
}

/** The body with the prefix before its name and the tags added, where the kind has such members. */
export function applyLabels(kind: ResourceKind, body: JsonObject, labels: Labels): JsonObject {
  return { ...body, ...prefixed(kind, body, labels.namePrefix), ...tagged(kind, body, labels.tags) };
}

function prefixed(kind: ResourceKind, body: JsonObject, prefix: string | undefined): JsonObject {
  const member = kind.labels.name;
  const name = member === undefined ? undefined : body[member];
  // A record without a name (an alert may have null) keeps none: the name is what people would search for.
  return prefix && member !== undefined && typeof name === "string" ? { [member]: prefix + name } : {};
}

function tagged(kind: ResourceKind, body: JsonObject, tags: readonly string[]): JsonObject {
  const member = kind.labels.tags;
  if (member === undefined || tags.length === 0) return {};
  const present = body[member];
  return { [member]: [...new Set([...(isJsonArray(present) ? present : []), ...tags])] };
}
