import type { JsonObject } from "../../../core/json.ts";
import { valueAtTokens, withValueAt } from "../../../core/records/member-path.ts";
import { ID_PATTERN, keyOfRecord, type StackRecord } from "../../../core/records/record.ts";
import type { IdSpace } from "../../../core/resource-kind.ts";
import type { JournaledRecord } from "../../../journal/replay.ts";
import { isRequested } from "../../../matching/plan-options.ts";
import { referencesOf, type ArchiveIndex } from "../../../references/archive-index.ts";
import { foldIds, idsIn } from "../../../references/known-ids.ts";
import { haveSameContent } from "../../../references/record-content.ts";
import { decisionKey, makePair, type DecisionBasis, type MatchedPair } from "./decision.ts";
import { isAlwaysWritten, knownKind } from "../../../kinds/registry.ts";
import { findReferences, type Reference } from "../../../references/references.ts";

/** Code and message of an update that only adds deferred links. */
export const FINISH_LINKS_REASON = {
  code: "finish-links",
  message:
    "an earlier import wrote it without a link, because the linked record did not exist yet; the link is added now",
} as const;

/** The links in a cycle that the archived record has and its counterpart on the target lacks. */
export interface LackingLinks {
  /** Pointers of links that are missing, and of texts that still contain ids of the source stack. */
  readonly lacking: readonly string[];
  /** True if only an interrupted import can have left out the links; false if somebody may have removed them. */
  readonly certain: boolean;
  /** Tells whether the two records are equal apart from these links. */
  readonly otherwiseEqual: () => boolean;
}

/** Finds the deferred links that the target's record lacks. */
export function compareLinks(
  pair: MatchedPair,
  { archive, target }: Pick<DecisionBasis, "archive" | "target">,
): LackingLinks {
  const { kind, record, body: expectedBody } = pair;
  const stored = pair.target.body;
  const key = decisionKey(pair);
  const { componentOf } = archive.links();
  const cyclic = referencesOf(archive, record).filter(
    ({ deferrable, record: to }) => deferrable && to && componentOf.get(to) === componentOf.get(key),
  );
  let [expectedRest, storedRest] = [expectedBody, stored];
  const lacking: string[] = [];
  let certain = false;
  for (const reference of cyclic) {
    const { space, id, form, deferPath = [], tokens, pointer } = reference;
    const original = valueAtTokens(record.body, tokens);
    // Other ids in the text may already be ids of the target, so only the places of this id are compared.
    const lacks =
      form === "embedded"
        ? idsInPlace(reference, record.body, stored).includes(foldIds(id))
        : valueAtTokens(stored, deferPath) === undefined;
    if (!lacks) continue;
    lacking.push(pointer);
    // An id of the source stack in a text of the target can only come from an import, unless the target is the archive's own stack:
    // there, the id may be that of the original record. A missing member, such as a click action, may be missing on purpose.
    const isForeign = form === "embedded" && !target.has(space, id);
    certain ||= isForeign && valueAtTokens(expectedBody, tokens) !== original;
    const path = form === "embedded" ? tokens : deferPath;
    expectedRest = withValueAt(expectedRest, path, undefined);
    storedRest = withValueAt(storedRest, path, undefined);
  }
  return { lacking, certain, otherwiseEqual: () => haveSameContent(kind, expectedRest, storedRest) };
}

/**
 * Tells whether the target's record differs from the archive's only because the stack stores it in another form. The run that wrote
 * the record has reported this.
 */
export function isStoredOtherwise(
  asWritten: JournaledRecord | undefined,
  pair: MatchedPair,
  basis: DecisionBasis,
): boolean {
  if (asWritten === undefined || asWritten.inParts === true) return false;
  const links = storedLinksOf(pair.record, pair.target, basis.archive);
  return !leadsElsewhere(pair, links, basis) && !linksToNewRecord(links, basis) && !hasOtherSecrets(pair, basis);
}

/**
 * Tells whether a write would now refer to another record of the target than the last write did, for instance after a change of the
 * map file.
 */
