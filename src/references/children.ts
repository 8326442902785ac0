import { getOrMake, groupBy } from "../core/collections.ts";
import { isJsonArray, isJsonObject, objectsIn, type JsonObject } from "../core/json.ts";
import type { ChildPairs } from "../core/plan/base.ts";
import { qualifiedChildId, type IdMap, type IdMapping } from "../core/plan/id-map.ts";
import type { TakenParts } from "../core/plan/plan.ts";
import type { MemberPath } from "../core/records/member-path.ts";
import { splitKey, type StackRecord } from "../core/records/record.ts";
import type { ChildIds, IdSpace, ResourceKind } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { foldIds } from "./known-ids.ts";

export function childrenAt(space: IdSpace): ChildIds | undefined {
  const [kind = ""] = space.split("/");
  return findKind(kind)?.children.find((children) => children.space === space);
}

export function childrenOf(body: JsonObject, { member }: ChildIds): JsonObject[] {
  return objectsIn(body[member]);
}

const childIds = new WeakMap<object, ReadonlySet<string>>();

export function childIdsOf(record: Pick<StackRecord, "kind" | "body">): ReadonlySet<string> {
  const list = (): string[] =>
    (findKind(record.kind)?.children ?? []).flatMap((children) => childrenOf(record.body, children).map(childIdOf));
  return getOrMake(childIds, record, () => new Set(list().map(foldIds)));
}

export function childIdPaths({ children }: ResourceKind): MemberPath[] {
  return children.map(({ member }) => `${member}[].id`);
}

export function childIdOf(child: JsonObject): string {
  return typeof child["id"] === "string" ? child["id"] : "";
}

/** The server keeps the order of children (docs/api.md#dashboards). Undefined if the number or the names of the children differ. */
export function mapChildrenByPosition(
  kind: ResourceKind,
  sent: JsonObject,
  stored: JsonObject,
): IdMapping[] | undefined {
  const owner = childIdOf(sent);
  const mapped = kind.children.map((children) => {
    const [from, to] = [childrenOf(sent, children), childrenOf(stored, children)];
    if (from.length !== to.length || !from.every((child, index) => haveOneName(child, to[index]))) return undefined;
    return firstOfEachId(from.map((child, index) => childMapping(children, owner, child, to[index])));
  });
  return mapped.includes(undefined) ? undefined : mapped.flatMap((ids) => ids ?? []).filter(({ to }) => to !== "");
}

/** An update adds new children at the end. Undefined if the numbers of sent and stored children differ. */
export function mapTakenChildren(
  kind: ResourceKind,
  record: StackRecord,
  { taken }: TakenParts,
  { ids, sent, stored }: { readonly ids: IdMap; readonly sent: JsonObject; readonly stored: JsonObject },
): IdMapping[] | undefined {
  const mapped = kind.children.map((childKind) => {
    const { member, space } = childKind;
    const children = childrenOf(stored, childKind);
    if (children.length !== childrenOf(sent, childKind).length) return undefined;
    const sources = (taken[member] ?? []).map((at) =>
      qualifiedChildId(record.id, childIdAt(record.body, childKind, at)),
    );
    const added = sources.filter((from) => ids.get(space, from) === undefined);
    return children.slice(children.length - added.length).map((child, at) => {
      return { space, from: added[at] ?? "", to: childIdOf(child) };
    });
  });
  return mapped.includes(undefined) ? undefined : mapped.flatMap((mappings) => mappings ?? []);
}

export function childIdAt(body: JsonObject, { member }: ChildIds, position: number): string {
  const list = body[member];
  const child = isJsonArray(list) ? list[position] : undefined;
  return isJsonObject(child) ? childIdOf(child) : "";
}

export function childPairsByPosition(kind: ResourceKind, before: JsonObject, after: JsonObject): ChildPairs {
  const pairs = groupBy(mapChildrenByPosition(kind, before, after) ?? [], ({ space }) => space);
  return Object.fromEntries(
    [...pairs].map(([space, of]) => [space, Object.fromEntries(of.map(({ from, to }) => [splitKey(from)[1], to]))]),
  );
}

function haveOneName({ name }: JsonObject, stored: JsonObject | undefined): boolean {
  const storedName = stored?.["name"];
  return typeof name !== "string" || typeof storedName !== "string" || name.trim() === storedName.trim();
}

export interface KnownChildren {
  /** Id at the source → id on the target. The target may have lost the child. */
  readonly pairs?: ChildPairs | undefined;
  /** True if `pairs` is complete: other children then pair by equal content alone. */
  readonly isWhole?: boolean;
}

