import type { JsonObject, JsonValue } from "../../../core/json.ts";
import { formatPointer, parsePointer, valueAtTokens, withValueAt } from "../../../core/records/member-path.ts";
import type { StackRecord, KindName } from "../../../core/records/record.ts";
import { recordKey, ID_TOKEN } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { referencesOf } from "../../../references/archive-index.ts";
import { foldIds, idsIn } from "../../../references/known-ids.ts";
import { haveSameContent, comparableContent } from "../../../references/record-content.ts";
import { getOrMake } from "../../../core/collections.ts";
import { isJsonArray, isJsonObject } from "../../../core/json.ts";
import { isVital } from "../../../kinds/members/vital-members.ts";
import type { Inventory } from "../../../matching/inventory.ts";
import { differences, memberOfType } from "../../unknown-members.ts";
import type { DecisionBasis } from "./decision.ts";
import { translatedBody } from "../../../matching/pair-kind.ts";
import { borrowSecrets } from "../../../redaction/placeholders.ts";
import type { Undecided } from "./decision.ts";
import { knownKind } from "../../../kinds/registry.ts";
import type { Reference } from "../../../references/references.ts";
import { findReferences } from "../../../references/references.ts";

/** Code and message of an update that only adds deferred links. */
export const FINISH_LINKS = {
  code: "finish-links",
  message:
    "an earlier import wrote it without a link, because the linked record did not exist yet; the link is added now",
} as const;

/**
 * Tells whether the target's record differs from the archive's only by links that a second write adds: the links are missing, or
 * texts still contain ids of the source stack. Only an interrupted run leaves such a record, so the record can be finished without
 * a journal.
 * @param isUnlinked true if a journal shows that the links are missing. Contents are then not compared, because a server may store
 * a body in another form
 */
export function differsOnlyByDeferredLinks(
  kind: ResourceKind,
  record: StackRecord,
  expectedBody: JsonObject,
  stored: JsonObject,
  basis: Pick<DecisionBasis, "archive" | "inventory" | "target">,
  isUnlinked: boolean,
): boolean {
  const { lacking, certain, otherwiseEqual } = compareLinks(kind, record, expectedBody, stored, basis);
  return lacking.length > 0 && (isUnlinked || (certain && otherwiseEqual()));
}

/**
 * Lists the pointers of cyclic links that an otherwise equal record of the target lacks. No proof of an interrupted import:
 * somebody may have removed them.
 */
export function missingDeferredLinks(
  kind: ResourceKind,
  record: StackRecord,
  expectedBody: JsonObject,
  stored: JsonObject,
  basis: Pick<DecisionBasis, "archive" | "inventory" | "target">,
): readonly string[] {
  const { lacking, otherwiseEqual } = compareLinks(kind, record, expectedBody, stored, basis);
  return lacking.length > 0 && otherwiseEqual() ? lacking : [];
}

function compareLinks(
  kind: ResourceKind,
  record: StackRecord,
  expectedBody: JsonObject,
  stored: JsonObject,
  { archive, target }: Pick<DecisionBasis, "archive" | "inventory" | "target">,
) {
  const key = recordKey(kind.name, record.id);
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
    // A text may have ids of the target already beside this one.
    const lacks =
      form === "embedded"
        ? idsInPlace(reference, record.body, stored).includes(foldIds(id))
        : valueAtTokens(stored, deferPath) === undefined;
    if (!lacks) continue;
    lacking.push(pointer);
    // An id of the source stack in a text of the target can only come from an import. A missing member, such as a click action, may
    // be missing on purpose.
    // On the archive's own stack, the id may be that of the original record.
    const isForeign = form === "embedded" && !target.has(space, id);
    certain ||= isForeign && valueAtTokens(expectedBody, tokens) !== original;
    const path = form === "embedded" ? tokens : deferPath;
    expectedRest = withValueAt(expectedRest, path, undefined);
    storedRest = withValueAt(storedRest, path, undefined);
  }
  return { lacking, certain, otherwiseEqual: () => haveSameContent(kind, expectedRest, storedRest) };
}

/**
 * Lists the pointers of members that the target's record lacks, if the record is otherwise equal and no record of the target has
 * these members. Then the target probably dropped these members, and would drop them again. Applies only to records from a stack of
 * the other variant: in files, and between stacks of one variant, such a member is more likely new.
 */
export function lackedMembers(
  kind: ResourceKind,
  expectedBody: JsonObject,
  stored: JsonObject,
  { from, inventory }: Pick<DecisionBasis, "from" | "inventory">,
): readonly string[] | undefined {
  if (from === undefined || from === inventory.stack.variant) return undefined;
  const compared = comparableContent(kind, expectedBody);
  const lacked = lackedIn(compared, comparableContent(kind, stored));
  if (lacked === undefined || lacked.length === 0) return undefined;
  const membersOnTarget = shownMembers(inventory, kind);
  const isUnknown = (tokens: readonly string[]): boolean =>
    !membersOnTarget.has(memberOfType(compared, tokens)) && !isVital(kind, compared, tokens);
  return lacked.every(isUnknown) ? lacked.map(formatPointer) : undefined;
}

/** Tells whether the second body differs from the first only by missing members. */
export function lacksAlone(kind: ResourceKind, expectedBody: JsonObject, stored: JsonObject): boolean {
  const lacked = lackedIn(comparableContent(kind, expectedBody), comparableContent(kind, stored));
  return lacked !== undefined && lacked.length > 0;
}

