import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject } from "../core/json.ts";
import { formatPointer, parsePointer, valueAtTokens } from "../core/records/member-path.ts";
import type { Warning } from "../core/outcome.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { isVital } from "../kinds/members/dispensable-members.ts";
import { areSame, comparableContent } from "../references/record-content.ts";

/**
 * Makes a warning for each sent member that is stored differently: the server changed it, or dropped it in silence
 * (docs/api.md#envelopes). Members that the server added and ids of children do not count.
 */
export function compareStored(kind: ResourceKind, name: string, sent: JsonObject, stored: JsonObject): Warning[] {
  const message = `the stack does not keep this member of the ${kind.singular} "${name}" as it was sent`;
  const [ours, theirs] = [comparableContent(kind, sent), comparableContent(kind, stored)];
  return differences(ours, theirs, []).map((pointer) => ({ code: "not-stored", message, pointer }));
}

/** Like `compareStored`, but before the write, and only for members that the stack says it will drop. */
export function compareTaken(kind: ResourceKind, name: string, sent: JsonObject, taken: JsonObject): Warning[] {
  const theirs = comparableContent(kind, taken);
  const isDropped = ({ pointer = "" }: Warning): boolean => valueAtTokens(theirs, parsePointer(pointer)) === undefined;
  return compareStored(kind, name, sent, taken).filter(isDropped);
}

/** Tells whether the stack dropped a vital member of a record, or an item of a vital list: a channel of an alert, a condition. */
export function losesVital(kind: ResourceKind, sent: JsonObject, stored: JsonObject): boolean {
  const [ours, theirs] = [comparableContent(kind, sent), comparableContent(kind, stored)];
  return differences(ours, theirs, []).some((pointer) => {
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
export function compareKept(
  kind: ResourceKind,
  name: string,
  { before, sent, stored }: Readonly<Record<"before" | "sent" | "stored", JsonObject>>,
): Warning[] {
  const message = `the update should have removed this member of the ${kind.singular} "${name}", but the stack kept it`;
  const [had, meant, has] = [before, sent, stored].map((body) => comparableContent(kind, body));
  return Object.entries(has ?? {}).flatMap(([member, value]): Warning[] => {
    const isKept = value !== undefined && meant?.[member] === undefined && had?.[member] !== undefined;
    if (!isKept || !areSame(value, had[member] ?? null)) return [];
    return [{ code: "not-removed", message, pointer: formatPointer([member]) }];
  });
}

function differences(sent: JsonValue, stored: JsonValue | undefined, path: readonly string[]): string[] {
  // The bodies are nearly always equal, so the forms below are built only if they differ.
  if (sent === stored) return [];
  if (isJsonObject(sent) && isJsonObject(stored)) {
    return Object.entries(sent).flatMap(([member, value]) =>
      value === undefined ? [] : differences(value, ownMember(stored, member), [...path, member]),
    );
  }
  if (isJsonArray(sent) && isJsonArray(stored) && sent.length === stored.length) {
    return sent.flatMap((value, index) => differences(value, stored[index], [...path, String(index)]));
  }
  return stored !== undefined && areSame(sent, stored) ? [] : [formatPointer(path)];
}

function ownMember(body: JsonObject, member: string): JsonValue | undefined {
  return Object.hasOwn(body, member) ? body[member] : undefined;
}
