import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { qualifiedChildId, type IdMap } from "../../../core/plan/id-map.ts";
import { valueAtTokens, withValueAt } from "../../../core/records/member-path.ts";
import { ID_PATTERN, type StackRecord } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { knownKind } from "../../../kinds/registry.ts";
import { borrowSecrets } from "../../../redaction/placeholders.ts";
import { referencesOf, type ArchiveIndex } from "../../../references/archive-index.ts";
import { childIdOf, childrenOf } from "../../../references/children.ts";
import { foldIds, idsIn } from "../../../references/known-ids.ts";
import { findReferences, type Reference } from "../../../references/references.ts";
import { idToCompare, type DecisionBasis, type RecordToDecide } from "./decision.ts";

/** A reference of an archived record, and the id that the record's counterpart on the target has in the same place. */
export interface StoredLink extends Reference {
  readonly storedId: string;
}

/**
 * Compares an archived record with its counterpart. Returns each reference in whose place the counterpart has a dead id, that is,
 * an id that the target's complete list lacks.
 */
export function deadLinksOf(
  record: StackRecord,
  stored: StackRecord,
  { archive, target, ids }: Pick<DecisionBasis, "archive" | "target" | "ids">,
): StoredLink[] {
  const placed = { ...stored, body: inPlacesOf(knownKind(record.kind), record, stored.body, ids) };
  return storedLinksOf(record, placed, archive).filter(({ space, storedId }) => target.lacks(space, storedId));
}

/**
 * Returns the desired body with the target's dead ids in place of working links: a dead id remains on the target if a linked record was
 * deleted and created again. Undefined if the target's record has no dead ids.
 */
export function withDeadIds(
  { kind, record }: RecordToDecide,
  desired: JsonObject,
  target: StackRecord,
  basis: DecisionBasis,
): JsonObject | undefined {
  const stored = { ...target, body: inPlacesOf(kind, record, target.body, basis.ids) };
  const idOf = idToCompare(basis);
  const dead = deadLinksOf(record, stored, basis).filter((link) => idOf(link, link.id) !== undefined);
  if (dead.length === 0) return undefined;
  const deadIds = new Set(dead.map(({ storedId }) => foldIds(storedId)));
  return dead.reduce(
    (before, { tokens }) => {
      const [link, storedLink] = [desired, stored.body].map((side) => valueAtTokens(side, tokens));
      if (typeof link !== "string" || typeof storedLink !== "string") return before;
      const working = idsIn(link);
      const isDeadOnly = idsIn(storedLink).every((id, at) => id === working[at] || deadIds.has(id));
      return isDeadOnly ? withValueAt(before, tokens, storedLink) : before;
    },
    borrowSecrets(desired, stored.body),
  );
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

/**
 * Returns the target's body with its children in the positions of their counterparts in the archive, because links are compared by
 * position. A child of the archive without a counterpart is compared with the target's child in the same position.
 */
function inPlacesOf(kind: ResourceKind, { id: owner, body }: StackRecord, stored: JsonObject, ids: IdMap): JsonObject {
  const lists = kind.children.flatMap((children): [string, JsonValue][] => {
    const { member, space } = children;
    const [archived, present] = [body[member], stored[member]];
    if (!isJsonArray(archived) || !isJsonArray(present)) return [];
    const byId = new Map(childrenOf(stored, children).map((child) => [foldIds(childIdOf(child)), child]));
    const counterpartOf = (child: JsonValue): JsonObject | undefined => {
      const targetId = isJsonObject(child) ? ids.get(space, qualifiedChildId(owner, childIdOf(child))) : undefined;
      return targetId === undefined ? undefined : byId.get(foldIds(targetId));
    };
    return [[member, archived.map((child, at) => counterpartOf(child) ?? present[at] ?? null)]];
  });
  return { ...stored, ...Object.fromEntries(lists) };
}
