import type { ChildPairs } from "../core/plan/base.ts";
import { qualifiedChildId, type IdMap } from "../core/plan/id-map.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { ChildIds, IdSpace, ResourceKind } from "../core/resource-kind.ts";
import { nounOf } from "../kinds/nouns.ts";
import { childIdAt, childIdOf } from "./children.ts";
import { foldIds } from "./known-ids.ts";
import { findReferences, type Reference } from "./references.ts";
import { comparableContent, fingerprint } from "./record-content.ts";

/** One child, one member, or members that belong together. */
export interface Part {
  /** `tags`, or `tiles/65a…` with the child's id on the target. */
  readonly key: string;
  readonly label: string;
  readonly value: JsonValue;
  /** False for a member that may be the server's own. */
  readonly isOptional: boolean;
  readonly child?: { readonly children: ChildIds; readonly position: number };
}

/** Returns the child's id on the target. For a child that the target lacks, returns a text that is no id. */
type IdentifyChild = (children: ChildIds, child: JsonObject, position: number) => string;

/** Two children with one id get two keys. */
export function partsOfTarget(kind: ResourceKind, body: JsonObject): readonly Part[] {
  return partsOf(kind, body, (_children, child) => childIdOf(child));
}

export interface SourceChildren {
  readonly owner: { readonly id: string; readonly body: JsonObject };
  readonly ids: IdMap;
  readonly known?: ChildPairs | undefined;
}

/** @param body the desired body, with its children in the order of `owner.body` */
export function partsOfDesired(
  kind: ResourceKind,
  body: JsonObject,
  { owner, ids, known }: SourceChildren,
): readonly Part[] {
  return partsOf(kind, body, (children, child, position) => {
    const { space } = children;
    const id = childIdAt(owner.body, children, position);
    if (id === "") return childIdOf(child) || `+${position}`;
    return ids.get(space, qualifiedChildId(owner.id, id)) ?? known?.[space]?.[id] ?? `+${id}`;
  });
}

function partsOf(kind: ResourceKind, body: JsonObject, identify: IdentifyChild): readonly Part[] {
  const content = comparableContent(kind, body);
  const parts: Part[] = [];
  const together = new Map<string, JsonObject>();
  for (const [member, value] of Object.entries(content)) {
    if (value === undefined) continue;
    const children = kind.children.find((childKind) => childKind.member === member);
    const before = body[member];
    if (children !== undefined && isJsonArray(value) && isJsonArray(before) && before.length === value.length) {
      parts.push(...childParts(children, value, before, identify));
      continue;
    }
    const group = kind.mergedAsOne?.find((names) => names.includes(member))?.[0];
    if (group === undefined) parts.push({ key: member, label: member, value, isOptional: isOptional(kind, member) });
    else together.set(group, { ...together.get(group), [member]: value });
  }
  return [...parts, ...[...together].map(([key, value]) => ({ key, label: key, value, isOptional: true }))];
}

function isOptional({ clearOnUpdate, keptOnUpdate = [], lostOnUpdate = [] }: ResourceKind, member: string): boolean {
  return Object.hasOwn(clearOnUpdate, member) || keptOnUpdate.includes(member) || lostOnUpdate.includes(member);
}

function childParts(
  children: ChildIds,
  contents: readonly JsonValue[],
  bodies: readonly JsonValue[],
  identify: IdentifyChild,
): Part[] {
  const used = new Map<string, number>();
  return contents.map((value, position): Part => {
    const child = bodies[position];
    const isObject = child !== undefined && isJsonObject(child);
    const id = foldIds(isObject ? identify(children, child, position) : `+${position}`);
    const earlier = used.get(id) ?? 0;
    used.set(id, earlier + 1);
    const name = isObject ? children.nameOf(child) : "";
    const called = name === "" ? `number ${position + 1}` : `"${name}"`;
    return {
      key: `${children.member}/${earlier === 0 ? id : `${id}#${earlier + 1}`}`,
      label: `${nounOf(children.space)} ${called}`,
      value,
      isOptional: true,
      child: { children, position },
    };
  });
}

export function childKey(space: IdSpace, id: string): string {
  return `${space.slice(space.indexOf("/") + 1)}/${foldIds(id)}`;
}

export function referencesInParts(kind: ResourceKind, body: JsonObject, parts: readonly Part[]): Reference[] {
  const places = parts.map(({ key, child }) =>
    child === undefined ? `/${key}/` : `/${child.children.member}/${child.position}/`,
  );
  return findReferences(kind, body).filter(({ pointer }) => places.some((place) => `${pointer}/`.startsWith(place)));
}

/** Hexadecimal digits, enough to tell the values of one member apart. */
const DIGEST_LENGTH = 16;

export function partDigest(value: JsonValue | undefined): string {
  return value === undefined ? "" : fingerprint(value).slice(0, DIGEST_LENGTH);
}
