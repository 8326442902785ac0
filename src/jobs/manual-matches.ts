import { StackferryError } from "../domain/errors.ts";
import type { ManualMapping, Match } from "../domain/plan.ts";
import type { StackRecord } from "../domain/record.ts";
import type { IdSpace } from "../domain/resource-kind.ts";
import { mappableSpaces, nounOf } from "../kinds/id-spaces.ts";
import type { Inventory } from "./inventory.ts";

/** What a map file can name on the archive's side. */
export interface MappableIds {
  readonly records: readonly StackRecord[];
  /** Ids that its records point to, records of the archive or not. */
  readonly referred: ReadonlyMap<IdSpace, ReadonlySet<string>>;
}

/** Turns the map file into matches. Throws `usage` for a name or id that does not exist, naming it: a typo must not pass. */
export function manualMatches(mapping: ManualMapping, archive: MappableIds, inventory: Inventory): Match[] {
  return Object.entries(mapping).flatMap(([space, pairs]) => {
    if (!mappableSpaces().includes(space)) {
      throw unknown(`the map file names "${space}", which cannot be mapped`, `Use ${mappableSpaces().join(", ")}.`);
    }
    return Object.entries(pairs).map(([from, to]) => {
      const source = sourceSide(space, from, archive);
      const target = targetSide(space, to, inventory, "the map file");
      return { space, from: source.id, to: target.id, name: source.name, targetName: target.name, rule: "map-file" };
    });
  });
}

/** The target's record of that id or unique name. Where the target has no such list, an id is taken on trust. */
export function targetSide(
  space: IdSpace,
  idOrName: string,
  inventory: Inventory,
  where: string,
): { id: string; name: string } {
  const known = inventory.kinds.get(space);
  // No list to look in (managed webhooks, connections): the server itself refuses a wrong id when it is written.
  if (!known || known.status === "not-offered") return { id: idOrName, name: idOrName };
  return only(space, idOrName, known.records, `${where} names`, "on the target");
}

function sourceSide(space: IdSpace, idOrName: string, archive: MappableIds): { id: string; name: string } {
  const records = archive.records.filter((record) => record.kind === space);
  const held = records.some(({ id }) => id === idOrName);
  // The archive of a stack that does not list a kind has none of its records, so there is nothing to check a name against.
  if (!held && (records.length === 0 || archive.referred.get(space)?.has(idOrName)))
    return { id: idOrName, name: idOrName };
  return only(space, idOrName, records, "the map file names", "in the archive");
}

function only(
  space: IdSpace,
  idOrName: string,
  records: readonly StackRecord[],
  who: string,
  where: string,
): { id: string; name: string } {
  const byId = records.find((record) => record.id === idOrName);
  if (byId) return byId;
  const [first, ...others] = records.filter((record) => record.name === idOrName);
  const noun = nounOf(space);
  if (!first) {
    throw unknown(
      `${who} the ${noun} "${idOrName}", which does not exist ${where}`,
      `Check the spelling, or use its id.`,
    );
  }
  if (others.length > 0) {
    throw unknown(`${who} the ${noun} "${idOrName}", and ${others.length + 1} have that name ${where}`, `Use its id.`);
  }
  return first;
}

function unknown(message: string, hint: string): StackferryError {
  return new StackferryError("usage", message, { hint });
}
