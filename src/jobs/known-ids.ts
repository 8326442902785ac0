import { childId } from "../domain/id-map.ts";
import type { KnownId, KnownIds } from "../domain/id-map.ts";
import { isJsonArray, isJsonObject } from "../domain/json.ts";
import { recordKey } from "../domain/record.ts";
import type { StackRecord } from "../domain/record.ts";
import type { IdSpace, ResourceKind } from "../domain/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";

/**
 * 24 hex digits or a uuid (field notes, "Identity across stacks"), standing alone. A tile made in the web UI may be called
 * `tbl`: such ids are followed where a reference is declared, never searched for in text.
 */
const ID_TOKEN = /(?<![\w-])(?:[\da-f]{24}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})(?![\w-])/giu;
const WHOLE_ID = new RegExp(`^${ID_TOKEN.source}$`, "iu");

/** The text with every id in it in lower case: a stack may change the case of ids from one answer to the next. */
export function foldIds(text: string): string {
  return text.replaceAll(ID_TOKEN, (id) => id.toLowerCase());
}

/** Describes an id. @param owner for ids of parts: the id of the record that holds them */
export function knownId(space: IdSpace, id: string, owner?: string): KnownId {
  if (owner === undefined) return { space, id, record: findKind(space) && recordKey(space, id) };
  const [kind = space] = space.split("/");
  return { space, id: childId(owner, id), record: recordKey(kind, owner) };
}

/**
 * Collects the ids of all records of an archive and of their parts.
 * @param referred ids that records point to, by space: some are no records of the archive (connections, saved searches)
 */
export function collectKnownIds(
  records: Iterable<StackRecord>,
  referred: ReadonlyMap<IdSpace, ReadonlySet<string>>,
): KnownIds {
  const known = new Map<string, KnownId>();
  const add = (text: string, space: IdSpace, owner?: string): void => {
    const token = text.toLowerCase();
    if (!known.has(token) && WHOLE_ID.test(token)) known.set(token, knownId(space, text, owner));
  };
  for (const record of records) {
    const kind = findKind(record.kind);
    if (!kind) continue;
    add(record.id, record.kind);
    for (const { space, part } of partsOf(kind, record)) add(part, space, record.id);
  }
  for (const [space, ids] of referred) for (const id of ids) add(id, space);
  return known;
}

/** Whether a text holds a known id at all: most do not, and are not looked at further. */
export function holdsKnownId(text: string, known: KnownIds): boolean {
  let holds = false;
  replaceKnownIds(text, known, () => {
    holds = true;
    return undefined;
  });
  return holds;
}

/** Calls `replace` for each known id in a text; what it answers takes the id's place, undefined leaves it. */
export function replaceKnownIds(text: string, known: KnownIds, replace: (id: KnownId) => string | undefined): string {
  if (text.length < 24) return text;
  return text.replaceAll(ID_TOKEN, (token) => {
    const id = known.get(token.toLowerCase());
    const replacement = id && replace(id);
    return replacement ?? token;
  });
}

function partsOf(kind: ResourceKind, record: StackRecord): { space: IdSpace; part: string }[] {
  return kind.children.flatMap(({ member, space }) => {
    const parts = record.body[member];
    if (!isJsonArray(parts)) return [];
    return parts.flatMap((part) =>
      isJsonObject(part) && typeof part["id"] === "string" ? [{ space, part: part["id"] }] : [],
    );
  });
}
