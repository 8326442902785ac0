import { byCodeUnit, groupBy } from "../core/collections.ts";
import type { MemberChange } from "../core/diff.ts";
import {
  isJsonArray,
  isJsonObject,
  writeCompactJson,
  ownMember,
  type JsonObject,
  type JsonValue,
} from "../core/json.ts";
import { formatPointer } from "../core/records/member-path.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { nounOf } from "../kinds/nouns.ts";
import type { PartChange } from "./compare.ts";
import type { Part } from "./parts.ts";
import { fingerprint } from "./record-content.ts";
import { createHash } from "node:crypto";

/** The limit for the pointers and names of one record. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

type PartPair = Pick<PartChange, "source" | "target">;

/** Reports whole parts if pointers and names exceed `MAX_CHARACTERS`. */
export function drawChanges(kind: Pick<ResourceKind, "mergedAsOne">, pairs: readonly PartPair[]): MemberChange[] {
  const members = pairs.flatMap((pair) => membersApart(kind, pair));
  const byMember = members.toSorted((left, right) => byCodeUnit(memberOf(left), memberOf(right)));
  const changes: MemberChange[] = [];
  let characters = 0;
  for (const { source, target } of byMember) {
    const child = childOf(target ?? source);
    const add = (change: MemberChange): void => {
      characters += change.pointer.length + (child?.name.length ?? 0);
      if (characters <= MAX_CHARACTERS) changes.push(child === undefined ? change : { ...change, child });
    };
    diffValues(source?.value, target?.value, pointerOf(target ?? source), add);
  }
  const reported = characters > MAX_CHARACTERS ? byMember.flatMap(wholePart) : changes;
  return reported.map(withoutLongValues);
}

function memberOf({ source, target }: PartPair): string {
  const part = target ?? source;
  return part?.child?.children.member ?? part?.key ?? "";
}

function membersApart({ mergedAsOne = [] }: Pick<ResourceKind, "mergedAsOne">, pair: PartPair): PartPair[] {
  const members = mergedAsOne.find((names) => names.some((name) => name === memberOf(pair)));
  if (members === undefined) return [pair];
  const memberIn = (part: Part | undefined, key: string): Part | undefined => {
    const value = part !== undefined && isJsonObject(part.value) ? part.value[key] : undefined;
    return part !== undefined && value !== undefined ? { ...part, key, value } : undefined;
  };
  return members.map((member) => ({ source: memberIn(pair.source, member), target: memberIn(pair.target, member) }));
}

function pointerOf(part: Part | undefined): string {
  if (part?.child !== undefined) return formatPointer([part.child.children.member, String(part.child.position)]);
  return formatPointer([part?.key ?? ""]);
}

function childOf(part: Part | undefined): MemberChange["child"] {
  if (part?.child === undefined || !isJsonObject(part.value)) return undefined;
  const { children } = part.child;
  return { noun: nounOf(children.space), name: children.nameOf(part.value) };
}

function wholePart({ source, target }: PartPair): MemberChange[] {
  const pointer = pointerOf(target ?? source);
  if (source === undefined || target === undefined) return loneChange(source?.value, target?.value, pointer);
  return [{ pointer, change: "changed", from: source.value, to: target.value }];
}

/** Receives the differences one by one, because there can be 100,000 of them. */
type AddChange = (change: MemberChange) => void;

type Side = JsonValue | undefined;

function diffValues(left: Side, right: Side, pointer: string, add: AddChange): void {
  if (left === right) return;
  if (left === undefined || right === undefined) loneChange(left, right, pointer).forEach(add);
  else if (isJsonObject(left) && isJsonObject(right)) diffObjects(left, right, pointer, add);
  else if (isJsonArray(left) && isJsonArray(right)) diffArrays(left, right, pointer, add);
  else add({ pointer, change: "changed", from: left, to: right });
}

function loneChange(from: Side, to: Side, pointer: string): MemberChange[] {
  if (from !== undefined) return [{ pointer, change: "removed", from }];
  return to === undefined ? [] : [{ pointer, change: "added", to }];
}

function diffObjects(left: JsonObject, right: JsonObject, pointer: string, add: AddChange): void {
  const members = new Set([...Object.keys(left), ...Object.keys(right)]);
  for (const member of [...members].sort()) {
    diffValues(ownMember(left, member), ownMember(right, member), `${pointer}${formatPointer([member])}`, add);
  }
}

function diffArrays(left: readonly JsonValue[], right: readonly JsonValue[], pointer: string, add: AddChange): void {
  const counterparts = pairItems(left, right);
  const paired = counterparts.filter((place) => place !== undefined);
  if (paired.some((to, index) => to < (paired[index - 1] ?? 0))) add({ pointer, change: "moved" });
  const diffItem = (from: Side, to: Side, index: number): void => diffValues(from, to, `${pointer}/${index}`, add);
  counterparts.forEach((to, index) => to !== undefined && diffItem(left[index], right[to], to));
  counterparts.forEach((to, index) => to === undefined && diffItem(left[index], undefined, index));
  const places = new Set(paired);
  right.forEach((item, index) => !places.has(index) && diffItem(undefined, item, index));
}

/** Characters of JSON. Printing two values of 16 MB would take several times their memory. */
const MAX_LENGTH = 256 * 1024;
const BEGINNING = 1000;

/** A shortened value ends with a checksum, so different values stay distinguishable. */
export function withoutLongValues(change: MemberChange): MemberChange {
  const { pointer, from, to } = change;
  return {
    ...change,
    ...(pointer.length > MAX_LENGTH && { pointer: summarizeValue(pointer) }),
    ...(from !== undefined && { from: shortenValue(from) }),
    ...(to !== undefined && { to: shortenValue(to) }),
  };
}

function shortenValue(value: JsonValue): JsonValue {
  let length = 0;
  writeCompactJson(value, (part) => (length += part.length));
  return length > MAX_LENGTH ? summarizeValue(value) : value;
}

function summarizeValue(value: JsonValue): string {
  const hash = createHash("sha256");
  let [beginning, length] = ["", 0];
  writeCompactJson(value, (part) => {
    hash.update(part);
    beginning += part.slice(0, BEGINNING - beginning.length);
    length += part.length;
  });
  return `${beginning}… (${length} characters of JSON, SHA-256 ${hash.digest("hex")})`;
}

function pairItems(left: readonly JsonValue[], right: readonly JsonValue[]): (number | undefined)[] {
  // Single items pair without a digest: a text of 16 MB in a hundred nested lists would be digested at each level.
  if (left.length === 1 && right.length === 1) return [0];
  // Reversed, because taking the last item of an array moves no other item.
  const equal = groupBy([...right.keys()].toReversed(), (index) => fingerprint(right[index] ?? null));
  const counterparts = left.map((item) => equal.get(fingerprint(item))?.pop());
  const unpaired = [...equal.values()].flat().toSorted((one, other) => one - other);
  let next = 0;
  return counterparts.map((index) => index ?? unpaired[next++]);
}
