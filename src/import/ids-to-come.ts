import { mapStrings, isJsonObject, type JsonObject } from "../core/json.ts";
import type { FindCounterpart, IdsToCome, KnownId } from "../core/plan/id-map.ts";
import { getOrMake } from "../core/collections.ts";
import { ID_PATTERN, recordKey, splitKey, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";

/** A stand-in ends with this text. */
const MARK = "f0f0f0f0f0f0";

/** Puts a stand-in for each id to come. Known children get one, too, because a write can give them other ids. */
export function withStandIns(
  ids: FindCounterpart,
  archived: ReadonlyMap<RecordKey, StackRecord>,
): { readonly counterparts: FindCounterpart; readonly idsToCome: IdsToCome } {
  const idsToCome = new Map<string, KnownId>();
  const standIns = new Map<string, string>();
  const standInOf = (known: KnownId): string => {
    const standIn = `${idsToCome.size.toString(16).padStart(24 - MARK.length, "0")}${MARK}`;
    idsToCome.set(standIn, known);
    return standIn;
  };
  const get = (space: IdSpace, id: string): string | undefined => {
    const [kind = space, inside] = space.split("/");
    const record = recordKey(kind, inside === undefined ? id : splitKey(id)[0]);
    const found = ids.get(space, id);
    if (!archived.has(record) || (found !== undefined && inside === undefined)) return found;
    return getOrMake(standIns, `${space} ${id}`, () => standInOf({ space, id, record }));
  };
  return { counterparts: { get }, idsToCome };
}

/** @param idOf undefined means the archive's id */
export function fillIds(
  body: JsonObject,
  idsToCome: IdsToCome,
  idOf: (known: KnownId, standIn: string) => string | undefined,
): JsonObject {
  if (idsToCome.size === 0) return body;
  const filled = mapStrings(body, (text) =>
    text.includes(MARK)
      ? text.replaceAll(ID_PATTERN, (token) => {
          const known = idsToCome.get(token);
          return known === undefined ? token : (idOf(known, token) ?? archivedId(known));
        })
      : text,
  );
  return isJsonObject(filled) ? filled : body;
}

/** Returns ids of the archive in lower case. */
export function idsWithoutCounterpart(
  body: JsonObject,
  idsToCome: IdsToCome,
  ids: FindCounterpart,
): ReadonlySet<string> {
  const found = new Set<string>();
  fillIds(body, idsToCome, (known) => {
    const counterpart = ids.get(known.space, known.id);
    if (counterpart === undefined) found.add(archivedId(known).toLowerCase());
    return counterpart;
  });
  return found;
}

function archivedId({ space, id }: KnownId): string {
  return space.includes("/") ? splitKey(id)[1] : id;
}