/** @param source the archive's body with its references translated */
export function mapChildrenByIdentity(
  kind: ResourceKind,
  ownerId: string,
  source: JsonObject,
  target: JsonObject,
  { pairs = {}, isWhole = false }: KnownChildren = {},
): IdMapping[] {
  return kind.children.flatMap((children) => {
    const unpaired = { from: childrenOf(source, children), to: childrenOf(target, children) };
    const knownPairs = pairs[children.space] ?? {};
    const [content, ...similar] = children.identity;
    const first = pairKnown(unpaired, knownPairs);
    const equal = content === undefined ? [] : pairAlike(unpaired, content);
    // Only a child of equal content can replace a lost counterpart.
    unpaired.from = unpaired.from.filter((child) => !Object.hasOwn(knownPairs, childIdOf(child)));
    const alike = isWhole ? [] : similar.flatMap((identity) => pairAlike(unpaired, identity));
    return firstOfEachId([...first, ...equal, ...alike].map(([from, to]) => childMapping(children, ownerId, from, to)));
  });
}

export function childrenOfSameId(
  kind: ResourceKind,
  body: JsonObject,
  { known = {}, target = body }: { readonly known?: ChildPairs | undefined; readonly target?: JsonObject } = {},
): ChildPairs {
  return Object.fromEntries(
    kind.children.map((children) => {
      const pairs = known[children.space] ?? {};
      const own = childrenOf(body, children).map(childIdOf);
      // Pairs of children that `body` lacks do not count: a child that was made again has its new id on both sides.
      const taken = new Set(own.flatMap((id) => (Object.hasOwn(pairs, id) ? [foldIds(pairs[id] ?? "")] : [])));
      const present = new Set(childrenOf(target, children).map((child) => foldIds(childIdOf(child))));
      const ids = own.filter((id) => id !== "" && !taken.has(foldIds(id)) && present.has(foldIds(id)));
      return [children.space, { ...Object.fromEntries(ids.map((id) => [id, id])), ...pairs }];
    }),
  );
}

interface UnpairedChildren {
  from: JsonObject[];
  to: JsonObject[];
}

type ChildPair = readonly [from: JsonObject, to: JsonObject];

function pairKnown(unpaired: UnpairedChildren, knownIds: Readonly<Record<string, string>>): ChildPair[] {
  // Some stacks change the case of ids between answers.
  const targets = new Map(unpaired.to.map((child) => [childIdOf(child).toLowerCase(), child]));
  const known = new Set(Object.values(knownIds).map((id) => id.toLowerCase()));
  const pairs = unpaired.from.flatMap((child): ChildPair[] => {
    const id = childIdOf(child);
    const knownId = Object.hasOwn(knownIds, id) ? (knownIds[id] ?? "").toLowerCase() : "";
    if (knownId === "") return [];
    const to = targets.get(knownId);
    targets.delete(knownId);
    return to === undefined ? [] : [[child, to]];
  });
  takeOut(unpaired, pairs);
  unpaired.to = unpaired.to.filter((child) => !known.has(childIdOf(child).toLowerCase()));
  return pairs;
}

function takeOut(unpaired: UnpairedChildren, pairs: readonly ChildPair[]): void {
  const [from, to] = [new Set(pairs.map(([child]) => child)), new Set(pairs.map(([, child]) => child))];
  unpaired.from = unpaired.from.filter((child) => !from.has(child));
  unpaired.to = unpaired.to.filter((child) => !to.has(child));
}

function pairAlike(unpaired: UnpairedChildren, identity: (child: JsonObject) => string): ChildPair[] {
  // Reversed, so `pop` takes the first child: `shift` would move all others each time.
  const candidates = groupBy(unpaired.to.toReversed(), identity);
  const pairs: ChildPair[] = [];
  for (const child of unpaired.from) {
    const match = candidates.get(identity(child))?.pop();
    if (match) pairs.push([child, match]);
  }
  takeOut(unpaired, pairs);
  return pairs;
}

/** If several children have one id, a reference to the id means the first child. */
function firstOfEachId(mappings: readonly IdMapping[]): IdMapping[] {
  const seen = new Set<string>();
  return mappings.filter(({ from }) => !seen.has(from) && seen.add(from));
}

function childMapping(children: ChildIds, owner: string, from: JsonObject, to: JsonObject | undefined): IdMapping {
  return { space: children.space, from: qualifiedChildId(owner, childIdOf(from)), to: to ? childIdOf(to) : "" };
}
