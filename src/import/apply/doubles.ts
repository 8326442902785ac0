import { groupBy } from "../../core/collections.ts";
import { IdMap } from "../../core/plan/id-map.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { StackRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { kinds } from "../../kinds/registry.ts";
import { naturalKey } from "../../matching/match-records.ts";
import type { ListedRecords } from "./lost-create.ts";
import { foldedTargetKey } from "../../references/known-ids.ts";
import { mapChildrenByIdentity } from "../../references/map-children.ts";
import { findReferences, rewriteReferences } from "../../references/references.ts";

/**
 * Finds records that another run has created beside those of this run: they appeared during the run, this run did not make them, and
 * they have the natural key of a record that it made. Two machines do not see each other's lock; the one that checks last finds the
 * records of the other. A double of an alert is on the double of its dashboard. So the kinds are compared in the order of their
 * references, with the ids of the doubles that were found so far translated to ours.
 * @param listed the records in the target's lists, by `foldedKey`
 * @param known those that the target had before the run, or that the run has made
 * @returns the ids of the doubles, by the `foldedKey` of the created record
 */
export function findDoubles(
  outcomes: readonly Outcome[],
  listed: ReadonlyMap<string, StackRecord>,
  known: ListedRecords,
): ReadonlyMap<string, readonly string[]> {
  const created = new Set(
    outcomes.filter(({ action, status }) => action === "create" && status === "done").map(foldedTargetKey),
  );
  const recordsByKind = groupBy([...listed], ([, { kind }]) => kind);
  const toOurs = new IdMap();
  const found = new Map<string, readonly string[]>();
  for (const kind of kinds) {
    const records = recordsByKind.get(kind.name) ?? [];
    const ours = records.filter(([key]) => created.has(key));
    const strangers = records.flatMap(([, record]) => (known.has(record.kind, record.id) ? [] : [record]));
    const likeByKey = groupBy(strangers, (record) => naturalKey(kind, withOurIds(kind, record, toOurs)));
    for (const [natural, twins] of groupBy(ours, ([, { body }]) => naturalKey(kind, body))) {
      const doubles = natural === undefined ? [] : (likeByKey.get(natural) ?? []);
      const ids = doubles.map(({ id }) => id);
      if (ids.length > 0) for (const [key] of twins) found.set(key, ids);
      for (const [index, double] of doubles.entries()) {
        const [, record] = twins[index % twins.length] ?? [];
        if (record !== undefined) addIds(kind, double, record, toOurs);
      }
    }
  }
  return found;
}

/** Returns the body of another run's record, with the ids of ours in place of those of its doubles. */
function withOurIds(kind: ResourceKind, { body }: StackRecord, toOurs: IdMap) {
  const noKnownIds = new Map();
  return rewriteReferences(body, findReferences(kind, body, noKnownIds), toOurs, noKnownIds);
}

function addIds(kind: ResourceKind, double: StackRecord, ours: StackRecord, toOurs: IdMap): void {
  toOurs.set(kind.name, double.id, ours.id);
  for (const { space, from, to } of mapChildrenByIdentity(kind, double.id, double.body, ours.body)) {
    toOurs.set(space, from, to);
  }
}
