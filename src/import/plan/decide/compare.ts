import type { JsonObject, JsonValue } from "../../../core/json.ts";
import { valueAtTokens, withValueAt, formatPointer } from "../../../core/records/member-path.ts";
import type { StackRecord, KindName } from "../../../core/records/record.ts";
import { recordKey } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import type { ArchiveIndex } from "../../../references/archive-index.ts";
import { referencesOf } from "../../../references/archive-index.ts";
import { haveSameContent, areSame, comparableContent } from "../../../references/record-content.ts";
import { getOrMake } from "../../../core/collections.ts";
import { isJsonArray, isJsonObject } from "../../../core/json.ts";
import { isVital } from "../../../kinds/members/vital.ts";
import type { Inventory } from "../../../matching/inventory.ts";
import { memberOfType } from "../../unknown-members.ts";
import type { DecisionBasis } from "./blockers.ts";
import type { IdMap } from "../../../core/plan/id-map.ts";
import { translatedBody } from "../../../matching/pair-kind.ts";
import { borrowSecrets } from "../../../redaction/placeholders.ts";
import type { Undecided } from "./decision.ts";

/** Code and message of an update that only adds deferred links. */
export const FINISH_LINKS = {
  code: "finish-links",
  message: "an earlier import wrote it before the record that it links to; the link is added now",
} as const;

/**
 * Tells whether the target's record is as a first write leaves it: equal but for links in a cycle, which a second write adds. Such
 * links are missing, or texts contain ids of the source stack. Only a run that was cut short leaves a record like that, so it can
 * be finished without a journal.
 * @param isUnlinked a journal shows that the links are missing; contents are then not compared, since a server may store another
 * form
 */
export function lacksOnlyLinks(
  kind: ResourceKind,
  record: StackRecord,
  wanted: JsonObject,
  stored: JsonObject,
  archive: ArchiveIndex,
  isUnlinked: boolean,
): boolean {
  const { lacking, certain, otherwiseEqual } = compareLinks(kind, record, wanted, stored, archive);
  return lacking.length > 0 && (isUnlinked || (certain && otherwiseEqual()));
}

/**
 * Lists the pointers of links in a cycle that the target's record lacks, if it is equal otherwise. This does not prove that an
 * import left it so: somebody may have removed the link on purpose.
 */
export function linksLacking(
  kind: ResourceKind,
  record: StackRecord,
  wanted: JsonObject,
  stored: JsonObject,
  archive: ArchiveIndex,
): readonly string[] {
  const { lacking, otherwiseEqual } = compareLinks(kind, record, wanted, stored, archive);
  return lacking.length > 0 && otherwiseEqual() ? lacking : [];
}

function compareLinks(
  kind: ResourceKind,
  record: StackRecord,
  wanted: JsonObject,
  stored: JsonObject,
  archive: ArchiveIndex,
) {
  const key = recordKey(kind.name, record.id);
  const { componentOf } = archive.links();
  const cyclic = referencesOf(archive, record).filter(
    ({ deferrable, record: to }) => deferrable && to && componentOf.get(to) === componentOf.get(key),
  );
  let [left, right] = [wanted, stored];
  const lacking: string[] = [];
  let certain = false;
  for (const { form, deferPath = [], tokens, pointer } of cyclic) {
    const [original, there] = [valueAtTokens(record.body, tokens), valueAtTokens(stored, tokens)];
    const lacks = form === "embedded" ? there === original : valueAtTokens(stored, deferPath) === undefined;
    if (!lacks) continue;
    lacking.push(pointer);
    // Nobody types ids of another stack into a text, but a missing click action may be on purpose.
    certain ||= form === "embedded" && valueAtTokens(wanted, tokens) !== original;
    const path = form === "embedded" ? tokens : deferPath;
    left = withValueAt(left, path, undefined);
    right = withValueAt(right, path, undefined);
  }
  return { lacking, certain, otherwiseEqual: () => haveSameContent(kind, left, right) };
}

/**
 * Lists the pointers of members that the target's record lacks, if it is equal otherwise and no record of the target has such a
 * member: the target probably drops them and would drop them again. Only for records from a stack of the other variant; in files,
 * and between stacks of one variant, such a member is more likely new.
 */
