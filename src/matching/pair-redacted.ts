import { getOrMake, groupBy } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import type { StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { yieldToEventLoop } from "../core/event-loop.ts";
import { borrowSecrets, findPlaceholders, setValues, type PlaceholderPlace } from "../redaction/placeholders.ts";
import { haveSameContent, recordFingerprint } from "../references/record-content.ts";

/** An archived record, and the body that it would have on the target with the ids known so far. */
export interface RecordToMatch {
  readonly record: StackRecord;
  readonly body: JsonObject;
}

export type Pair = readonly [RecordToMatch, StackRecord];

/**
 * Pairs records that are equal except for redacted secrets. First groups the records by their content without the secrets, then
 * compares whole records only within a group. Without groups, a thousand dashboards of one name would need a million comparisons.
 */
export async function pairRedacted(
  kind: ResourceKind,
  archived: readonly RecordToMatch[],
  target: readonly StackRecord[],
  signal: AbortSignal | undefined,
): Promise<Pair[]> {
  if (target.length === 0) return [];
  const grouped = new Map<string, ReadonlyMap<string, readonly StackRecord[]>>();
  const taken = new Set<StackRecord>();
  const pairs: Pair[] = [];
  for (const candidate of archived) {
    await yieldToEventLoop(signal);
    const { body } = candidate;
    const places = findPlaceholders(body);
    if (places.length === 0) continue;
    const where = places.map(({ pointer }) => pointer).join("\n");
    const groups = getOrMake(grouped, where, () =>
      groupBy(target, (record) => digestAround(kind, record.body, places)),
    );
    const isAlike = (targetBody: JsonObject): boolean =>
      haveSameContent(kind, borrowSecrets(body, targetBody), targetBody);
    const match = groups
      .get(digestAround(kind, body, places))
      ?.find((record) => !taken.has(record) && isAlike(record.body));
    if (!match) continue;
    taken.add(match);
    pairs.push([candidate, match]);
  }
  return pairs;
}

/** Makes a digest of a body without the values at these places. */
function digestAround(kind: ResourceKind, body: JsonObject, places: readonly PlaceholderPlace[]): string {
  return recordFingerprint(kind, setValues(body, new Map(places.map(({ tokens }) => [tokens, ""]))));
}
