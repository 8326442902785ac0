import type { JsonObject } from "../domain/json.ts";
import type { StackRecord } from "../domain/record.ts";
import { borrowSecrets, findPlaceholders } from "../redaction/placeholders.ts";
import { withValues } from "../redaction/replace-values.ts";
import type { PlaceholderPlace } from "../redaction/placeholders.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { content } from "./content.ts";
import { contentDigest } from "./content-digest.ts";
import { getOrMake } from "./get-or-make.ts";
import { groupBy } from "./group-by.ts";
import type { Candidate } from "./match-records.ts";

/**
 * Pairs records that are equal but for secrets that the archive does not show. Only what is equal around the places of the
 * secrets is looked at in full: of a thousand dashboards of one name that would be a million pairs.
 */
export function pairRedacted(
  kind: ResourceKind,
  archived: readonly Candidate[],
  target: readonly StackRecord[],
): [Candidate, StackRecord][] {
  const grouped = new Map<string, ReadonlyMap<string, readonly StackRecord[]>>();
  const taken = new Set<StackRecord>();
  return archived.flatMap((candidate) => {
    // Bodies may be made when they are asked for.
    const { body } = candidate;
    const places = findPlaceholders(body);
    if (places.length === 0) return [];
    const where = places.map(({ pointer }) => pointer).join("\n");
    const groups = getOrMake(grouped, where, () => groupBy(target, (record) => around(kind, record.body, places)));
    const isAlike = (there: JsonObject): boolean => content(kind, borrowSecrets(body, there)) === content(kind, there);
    const match = groups.get(around(kind, body, places))?.find((record) => !taken.has(record) && isAlike(record.body));
    if (!match) return [];
    taken.add(match);
    return [[candidate, match]];
  });
}

/** What tells contents apart but for what stands in these places. */
function around(kind: ResourceKind, body: JsonObject, places: readonly PlaceholderPlace[]): string {
  return contentDigest(kind, withValues(body, new Map(places.map(({ tokens }) => [tokens, ""]))));
}