/** Lists the places that the second body lacks; undefined if the two bodies differ in any other way. */
function lackedIn(expected: JsonObject, stored: JsonObject): readonly string[][] | undefined {
  return differences(stored, expected, []).length > 0 ? undefined : differences(expected, stored, []).map(parsePointer);
}

/** Lists the pointers of members that an update would add and that no record of the target has. */
export function unseenMembers(
  kind: ResourceKind,
  expectedBody: JsonObject,
  stored: JsonObject,
  inventory: Inventory,
): readonly string[] {
  const compared = comparableContent(kind, expectedBody);
  const membersOnTarget = shownMembers(inventory, kind);
  const added = addedIn(compared, comparableContent(kind, stored), []);
  return added.filter((tokens) => !membersOnTarget.has(memberOfType(compared, tokens))).map(formatPointer);
}

/** Lists the paths that the first value has and the second lacks. Two lists are compared up to the length of the shorter one. */
function addedIn(expected: JsonValue, stored: JsonValue, path: readonly string[]): (readonly string[])[] {
  if (isJsonObject(expected) && isJsonObject(stored)) {
    return Object.entries(expected).flatMap(([member, value]) => {
      const storedValue = stored[member];
      if (value === undefined) return [];
      return storedValue === undefined ? [[...path, member]] : addedIn(value, storedValue, [...path, member]);
    });
  }
  if (!isJsonArray(expected) || !isJsonArray(stored)) return [];
  return expected
    .slice(0, stored.length)
    .flatMap((item, index) => addedIn(item, stored[index] ?? null, [...path, String(index)]));
}

const membersByInventory = new WeakMap<Inventory, Map<KindName, ReadonlySet<string>>>();

/** Collects the members that the target's records of a kind have, each with the type of the tile, filter or source around it. */
function shownMembers(inventory: Inventory, kind: ResourceKind): ReadonlySet<string> {
  const ofInventory = membersByInventory.get(inventory) ?? new Map<KindName, ReadonlySet<string>>();
  membersByInventory.set(inventory, ofInventory);
  return getOrMake(ofInventory, kind.name, () => {
    const members = new Set<string>();
    const visit = (body: JsonObject, value: JsonValue, tokens: readonly string[]): void => {
      if (tokens.length > 0) members.add(memberOfType(body, tokens));
      if (isJsonArray(value)) value.forEach((item, index) => visit(body, item, [...tokens, String(index)]));
      if (!isJsonObject(value)) return;
      for (const [member, inner] of Object.entries(value)) {
        if (inner !== undefined) visit(body, inner, [...tokens, member]);
      }
    };
    for (const { body } of inventory.kinds.get(kind.name)?.records ?? []) {
      const compared = comparableContent(kind, body);
      visit(compared, compared, []);
    }
    return members;
  });
}

/** Tells whether, with `--fit-limits`, the target has the archive's record before its conversion, which then needs no update. */
export function equalsUnfittedArchive(
  { kind, record }: Undecided,
  { body: targetBody }: StackRecord,
  { archive, options, ids }: DecisionBasis,
): boolean {
  if (options.fitLimits !== true) return false;
  const body = translatedBody(kind, record, archive, { ...options, fitLimits: false }, ids);
  return haveSameContent(kind, borrowSecrets(body, targetBody), targetBody);
}

/** A reference of an archived record, and the id that the record's counterpart on the target has in the same place. */
export interface StoredLink extends Reference {
  readonly storedId: string;
}

/** Finds references of an archived record in whose place its counterpart has an id that no record of the target has. */
export function deadLinksOf(
  record: StackRecord,
  stored: StackRecord,
  basis: Pick<DecisionBasis, "archive" | "inventory" | "target">,
): StoredLink[] {
  const { archive, inventory, target } = basis;
  const declared = new Map(
    findReferences(knownKind(stored.kind), stored.body, new Map()).map(({ pointer, id }) => [pointer, id]),
  );
  const links = referencesOf(archive, record).flatMap((reference): StoredLink[] => {
    const storedIds =
      reference.form === "embedded"
        ? idsInPlace(reference, record.body, stored.body)
        : [declared.get(reference.pointer)].filter((id) => id !== undefined);
    return storedIds.map((storedId) => ({ ...reference, storedId }));
  });
  return links.filter(({ space, storedId }) => {
    const [kind = space] = space.split("/");
    return inventory.kinds.get(kind)?.status === "complete" && !target.has(space, storedId);
  });
}

/**
 * Lists the ids that the target's text has in the places of this id, if the texts differ only in ids. None for a child: a text does
 * not tell its record.
 */
function idsInPlace({ space, id, tokens }: Reference, body: JsonObject, stored: JsonObject): string[] {
  const [text, storedText] = [body, stored].map((side) => valueAtTokens(side, tokens));
  if (space.includes("/") || typeof text !== "string" || typeof storedText !== "string") return [];
  if (text.replaceAll(ID_TOKEN, "") !== storedText.replaceAll(ID_TOKEN, "")) return [];
  const storedIds = idsIn(storedText);
  return idsIn(text).flatMap((found, at) => (found === foldIds(id) ? (storedIds[at] ?? []) : []));
}
