import { formatPointer } from "../../../core/records/member-path.ts";
import type { KindName } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { comparableContent, haveSameContent } from "../../../references/record-content.ts";
import { getOrMake } from "../../../core/collections.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { isVital } from "../../../kinds/members/vital-members.ts";
import type { Inventory } from "../../../matching/inventory.ts";
import { differingPlaces } from "../../compare-answer.ts";
import { memberTypeKey } from "../../unknown-members.ts";
import { makePair, type DecisionBasis, type MatchedPair } from "./decision.ts";

/**
 * Lists the pointers of members that the target's record lacks, if the record is otherwise equal and no record of the target has
 * these members. The target has probably dropped these members, and would drop them again. Applies only to records from a stack of
 * the other variant: in files, and between stacks of one variant, such a member is more likely new.
 */
export function lackedMembers(
  { kind, body, target }: MatchedPair,
  { from, inventory }: Pick<DecisionBasis, "from" | "inventory">,
): readonly string[] | undefined {
  if (from === undefined || from === inventory.stack.variant) return undefined;
  const compared = comparableContent(kind, body);
  const lacked = lackedIn(compared, comparableContent(kind, target.body));
  if (lacked === undefined || lacked.length === 0) return undefined;
  const membersOnTarget = shownMembers(inventory, kind);
  const isUnknown = (tokens: readonly string[]): boolean =>
    !membersOnTarget.has(memberTypeKey(compared, tokens)) && !isVital(kind, compared, tokens);
  return lacked.every(isUnknown) ? lacked.map(formatPointer) : undefined;
}

/** Tells whether the second body differs from the first only by missing members. */
export function differsOnlyByLackedMembers(kind: ResourceKind, expectedBody: JsonObject, stored: JsonObject): boolean {
  const lacked = lackedIn(comparableContent(kind, expectedBody), comparableContent(kind, stored));
  return lacked !== undefined && lacked.length > 0;
}

/** Lists the places that the second body lacks; undefined if the two bodies differ in any other way. */
function lackedIn(expected: JsonObject, stored: JsonObject): readonly (readonly string[])[] | undefined {
  return differingPlaces(stored, expected).length > 0 ? undefined : differingPlaces(expected, stored);
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
  return added.filter((tokens) => !membersOnTarget.has(memberTypeKey(compared, tokens))).map(formatPointer);
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

/** Returns the members that the target's records of a kind have, each with the type of the tile, filter or source around it. */
function shownMembers(inventory: Inventory, kind: ResourceKind): ReadonlySet<string> {
  const byKind = getOrMake(membersByInventory, inventory, () => new Map());
  return getOrMake(byKind, kind.name, () => collectShownMembers(inventory, kind));
}

function collectShownMembers(inventory: Inventory, kind: ResourceKind): ReadonlySet<string> {
  const members = new Set<string>();
  const visit = (body: JsonObject, value: JsonValue, tokens: readonly string[]): void => {
    if (tokens.length > 0) members.add(memberTypeKey(body, tokens));
    if (isJsonArray(value)) value.forEach((item, index) => visit(body, item, [...tokens, String(index)]));
    if (!isJsonObject(value)) return;
    for (const [member, inner] of Object.entries(value)) {
      if (inner !== undefined) visit(body, inner, [...tokens, member]);
    }
  };
  for (const { body } of inventory.kinds.get(kind.name)?.records ?? []) {
    // Compared content lacks empty members, but a stack that shows a member without a value keeps it.
    for (const content of [body, comparableContent(kind, body)]) visit(content, content, []);
  }
  return members;
}

/**
 * Tells whether the target has the archive's record in its form before `--fit-limits` converts it. Such a record needs no update.
 */
export function equalsUnfittedArchive(pair: MatchedPair, basis: DecisionBasis): boolean {
  if (basis.options.fitLimits !== true) return false;
  const { body } = makePair(pair, pair.target, { ...basis, options: { ...basis.options, fitLimits: false } });
  return haveSameContent(pair.kind, body, pair.target.body);
}
