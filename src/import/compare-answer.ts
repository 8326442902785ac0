import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Warning } from "../core/outcome.ts";
import { formatPointer, parsePointer, valueAtTokens } from "../core/records/member-path.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { isVital } from "../kinds/members/vital-members.ts";
import { areSameApartFromIdCase, comparableContent } from "../references/record-content.ts";

export interface Judgement {
  readonly warnings: readonly Warning[];
  /** The target dropped a vital member, or an item of a vital list. */
  readonly lacksVital: boolean;
}

/**
 * The server may drop a member in silence (docs/api.md#envelopes). Added members and ids of children do not count.
 * @param bodies `replaced`: the record before an update
 */
export function judgeAnswer(
  kind: ResourceKind,
  name: string,
  bodies: { readonly sent: JsonObject; readonly stored: JsonObject; readonly replaced?: JsonObject | undefined },
): Judgement {
  const [sent, stored] = [comparableContent(kind, bodies.sent), comparableContent(kind, bodies.stored)];
  const before = bodies.replaced && comparableContent(kind, bodies.replaced);
  const places = differingPlaces(sent, stored);
  const changed = places.map((tokens) => notStored(kind, name, formatPointer(tokens)));
  const kept = before === undefined ? [] : warnOfKeptMembers(kind, name, { before, sent, stored });
  const isDropped = (tokens: readonly string[]): boolean => {
    const [sentValue, storedValue] = [valueAtTokens(sent, tokens), valueAtTokens(stored, tokens)];
    if (isJsonArray(sentValue) && isJsonArray(storedValue)) return storedValue.length < sentValue.length;
    return storedValue === undefined;
  };
  const lacksVital = places.some((tokens) => isDropped(tokens) && isVital(kind, sent, tokens));
  return { warnings: [...changed, ...kept], lacksVital };
}

export function warnOfOtherParts({ singular }: ResourceKind, name: string): Warning {
  const message = `the stack stored the ${singular} "${name}" with other tiles or filters than were sent; stackferry diff shows which`;
  return { code: "not-stored", message };
}

export function notStored(kind: ResourceKind, name: string, pointer: string): Warning {
  const message = `the stack does not keep this member of the ${kind.singular} "${name}" as it was sent`;
  return { code: "not-stored", message, pointer };
}

/** @param normalized the body that the stack says it would store */
export function warnOfDroppedMembers(
  kind: ResourceKind,
  name: string,
  sent: JsonObject,
  normalized: JsonObject,
): Warning[] {
  const content = comparableContent(kind, normalized);
  const isDropped = ({ pointer = "" }: Warning): boolean => valueAtTokens(content, parsePointer(pointer)) === undefined;
  return judgeAnswer(kind, name, { sent, stored: normalized }).warnings.filter(isDropped);
}

function warnOfKeptMembers(
  kind: ResourceKind,
  name: string,
  { before, sent, stored }: Readonly<Record<"before" | "sent" | "stored", JsonObject>>,
): Warning[] {
  const message = `the update should have removed this member of the ${kind.singular} "${name}", but the stack kept it; remove it by hand`;
  return Object.entries(stored).flatMap(([member, value]): Warning[] => {
    const valueBefore = before[member];
    if (value === undefined || valueBefore === undefined || sent[member] !== undefined) return [];
    if (!areSameApartFromIdCase(value, valueBefore)) return [];
    return [{ code: "not-stored", message, pointer: formatPointer([member]) }];
  });
}

function differingPlaces(
  sent: JsonValue,
  stored: JsonValue | undefined,
  path: readonly string[] = [],
): (readonly string[])[] {
  // Faster than a comparison that ignores the case of ids, and enough for most texts and numbers.
  if (sent === stored) return [];
  if (isJsonObject(sent) && isJsonObject(stored)) {
    return Object.entries(sent).flatMap(([member, value]) =>
      value === undefined ? [] : differingPlaces(value, ownMember(stored, member), [...path, member]),
    );
  }
  if (isJsonArray(sent) && isJsonArray(stored) && sent.length === stored.length) {
    return sent.flatMap((value, index) => differingPlaces(value, stored[index], [...path, String(index)]));
  }
  return stored !== undefined && areSameApartFromIdCase(sent, stored) ? [] : [path];
}
