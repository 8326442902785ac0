import { qualifiedChildId, type KnownId, type KnownIds } from "../core/plan/id-map.ts";
import { ID_PATTERN, recordKey, type KindName } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";

const MIN_LENGTH = 24;
/** Maximum number of characters of a text in which `idsIn` looks for ids: a hostile text could contain a million ids. */
const MAX_LENGTH = 256 * 1024;

/** Converts every id in a text to lower case, because a stack may change the case of ids between answers. */
export function foldIds(text: string): string {
  return text.replaceAll(ID_PATTERN, (id) => id.toLowerCase());
}

/** Returns a key of a record or child that is the same whatever the case of the id. */
export function foldedKey(space: IdSpace, id: string): string {
  return `${space} ${foldIds(id)}`;
}

/** Returns the `foldedKey` of the target's record in an outcome or a plan item. */
export function foldedTargetKey({
  kind,
  targetId = "",
}: {
  readonly kind: KindName;
  readonly targetId?: string | undefined;
}): string {
  return foldedKey(kind, targetId);
}

/** Lists the ids in a text, in lower case. Returns none if the text has more than `MAX_LENGTH` characters. */
export function idsIn(text: string): readonly string[] {
  if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) return [];
  return text.match(ID_PATTERN)?.map((id) => id.toLowerCase()) ?? [];
}

export function isId(text: string): boolean {
  return idsIn(text)[0] === text.toLowerCase();
}

/** Makes a known id. @param owner for a child's id: the id of the record that contains the child */
export function makeKnownId(space: IdSpace, id: string, owner?: string): KnownId {
  if (owner === undefined) return { space, id, record: findKind(space) && recordKey(space, id) };
  const [kind = space] = space.split("/");
  return { space, id: qualifiedChildId(owner, id), record: recordKey(kind, owner) };
}

/** Replaces each known id in a text by the result of `replace`. If this result is undefined, the id stays. */
export function replaceKnownIds(
  text: string,
  knownIds: KnownIds,
  replace: (id: KnownId) => string | undefined,
): string {
  return text.replaceAll(ID_PATTERN, (token) => {
    const id = knownIds.get(token.toLowerCase());
    const replacement = id && replace(id);
    return replacement ?? token;
  });
}
