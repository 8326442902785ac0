import type { JsonObject } from "../../core/json.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { ID_TOKEN } from "../../core/records/record.ts";
import { valueAtTokens } from "../../core/records/member-path.ts";
import { knownKind } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { TargetIndex } from "../../matching/target-index.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { referencesOf } from "../../references/archive-index.ts";
import { foldIds, idsIn } from "../../references/known-ids.ts";
import type { Reference } from "../../references/references.ts";
import { findReferences } from "../../references/references.ts";

/** A reference of an archived record, and the id that the record's counterpart on the target has in the same place. */
export interface StoredLink extends Reference {
  readonly storedId: string;
}

interface LinkBasis {
  readonly archive: ArchiveIndex;
  readonly inventory: Inventory;
  readonly target: TargetIndex;
}

/**
 * Finds the references of an archived record that are dead on the target: in the same place, the record's counterpart contains an
 * id that no record of the target has.
 */
export function deadLinksOf(record: StackRecord, stored: StackRecord, basis: LinkBasis): StoredLink[] {
  const { archive, inventory, target } = basis;
  const declared = new Map(
    findReferences(knownKind(stored.kind), stored.body, new Map()).map(({ pointer, id }) => [pointer, id]),
  );
  const links = referencesOf(archive, record).flatMap((reference): StoredLink[] => {
    const storedIds =
      reference.form === "embedded"
        ? idsInPlace(reference, record.body, stored.body)
        : [declared.get(reference.pointer)].filter((id) => id !== undefined);
    return storedIds.map((storedId) => ({ ...reference, storedId }));
  });
  return links.filter(({ space, storedId }) => {
    const [kind = space] = space.split("/");
    return inventory.kinds.get(kind)?.status === "complete" && !target.has(space, storedId);
  });
}

/**
 * Lists the ids that the target's text contains in the places of this id, if the two texts differ only in ids. Ids of children are
 * left out, because a text does not tell to which record a child belongs.
 */
export function idsInPlace({ space, id, tokens }: Reference, body: JsonObject, stored: JsonObject): string[] {
  const [text, storedText] = [body, stored].map((side) => valueAtTokens(side, tokens));
  if (space.includes("/") || typeof text !== "string" || typeof storedText !== "string") return [];
  if (text.replaceAll(ID_TOKEN, "") !== storedText.replaceAll(ID_TOKEN, "")) return [];
  const storedIds = idsIn(storedText);
  return idsIn(text).flatMap((found, at) => (found === foldIds(id) ? (storedIds[at] ?? []) : []));
}
