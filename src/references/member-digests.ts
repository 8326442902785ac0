import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject } from "../core/json.ts";
import type { ContentDigests } from "../core/plan/state.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { nounOf } from "../kinds/names.ts";
import { childIdOf } from "./children.ts";
import { foldIds } from "./known-ids.ts";
import { comparableContent, fingerprint, recordFingerprint } from "./record-content.ts";

/** A part of a body that can change on its own. */
interface Part {
  readonly key: string;
  /** Its name in messages. */
  readonly label: string;
  readonly value: JsonValue;
}

/** Enough to tell the values of one member apart. */
const DIGEST_LENGTH = 16;

/**
 * Makes the digests of a body's content.
 * @param body its children have the target's ids; new ones have none
 */
export function contentDigests(kind: ResourceKind, body: JsonObject): ContentDigests {
  const members = partsOf(kind, body).map(({ key, value }) => [key, digestOf(value)] as const);
  return { whole: recordFingerprint(kind, body), members: Object.fromEntries(members) };
}

/** Names the parts of a body that were changed, added or removed. */
export function changedParts(kind: ResourceKind, body: JsonObject, before: ContentDigests): string[] {
  const parts = partsOf(kind, body);
  const changed = parts.filter(({ key, value }) => before.members[key] !== digestOf(value)).map(({ label }) => label);
  const presentKeys = new Set(parts.map(({ key }) => key));
  const removedKeys = Object.keys(before.members).filter((key) => !presentKeys.has(key));
  return [...new Set([...changed, ...removedKeys.map((key) => goneLabel(kind, key))])];
}

function partsOf(kind: ResourceKind, body: JsonObject): Part[] {
  const content = comparableContent(kind, body);
  return Object.entries(content).flatMap(([member, value]): Part[] => {
    if (value === undefined) return [];
    const children = kind.children.find((childKind) => childKind.member === member);
    const before = body[member];
    if (children === undefined || !isJsonArray(value) || !isJsonArray(before) || before.length !== value.length) {
      return [{ key: member, label: member, value }];
    }
    return value.map((child, index): Part => {
      const identified = before[index];
      const [id, name] = isJsonObject(identified) ? [childIdOf(identified), children.nameOf(identified)] : ["", ""];
      const called = name === "" ? `number ${index + 1}` : `"${name}"`;
      return {
        key: `${member}/${foldIds(id === "" ? name : id)}`,
        label: `${nounOf(children.space)} ${called}`,
        value: child,
      };
    });
  });
}

/** Names a removed part; its own name is no longer known. */
function goneLabel(kind: ResourceKind, key: string): string {
  const [member = key, id] = key.split("/");
  const children = kind.children.find((childKind) => childKind.member === member);
  return children === undefined || id === undefined ? member : `a ${nounOf(children.space)} that is gone`;
}

/** Makes the digest of a part's content. */
export function digestOf(value: JsonValue): string {
  return fingerprint(value).slice(0, DIGEST_LENGTH);
}