export function lackedMembers(
  kind: ResourceKind,
  wanted: JsonObject,
  stored: JsonObject,
  { from, inventory }: Pick<DecisionBasis, "from" | "inventory">,
): readonly string[] | undefined {
  if (from === undefined || from === inventory.stack.variant) return undefined;
  const compared = comparableContent(kind, wanted);
  const lacked = lackedIn(compared, comparableContent(kind, stored), []);
  if (lacked === undefined || lacked.length === 0) return undefined;
  const shown = shownMembers(inventory, kind);
  const isUnknown = (tokens: readonly string[]): boolean =>
    !shown.has(memberOfType(compared, tokens)) && !isVital(kind, compared, tokens);
  return lacked.every(isUnknown) ? lacked.map(formatPointer) : undefined;
}

/** Tells whether the second body differs from the first only by missing members. */
export function lacksAlone(kind: ResourceKind, wanted: JsonObject, stored: JsonObject): boolean {
  const lacked = lackedIn(comparableContent(kind, wanted), comparableContent(kind, stored), []);
  return lacked !== undefined && lacked.length > 0;
}

/** Lists the paths that the second value lacks; undefined if it differs in any other way. */
function lackedIn(
  wanted: JsonValue,
  stored: JsonValue,
  path: readonly string[],
): readonly (readonly string[])[] | undefined {
  if (isJsonObject(wanted) && isJsonObject(stored)) {
    const isMore = Object.keys(stored).some((member) => stored[member] !== undefined && wanted[member] === undefined);
    if (isMore) return undefined;
    return together(
      Object.entries(wanted).map(([member, value]) => {
        const there = stored[member];
        if (value === undefined) return [];
        return there === undefined ? [[...path, member]] : lackedIn(value, there, [...path, member]);
      }),
    );
  }
  if (isJsonArray(wanted) && isJsonArray(stored) && wanted.length === stored.length) {
    return together(wanted.map((item, index) => lackedIn(item, stored[index] ?? null, [...path, String(index)])));
  }
  return areSame(wanted, stored) ? [] : undefined;
}

function together(parts: readonly ReturnType<typeof lackedIn>[]): ReturnType<typeof lackedIn> {
  return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
}

/** Lists the pointers of members that an update would add and that no record of the target has. */
export function unseenMembers(
  kind: ResourceKind,
  wanted: JsonObject,
  stored: JsonObject,
  inventory: Inventory,
): readonly string[] {
  const compared = comparableContent(kind, wanted);
  const shown = shownMembers(inventory, kind);
  const added = addedIn(compared, comparableContent(kind, stored), []);
  return added.filter((tokens) => !shown.has(memberOfType(compared, tokens))).map(formatPointer);
}

/** Lists the paths that the first value has and the second lacks. Lists are compared up to the length of the shorter one. */
function addedIn(wanted: JsonValue, stored: JsonValue, path: readonly string[]): (readonly string[])[] {
  if (isJsonObject(wanted) && isJsonObject(stored)) {
    return Object.entries(wanted).flatMap(([member, value]) => {
      const there = stored[member];
      if (value === undefined) return [];
      return there === undefined ? [[...path, member]] : addedIn(value, there, [...path, member]);
    });
  }
  if (!isJsonArray(wanted) || !isJsonArray(stored)) return [];
  return wanted
    .slice(0, stored.length)
    .flatMap((item, index) => addedIn(item, stored[index] ?? null, [...path, String(index)]));
}

const known = new WeakMap<Inventory, Map<KindName, ReadonlySet<string>>>();

/** Collects the members that the target's records of a kind have, each with the type of the tile, filter or source around it. */
function shownMembers(inventory: Inventory, kind: ResourceKind): ReadonlySet<string> {
  const ofInventory = known.get(inventory) ?? new Map<KindName, ReadonlySet<string>>();
  known.set(inventory, ofInventory);
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

/** Tells whether the target, under `--fit-limits`, still has the record in the form that a write would refuse. */
export function isUnfitted(
  { kind, record }: Undecided,
  { body: there }: StackRecord,
  ids: IdMap,
  { archive, options }: DecisionBasis,
): boolean {
  if (options.fitLimits !== true) return false;
  const body = translatedBody(kind, record, archive, { ...options, fitLimits: false }, ids);
  return haveSameContent(kind, borrowSecrets(body, there), there);
}
