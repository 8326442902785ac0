import { StackferryError } from "../core/errors.ts";
import { isJsonArray, isJsonObject, type JsonObject } from "../core/json.ts";
import type { ChildPairs } from "../core/plan/base.ts";
import type { ChosenChild } from "../core/plan/plan.ts";
import { qualifiedChildId, type IdMapping } from "../core/plan/id-map.ts";
import { keyOfRecord, type KindName, type StackRecord } from "../core/records/record.ts";
import type { ChildIds } from "../core/resource-kind.ts";
import { MAX_NAMED_TO_CHECK, joinNames } from "../core/text/format.ts";
import { printableText } from "../core/text/printable.ts";
import { closestName } from "../core/text/similarity.ts";
import { kinds } from "../kinds/registry.ts";
import { nameOfRecord, nounOf } from "../kinds/nouns.ts";
import { referenceTargetsOf, type ArchiveIndex } from "../references/archive-index.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { foldedKey, foldIds, isSameId } from "../references/known-ids.ts";
import type { RecordPairs } from "./match-records.ts";
import { isRequested, type PlanOptions } from "./plan-options.ts";

const MAX_NAME_LENGTH = 100;

export function withChosenChild(archive: ArchiveIndex, options: PlanOptions): PlanOptions {
  const { tile } = options;
  if (tile === undefined) return options;
  const { kind, record } = onlyOwner(archive, options);
  const all = kind.children.flatMap((children) => numberedChildren(record.body, children));
  const byId = all.filter(({ child }) => childIdOf(child) !== "" && isSameId(childIdOf(child), tile));
  // A blank `--tile` finds nothing, because it may come from an unset shell variable.
  const found = byId.length > 0 || tile.trim() === "" ? byId : all.filter(({ name }) => name === tile);
  const [only] = found;
  if (only === undefined) throw missingError(tile, record, all);
  if (found.length > 1) {
    const several = joinNames(
      found,
      MAX_NAMED_TO_CHECK,
      (one) => `${nounOf(one.children.space)} ${childIdOf(one.child)}`,
    );
    const message = `${nameOfRecord(record)} has ${found.length} tiles or filters of the name "${tile}"`;
    throw new StackferryError("usage", message, { hint: `Name one by its id: ${several}.` });
  }
  const { child, ...place } = only;
  const [id, owner] = [childIdOf(child), keyOfRecord(record)];
  const wanted = foldedKey(only.children.space, qualifiedChildId(record.id, id));
  const isOnChild = (candidate: StackRecord): boolean =>
    referenceTargetsOf(archive, candidate).some((to) => foldedKey(to.space, to.id) === wanted);
  const onChild = archive.records.filter((candidate) => isRequested(candidate, options) && isOnChild(candidate));
  return { ...options, chosen: { ...place, owner, id, keys: new Set([owner, ...onChild.map(keyOfRecord)]) } };
}

function onlyOwner(archive: ArchiveIndex, options: PlanOptions) {
  const owners = kinds
    .filter(({ children }) => children.length > 0)
    .flatMap((kind) => (archive.byKind.get(kind.name) ?? []).map((record) => ({ kind, record })))
    .filter(({ record }) => isRequested(record, options));
  const [only] = owners;
  const patterns = options.filter.include.map((pattern) => `"${pattern}"`).join(", ");
  if (only === undefined) {
    throw new StackferryError("usage", `--tile needs one dashboard, and --include ${patterns} selects none`, {
      hint: "Check the name: * stands for any text, and upper and lower case differ.",
    });
  }
  if (owners.length === 1) return only;
  const names = joinNames(owners, MAX_NAMED_TO_CHECK, ({ record }) => `"${record.name}" (${record.id})`);
  throw new StackferryError("usage", `--tile needs one dashboard, and --include ${patterns} selects ${owners.length}`, {
    hint: `Include one of them, by its id if the names are equal: ${names}.`,
  });
}

interface NumberedChild {
  readonly children: ChildIds;
  readonly child: JsonObject;
  readonly position: number;
  readonly name: string;
}

function numberedChildren(body: JsonObject, children: ChildIds): NumberedChild[] {
  const list = body[children.member];
  if (!isJsonArray(list)) return [];
  return list.flatMap((child, position) =>
    isJsonObject(child) ? [{ children, child, position, name: children.nameOf(child) }] : [],
  );
}

function missingError(tile: string, record: StackRecord, all: readonly NumberedChild[]): StackferryError {
  const names = [...new Set(all.map(({ name }) => name).filter((name) => name !== ""))];
  const closest = closestName(tile, names);
  const choices = [...new Set(all.map(({ name, child }) => (name.trim() === "" ? childIdOf(child) : `"${name}"`)))];
  const existing =
    choices.length === 0
      ? "it has none"
      : `it has ${joinNames(choices, MAX_NAMED_TO_CHECK, (choice) => printableText(choice, MAX_NAME_LENGTH))}`;
  return new StackferryError("usage", `${nameOfRecord(record)} has no tile and no filter "${tile}" in the archive`, {
    hint: closest === undefined ? `${existing}.` : `Did you mean "${closest}"? (${existing})`,
  });
}

/** @throws StackferryError `usage` if the target has no counterpart and no candidate for the owner */
export function refuseChildWithoutOwner(
  { chosen }: PlanOptions,
  archive: ArchiveIndex,
  pairs: ReadonlyMap<KindName, RecordPairs>,
): void {
  const owner = chosen && archive.byKey.get(chosen.owner);
  if (owner === undefined) return;
  const ofKind = pairs.get(owner.kind);
  if (ofKind?.pairs.has(owner.id) === true || ofKind?.ambiguous.has(owner.id) === true) return;
  const part = nounOf(chosen?.children.space ?? "");
  const message = `the target has no ${nounOf(owner.kind)} "${owner.name}" to put the ${part} into`;
  const hint = `Restore it whole: the same command with --include "${owner.name}" and without --tile.`;
  throw new StackferryError("usage", message, { hint });
}

/**
 * Pairs the chosen child by name, if the name is unique in `source` and among the unpaired children of `target`.
 * @param source the record's body with its references translated
 */
export function withChosenPair(
  pairs: readonly IdMapping[],
  { children, id, name }: ChosenChild,
  ownerId: string,
  { source, target, known }: { readonly source: JsonObject; readonly target: JsonObject; readonly known: ChildPairs },
): readonly IdMapping[] {
  const { space, nameOf } = children;
  const ofSpace = pairs.filter((pair) => pair.space === space);
  const from = qualifiedChildId(ownerId, id);
  if (name.trim() === "" || ofSpace.some((pair) => pair.from === from)) return pairs;
  const taken = new Set([...ofSpace.map(({ to }) => to), ...Object.values(known[space] ?? {})].map(foldIds));
  const hasItsName = (child: JsonObject): boolean => nameOf(child).trim() === name.trim();
  const free = childrenOf(target, children).filter((child) => !taken.has(foldIds(childIdOf(child))));
  const [only, ...others] = free.filter(hasItsName);
  const isUnique = others.length === 0 && childrenOf(source, children).filter(hasItsName).length === 1;
  return only !== undefined && isUnique ? [...pairs, { space, from, to: childIdOf(only) }] : pairs;
}
