import { getOrMake } from "../core/collections.ts";
import { StackError } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject, ownMember } from "../core/json.ts";
import type { Warning } from "../core/outcome.ts";
import type { MemberPath } from "../core/records/member-path.ts";
import {
  formatPointer,
  memberPathOf,
  placesAt,
  valueAtTokens,
  withValueAt,
  parsePointer,
} from "../core/records/member-path.ts";
import type { KindName } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { differsFromAbsent } from "../kinds/members/declared-members.ts";
import { isVital } from "../kinds/members/vital-members.ts";
import { areSameApartFromIdCase, comparableContent } from "../references/record-content.ts";

/** A place in a body, as pointer tokens. */
type Tokens = readonly string[];

/** A body without the members that the stack refused, and the places of these members. */
export interface ReducedBody {
  readonly body: JsonObject;
  readonly lost: readonly Tokens[];
}

/** The members that hold the type of a tile, a filter or a source: the known members differ by type. */
const TYPE_MEMBERS: readonly string[] = ["displayType", "configType", "kind", "type", "service"];

/**
 * The members that the stack has refused by name in this run, so that none is sent twice. Only its answers tell which members it
 * knows (docs/api.md#dashboard-members).
 */
export class UnknownMembers {
  readonly #learned = new Map<KindName, Map<MemberPath, Set<string>>>();

  /** Removes the members that are known to be refused, except those that a record must not lose. */
  withoutUnknown(kind: ResourceKind, body: JsonObject): ReducedBody {
    const learned = this.#learned.get(kind.name);
    if (learned === undefined) return { body, lost: [] };
    const lost = [...learned].flatMap(([path, types]) =>
      placesAt(body, path)
        .map(({ tokens }) => tokens)
        .filter((tokens) => types.has(typeAround(body, tokens)) && !isVital(kind, body, tokens)),
    );
    return { body: lost.reduce((copy, tokens) => withValueAt(copy, tokens, undefined), body), lost };
  }

  /** Records that a stack does not know these members. Returns false if the body has none of them, or must not lose one of them. */
  learnUnknown(kind: ResourceKind, body: JsonObject, places: readonly Tokens[]): boolean {
    const presentPlaces = places.filter((tokens) => valueAtTokens(body, tokens) !== undefined);
    if (presentPlaces.length === 0 || presentPlaces.some((tokens) => isVital(kind, body, tokens))) return false;
    const learned = getOrMake(this.#learned, kind.name, () => new Map<MemberPath, Set<string>>());
    for (const tokens of presentPlaces) {
      getOrMake(learned, memberPathOf(tokens), () => new Set<string>()).add(typeAround(body, tokens));
    }
    return true;
  }
}

/** Makes a warning for each left-out member that had a meaning. */
export function warnOfLeftOutMembers(
  kind: ResourceKind,
  name: string,
  body: JsonObject,
  lost: readonly Tokens[],
): Warning[] {
  const said = lost.filter((tokens) => differsFromAbsent(kind, { tokens, value: valueAtTokens(body, tokens) ?? null }));
  const message = `the stack refuses this member of the ${kind.singular} "${name}", which is written without it`;
  return said.map((tokens) => ({ code: "left-out", message, pointer: formatPointer(tokens) }));
}

const UNKNOWN = /(?:^|[;:] )(?:([\w$-]+(?:\.[\w$-]+)*): )?Unrecognized key\(s\) in object: ('[^']*'(?:, '[^']*')*)/g;

/** Reads the members that a refusal calls unknown, as places in the sent body. */
export function readUnknownMembers(message: string): readonly Tokens[] {
  return [...message.matchAll(UNKNOWN)].flatMap(([, path = "", members = ""]) =>
    members
      .slice(1, -1)
      .split("', '")
      .map((member) => [...path.split(".").filter((token) => token !== ""), member]),
  );
}

/** Tells whether a refusal names no member of the body. */
export function namesNoMember(message: string, body: JsonObject): boolean {
  if (readUnknownMembers(message).length > 0) return false;
  const named = [...message.matchAll(/([\w$-]+(?:\.[\w$-]+)*): (?!Invalid input\b)/g)];
  return named.every(([, path = ""]) => valueAtTokens(body, path.split(".")) === undefined);
}

/** Identifies a member by its path without list positions, and the type of the tile, filter or source around it. */
export function memberTypeKey(body: JsonObject, tokens: Tokens): string {
  return `${memberPathOf(tokens)} ${typeAround(body, tokens)}`;
}

