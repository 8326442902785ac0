import type { Outcome } from "../core/outcome.ts";
import { qualifiedChildId, type KnownId, type KnownIds } from "../core/plan/id-map.ts";
import { ID_PATTERN, recordKey } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";

const MIN_LENGTH = 24;
/** A hostile text could contain a million ids. */
const MAX_LENGTH = 256 * 1024;

/** A stack may change the case of ids between answers. */
export function foldIds(text: string): string {
  return text.replaceAll(ID_PATTERN, (id) => id.toLowerCase());
}

export function isSameId(left: string, right: string): boolean {
  return foldIds(left) === foldIds(right);
}

export function foldedKey(space: IdSpace, id: string): string {
  return `${space} ${foldIds(id)}`;
}

export function foldedTargetKey({ kind, targetId = "" }: Pick<Outcome, "kind" | "targetId">): string {
  return foldedKey(kind, targetId);
}

/** In lower case; none if the text is longer than `MAX_LENGTH`. */
export function idsIn(text: string): readonly string[] {
  if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) return [];
  return text.match(ID_PATTERN)?.map((id) => id.toLowerCase()) ?? [];
}

export function isId(text: string): boolean {
  return idsIn(text)[0] === text.toLowerCase();
}

export function makeKnownId(space: IdSpace, id: string, owner?: string): KnownId {
  if (owner === undefined) return { space, id, record: findKind(space) && recordKey(space, id) };
  const [kind = space] = space.split("/");
  return { space, id: qualifiedChildId(owner, id), record: recordKey(kind, owner) };
}

export function replaceKnownIds(
  text: string,
  knownIds: KnownIds,
  replace: (id: KnownId) => string | undefined,
): string {
  return text.replaceAll(ID_PATTERN, (token) => {
    const id = knownIds.get(token.toLowerCase());
    return (id && replace(id)) ?? token;
  });
}
