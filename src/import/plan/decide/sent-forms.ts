import type { JsonObject } from "../../../core/json.ts";
import { IdMap, type KnownId } from "../../../core/plan/id-map.ts";
import type { ContentDigests } from "../../../core/plan/state.ts";
import { getOrMake } from "../../../core/collections.ts";
import { splitKey, type StackRecord } from "../../../core/records/record.ts";
import type { IdSpace } from "../../../core/resource-kind.ts";
import type { ArchiveIndex } from "../../../references/archive-index.ts";
import { makeKnownId } from "../../../references/known-ids.ts";
import { recordFingerprint } from "../../../references/record-content.ts";
import { findReferences, rewriteReferences } from "../../../references/references.ts";
import { borrowSecrets } from "../../../redaction/placeholders.ts";
import { bodyOfWholeUpdate } from "../../write-body.ts";
import { translationOfBasis, type DecisionBasis, type MatchedPair, type RecordToDecide } from "./decision.ts";

/**
 * Compares the source's record with what the last import sent. Returns no body if the source has not changed the record since.
 * Otherwise returns the body to send, in each form that the last import may have sent. That import may have filled in secrets that
 * this one lacks but the target still has, and may have translated links to records that the source has deleted since.
 */
export function formsChangedSince(
  sent: ContentDigests,
  { kind, record, target }: MatchedPair,
  basis: DecisionBasis,
): JsonObject[] {
  const formsOf = (each: StackRecord): JsonObject[] => {
    const body = bodyOfWholeUpdate(kind, each, translationOfBasis(basis), target.id);
    return [...new Set([body, borrowSecrets(body, target.body)])];
  };
  const isSent = (body: JsonObject): boolean => recordFingerprint(kind, body) === sent.whole;
  const forms = formsOf(record);
  if (forms.some(isSent)) return [];
  const former = withFormerLinks({ kind, record }, basis);
  const formerForms = former === undefined ? [] : formsOf(former);
  return formerForms.some(isSent) ? [] : [...forms, ...formerForms];
}

/** Ids of records and children that the source has deleted since an earlier import, and their ids on the target. */
interface FormerIds {
  readonly ids: IdMap;
  readonly knownIds: ReadonlyMap<string, KnownId>;
}

const formerIdsByArchive = new WeakMap<ArchiveIndex, FormerIds>();

/**
 * Returns a record whose texts have the target's ids in place of ids that the source has deleted since, as the last import wrote
 * these texts. Undefined if no text mentions such an id.
 */
export function withFormerLinks(
  { kind, record }: RecordToDecide,
  { archive, stateRecords }: Pick<DecisionBasis, "archive" | "stateRecords">,
): StackRecord | undefined {
  const { ids, knownIds } = getOrMake(formerIdsByArchive, archive, () => formerIdsOf(archive, stateRecords));
  const texts = findReferences(kind, record.body, knownIds).filter(({ form }) => form === "embedded");
  return texts.length === 0 ? undefined : { ...record, body: rewriteReferences(record.body, texts, ids, knownIds) };
}

function formerIdsOf(archive: ArchiveIndex, stateRecords: DecisionBasis["stateRecords"]): FormerIds {
  const ids = new IdMap();
  const knownIds = new Map<string, KnownId>();
  const add = (space: IdSpace, id: string, targetId: string, owner?: string): void => {
    const [token, former] = [id.toLowerCase(), makeKnownId(space, id, owner)];
    const archived = archive.knownIds.get(token)?.record;
    if (knownIds.has(token) || (archived !== undefined && archive.byKey.has(archived))) return;
    knownIds.set(token, former);
    ids.set(space, former.id, targetId);
  };
  for (const [key, { targetId, children = {} }] of stateRecords) {
    const [kind, id] = splitKey(key);
    add(kind, id, targetId);
    for (const [space, pairs] of Object.entries(children))
      for (const [childId, targetChildId] of Object.entries(pairs)) add(space, childId, targetChildId, id);
  }
  return { ids, knownIds };
}