/** Tells whether an error is a refusal of the sent body: then the write was not carried out, and another body may be sent. */
export function isBodyRefusal(error: unknown): error is StackError {
  if (!(error instanceof StackError) || error.code !== "rejected") return false;
  const { status = 400, applied } = error.failure;
  return applied === "no" && (status === 400 || status === 422);
}

/** Returns the types of the tile, filter or source around a place. */
function typeAround(body: JsonObject, tokens: Tokens): string {
  const around = tokens.map((_, length) => valueAtTokens(body, tokens.slice(0, length)));
  return around
    .flatMap((value) => (value !== undefined && isJsonObject(value) ? TYPE_MEMBERS.map((name) => value[name]) : []))
    .filter((value) => typeof value === "string")
    .join(" ");
}

/**
 * Makes a warning for each sent member that is stored differently: the server changed it, or dropped it in silence
 * (docs/api.md#envelopes). Members that the server added and ids of children do not count.
 */
export function warnOfChangedMembers(
  kind: ResourceKind,
  name: string,
  sent: JsonObject,
  stored: JsonObject,
): Warning[] {
  const message = `the stack does not keep this member of the ${kind.singular} "${name}" as it was sent`;
  const [ours, theirs] = [comparableContent(kind, sent), comparableContent(kind, stored)];
  return differingPlaces(ours, theirs, []).map((pointer) => ({ code: "not-stored", message, pointer }));
}

/** Compares before the write with the body that the stack says it would store, and warns of members that it would drop. */
export function warnOfDroppedMembers(kind: ResourceKind, name: string, sent: JsonObject, taken: JsonObject): Warning[] {
  const theirs = comparableContent(kind, taken);
  const isDropped = ({ pointer = "" }: Warning): boolean => valueAtTokens(theirs, parsePointer(pointer)) === undefined;
  return warnOfChangedMembers(kind, name, sent, taken).filter(isDropped);
}

/** Tells whether the stack dropped a vital member, or an item of a vital list, such as a channel or a condition. */
export function dropsVitalMember(kind: ResourceKind, sent: JsonObject, stored: JsonObject): boolean {
  const [ours, theirs] = [comparableContent(kind, sent), comparableContent(kind, stored)];
  return differingPlaces(ours, theirs, []).some((pointer) => {
    const tokens = parsePointer(pointer);
    const [meant, storedValue] = [valueAtTokens(ours, tokens), valueAtTokens(theirs, tokens)];
    const isShorter =
      meant !== undefined &&
      isJsonArray(meant) &&
      storedValue !== undefined &&
      isJsonArray(storedValue) &&
      storedValue.length < meant.length;
    return (storedValue === undefined || isShorter) && isVital(kind, ours, tokens);
  });
}

/** Makes a warning for each member that an update was to remove and that the target has kept. */
export function warnOfKeptMembers(
  kind: ResourceKind,
  name: string,
  { before, sent, stored }: Readonly<Record<"before" | "sent" | "stored", JsonObject>>,
): Warning[] {
  const message = `the update should have removed this member of the ${kind.singular} "${name}", but the stack kept it`;
  const [had, meant, has] = [before, sent, stored].map((body) => comparableContent(kind, body));
  return Object.entries(has ?? {}).flatMap(([member, value]): Warning[] => {
    const isKept = value !== undefined && meant?.[member] === undefined && had?.[member] !== undefined;
    if (!isKept || !areSameApartFromIdCase(value, had[member] ?? null)) return [];
    return [{ code: "not-removed", message, pointer: formatPointer([member]) }];
  });
}

/** Lists the places in which the second value lacks or changes something of the first. */
export function differingPlaces(sent: JsonValue, stored: JsonValue | undefined, path: readonly string[]): string[] {
  // The bodies are nearly always equal, so the forms below are built only if they differ.
  if (sent === stored) return [];
  if (isJsonObject(sent) && isJsonObject(stored)) {
    return Object.entries(sent).flatMap(([member, value]) =>
      value === undefined ? [] : differingPlaces(value, ownMember(stored, member), [...path, member]),
    );
  }
  if (isJsonArray(sent) && isJsonArray(stored) && sent.length === stored.length) {
    return sent.flatMap((value, index) => differingPlaces(value, stored[index], [...path, String(index)]));
  }
  return stored !== undefined && areSameApartFromIdCase(sent, stored) ? [] : [formatPointer(path)];
}