function leadsElsewhere(
  { kind, body, target: stored }: MatchedPair,
  links: readonly StoredLink[],
  basis: DecisionBasis,
): boolean {
  const storedIds = new Map(
    findReferences(kind, stored.body, new Map()).map(({ pointer, id }) => [pointer, foldIds(id)]),
  );
  const hasOtherReference = findReferences(kind, body, new Map()).some(({ space, pointer, id }) => {
    const storedId = storedIds.get(pointer);
    return storedId !== undefined && storedId !== foldIds(id) && isTargetId(space, id, basis);
  });
  const hasOtherEmbeddedId = links.some(({ space, id, form, storedId }) => {
    const targetId = basis.ids.get(space, id);
    return form === "embedded" && targetId !== undefined && foldIds(targetId) !== foldIds(storedId);
  });
  return hasOtherReference || hasOtherEmbeddedId;
}

/** Tells whether a link leads to a record that this import creates, and that an earlier import left out. */
function linksToNewRecord(
  links: readonly StoredLink[],
  { archive, ids, matching, options, target }: DecisionBasis,
): boolean {
  return links.some(({ space, id, record: key, storedId }) => {
    const linked = key === undefined ? undefined : archive.byKey.get(key);
    if (
      linked === undefined ||
      !isAlwaysWritten(linked.kind) ||
      ids.get(space, id) !== undefined ||
      !target.has(space, storedId)
    )
      return false;
    return isRequested(linked, options) && matching.pairs.get(linked.kind)?.pairs.has(linked.id) === false;
  });
}

/**
 * Tells whether an id belongs to a record of the target. Also true for an id that is the counterpart of an archived id, because the
 * target may not list the kind.
 */
function isTargetId(space: IdSpace, id: string, { target, ids }: DecisionBasis): boolean {
  return target.has(space, id) || ids.sourceOf(space, id) !== undefined;
}

/**
 * Tells whether a write would fill in secrets that differ from the target's: the secrets file may have changed since the last
 * write.
 */
function hasOtherSecrets({ kind, record, target, body }: MatchedPair, basis: DecisionBasis): boolean {
  const filling = basis.suppliedSecrets.filled.get(keyOfRecord(record));
  if (filling?.texts === undefined || filling.texts.length === 0) return false;
  const { body: withStoredSecrets } = makePair({ kind, record: filling.unfilled }, target, basis);
  return filling.texts.some(({ tokens }) => valueAtTokens(body, tokens) !== valueAtTokens(withStoredSecrets, tokens));
}

/** A reference of an archived record, and the id that the record's counterpart on the target has in the same place. */
export interface StoredLink extends Reference {
  readonly storedId: string;
}

/**
 * Compares an archived record with its counterpart. Returns each reference in whose place the counterpart has a dead id, that is,
 * an id that no record of the target has.
 */
export function deadLinksOf(
  record: StackRecord,
  stored: StackRecord,
  { archive, inventory, target }: Pick<DecisionBasis, "archive" | "inventory" | "target">,
): StoredLink[] {
  return storedLinksOf(record, stored, archive).filter(({ space, storedId }) => {
    const [kind = space] = space.split("/");
    return inventory.kinds.get(kind)?.status === "complete" && !target.has(space, storedId);
  });
}

/**
 * Lists the references of an archived record, each with the id that the counterpart of the record has in the same place. Leaves out
 * places where the counterpart has no id.
 */
function storedLinksOf(record: StackRecord, stored: StackRecord, archive: ArchiveIndex): StoredLink[] {
  const declared = new Map(
    findReferences(knownKind(stored.kind), stored.body, new Map()).map(({ pointer, id }) => [pointer, id]),
  );
  return referencesOf(archive, record).flatMap((reference): StoredLink[] => {
    const storedIds =
      reference.form === "embedded"
        ? idsInPlace(reference, record.body, stored.body)
        : [declared.get(reference.pointer)].filter((id) => id !== undefined);
    return storedIds.map((storedId) => ({ ...reference, storedId }));
  });
}

/**
 * Lists the ids that the target's text has in the places where the archive's text has this id. Lists none if the texts differ in
 * more than ids. Lists none for the id of a child, because a text does not tell to which record a child belongs.
 */
function idsInPlace({ space, id, tokens }: Reference, body: JsonObject, stored: JsonObject): string[] {
  const [text, storedText] = [body, stored].map((side) => valueAtTokens(side, tokens));
  if (space.includes("/") || typeof text !== "string" || typeof storedText !== "string") return [];
  if (text.replaceAll(ID_PATTERN, "") !== storedText.replaceAll(ID_PATTERN, "")) return [];
  const storedIds = idsIn(storedText);
  return idsIn(text).flatMap((found, at) => (found === foldIds(id) ? (storedIds[at] ?? []) : []));
}
