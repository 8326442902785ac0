import { groupBy } from "../core/collections.ts";
import { messageWithHint, StackferryError } from "../core/errors.ts";
import type { Warning } from "../core/outcome.ts";
import { EVERY_OTHER, type ManualMapping, type MapFileMembers, type Match } from "../core/plan/plan.ts";
import type { StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { MAX_MISTAKES, MAX_NAMED, firstLines, joinNames, nounForCount, pluralize } from "../core/text/format.ts";
import { closestName } from "../core/text/similarity.ts";
import { mappableSpaces, mappableMembersOf, findKind, isAlwaysWritten, kinds } from "../kinds/registry.ts";
import { nounOf } from "../kinds/nouns.ts";
import { foldIds, isId } from "../references/known-ids.ts";
import { isListed, type Inventory } from "./inventory.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { findReferences } from "../references/references.ts";

/** The archive's ids that a map file can name. */
type MappableIds = Pick<ArchiveIndex, "records" | "referencedIds">;

/** The matches of a map file, and warnings about entries that match nothing. */
export interface ManualMatches {
  readonly matches: readonly Match[];
  /** The target's records of the lines `*`, by id space. */
  readonly others: ReadonlyMap<IdSpace, FoundTarget>;
  readonly warnings: readonly Warning[];
}

/**
 * Turns the map file into matches. An entry for a record that this archive lacks causes only a warning, because a map file can
 * serve several archives.
 * @throws StackferryError `usage` that names every wrong entry, such as a name that does not exist on the target
 */
export function manualMatches(mapping: ManualMapping, archive: MappableIds, inventory: Inventory): ManualMatches {
  const mistakes: StackferryError[] = [];
  const attempt: Attempt = (act) => {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      mistakes.push(error);
      return undefined;
    }
  };
  const sides = { archive, inventory };
  const found = Object.entries(mapping).flatMap(
    ([space, pairs]) => attempt(() => matchSection({ space, pairs, ...sides }, attempt)) ?? [],
  );
  refuseMistakes(mistakes);
  return {
    matches: found.flatMap(({ matches }) => matches),
    others: new Map(found.flatMap(({ others }) => [...others])),
    warnings: found.flatMap(({ warnings }) => warnings),
  };
}

/** Does something that may find a mistake in the map file. The mistake is noted, so that one run names them all. */
type Attempt = <Result>(act: () => Result) => Result | undefined;

function refuseMistakes(mistakes: readonly StackferryError[]): void {
  const [first] = mistakes;
  if (first === undefined) return;
  if (mistakes.length === 1) throw first;
  throw new StackferryError("usage", `${pluralize(mistakes.length, "mistake")} in the map file`, {
    faults: firstLines(mistakes, MAX_MISTAKES, messageWithHint),
    hint: "Nothing was written. Correct the map file and run the command again.",
  });
}

/** One section of the map file, and what its entries are looked up in. */
interface MapSection {
  readonly space: IdSpace;
  readonly pairs: ManualMapping[string];
  readonly archive: MappableIds;
  readonly inventory: Inventory;
}

function matchSection({ space, pairs, archive, inventory }: MapSection, attempt: Attempt): ManualMatches {
  if (!mappableSpaces().includes(space)) {
    const meant = closestName(space, mappableSpaces());
    throw mapFileError(
      `the map file has a section "${space}", and ids of that kind cannot be mapped`,
      meant === undefined ? `Use ${mappableSpaces().join(", ")}.` : `Did you mean "${meant}"?`,
    );
  }
  const sourceSide = sourceLookup(space, archive);
  const targetSide = targetLookup(space, inventory, archive.referencedIds.get(space));
  const lacking: string[] = [];
  const matchEntry = (from: string, to: string | MapFileMembers): Match[] => {
    const source = sourceSide(from);
    if (source?.isInArchive !== true) lacking.push(from);
    if (typeof to !== "string") refuseMembers(space, from, to);
    if (source === undefined || typeof to !== "string") return [];
    const target = targetSide(to);
    refuseRenamable(space, to, target);
    const match = { space, from: source.id, to: target.id, name: source.name, targetName: target.name };
    return [{ ...match, rule: "map-file", ...(target.unverified && { unverified: true as const }) }];
  };
  const { [EVERY_OTHER]: other, ...each } = pairs;
  const matches = Object.entries(each).flatMap(([from, to]) => attempt(() => matchEntry(from, to)) ?? []);
  const others = attempt(() => matchOthers(space, other, targetSide)) ?? [];
  attempt(() => refuseContradictions(space, matches));
  attempt(() => refuseSharedTarget(space, matches));
  const unused = lacking.length === 0 ? [] : [unusedEntries(space, lacking, archive)];
  return {
    matches,
    others: new Map(others),
    warnings: [...unused, ...mismatchedTypes(space, matches, archive, inventory)],
  };
}

/** Finds the target's record of a line `*`. Only webhooks have such a line: alerts of one team may go to one place for a while. */
function matchOthers(
  space: IdSpace,
  to: string | MapFileMembers | undefined,
  find: Lookup,
): (readonly [IdSpace, FoundTarget])[] {
  if (to === undefined) return [];
  if (space !== "webhooks") {
    throw mapFileError(`the map file has a line "${EVERY_OTHER}" under ${space}`, "Only webhooks can have one.");
  }
  if (typeof to === "string") return [[space, find(to)]];
  refuseMembers(space, EVERY_OTHER, to);
  return [];
}

/**
 * Refuses members that must not be in a map file.
 * @throws StackferryError `usage` for members that a map file cannot give, and for an address that holds a credential
 */
function refuseMembers(space: IdSpace, from: string, members: MapFileMembers): void {
  const allowedMembers = mappableMembersOf(space);
  const line = `the map file's entry for the ${nounOf(space)} "${from}"`;
  const other = Object.keys(members).find((member) => !allowedMembers.includes(member));
  if (other !== undefined) {
    const takes = allowedMembers.length === 0 ? "an id or a name" : `an id, a name, or ${allowedMembers.join(" and ")}`;
    throw mapFileError(`${line} gives "${other}"`, `It takes ${takes}.`);
  }
  // Refuses a credential, because a map file may be committed to a repository and the plan shows the values in it.
  if (Object.values(members).some((value) => /\/\/[^/?#]*@/.test(value))) {
    throw mapFileError(
      `${line} holds a credential in an address`,
      "Give the user name as username, and the password with --secrets.",
    );
  }
}

function unusedEntries(space: IdSpace, lacking: readonly string[], { records }: MappableIds): Warning {
  const archivedNames = records.flatMap(({ kind, name }) => (kind === space ? [name] : []));
  const named = joinNames(lacking, MAX_NAMED, (name) => {
    const meant = closestName(name, archivedNames);
    return `"${name}"${meant === undefined ? "" : ` (did you mean "${meant}"?)`}`;
  });
  const message = `the map file names the ${nounForCount(lacking.length, nounOf(space))} ${named}, which this archive lacks`;
  return { code: "unused", message };
}

/** Warns of entries that map a record onto one of another type: a chart of logs shows nothing on a source of metrics. */
function mismatchedTypes(
  space: IdSpace,
  matches: readonly Match[],
  { records }: MappableIds,
  inventory: Inventory,
): Warning[] {
  const kind = findKind(space);
  const typeOf = kind?.typeOf;
  if (kind === undefined || typeOf === undefined) return [];
  const targets = inventory.kinds.get(space)?.records ?? [];
  return matches.flatMap(({ from, to, name, targetName }) => {
    const source = records.find((record) => record.kind === space && record.id === from);
    const target = targets.find(({ id }) => id === to);
    if (source === undefined || target === undefined) return [];
    const [sourceType, targetType] = [typeOf(source.body), typeOf(target.body)];
    if (sourceType === targetType) return [];
    const message = `the map file maps the ${kind.singular} "${name}" of type ${sourceType} to "${targetName}" of type ${targetType}; correct the line unless that is meant`;
    return [{ code: "map-entry", message }];
  });
}

/** Refuses a map file that maps one record twice, by name and by id, to different records: nothing tells which of them is meant. */
function refuseContradictions(space: IdSpace, matches: readonly Match[]): void {
  const contradictory = [...groupBy(matches, ({ from }) => from).values()].find(
    (lines) => new Set(lines.map(({ to }) => foldIds(to))).size > 1,
  );
  if (contradictory === undefined) return;
  const [{ name, from } = { name: "", from: "" }] = contradictory;
  const names = contradictory.map(({ targetName }) => `"${targetName}"`).join(" and to ");
  throw mapFileError(
    `the map file maps the ${nounOf(space)} "${name}" (${from}) to ${names}`,
    "Keep one of the lines: a record has one counterpart.",
  );
}

/**
 * Refuses a name for a record of the target that an import writes: the import gives it the archive's name, so in the next run the
 * old name means nothing, or another record.
 */
function refuseRenamable(space: IdSpace, idOrName: string, { id, name }: ReturnType<Lookup>): void {
  if (!isAlwaysWritten(space) || foldIds(idOrName) === foldIds(id)) return;
  throw mapFileError(
    `the map file names the target's ${nounOf(space)} "${name}" by its name, which an import changes`,
    `Use its id: ${id}.`,
  );
}

/** Refuses a map file that maps two written records to the same record of the target: the second would overwrite the first. */
function refuseSharedTarget(space: IdSpace, matches: readonly Match[]): void {
  if (!isAlwaysWritten(space)) return;
  const shared = [...groupBy(matches, ({ to }) => to).values()].find(
    (lines) => new Set(lines.map(({ from }) => from)).size > 1,
  );
  if (shared === undefined) return;
  const names = shared.map(({ name }) => `"${name}"`).join(" and ");
  throw new StackferryError("usage", `the map file maps ${names} to the same record, "${shared[0]?.targetName}"`, {
    hint: "Map one of them, and leave the other out to have it created.",
  });
}

/** A record of the target that a line of the map file names. */
interface FoundTarget {
  readonly id: string;
  readonly name: string;
  readonly unverified?: true;
}

/** A function that finds the target's record with the given id or name. */
type Lookup = (idOrName: string) => FoundTarget;

/**
 * Makes a function that finds the target's record by id or unique name. If the target has no list of the kind (managed webhooks,
 * connections), only an id is accepted. Such an id is unverified unless a record of the target uses it.
 * @param referred ids that the archive references. They are accepted in any form, because the target may be the archive's own stack
 */
function targetLookup(space: IdSpace, inventory: Inventory, referred: ReadonlySet<string> = new Set()): Lookup {
  const ofKind = inventory.kinds.get(space);
  if (ofKind !== undefined && isListed(inventory, space)) {
    const records = indexRecords(ofKind.records);
    // An import must read a record before it replaces it.
    const mayBeHidden = (id: string): boolean =>
      ofKind.status === "partial" && !isAlwaysWritten(space) && isId(id) && !records.byId.has(id);
    return (idOrName) =>
      mayBeHidden(idOrName)
        ? { id: idOrName, name: idOrName, unverified: true }
        : onlyRecord(space, idOrName, records, "on the target");
  }
  const used = new Set([...idsInUse(space, inventory).keys()].map(foldIds));
  return (id) => {
    if (used.has(foldIds(id))) return { id, name: id };
    if (isId(id) || referred.has(id)) return { id, name: id, unverified: true };
    const noun = nounOf(space);
    throw mapFileError(
      `the map file names the ${noun} "${id}", which is not an id, and the target has no list of names`,
      `Use its id. A record of the target that uses the ${noun} shows it: --draft-map lists the ids in use; docs/migrate.md says how to find others.`,
    );
  };
}

/** Finds the archive's record or id for an entry of the map file; undefined if the archive cannot contain it. */
type SourceLookup = (
  idOrName: string,
) => { readonly id: string; readonly name: string; readonly isInArchive: boolean } | undefined;

function sourceLookup(space: IdSpace, archive: MappableIds): SourceLookup {
  const records = indexRecords(archive.records.filter((record) => record.kind === space));
  return (idOrName) => {
    if (records.byId.has(idOrName) || records.byName.has(idOrName.trim())) {
      const { id, name } = onlyRecord(space, idOrName, records, "in the archive");
      return { id, name, isInArchive: true };
    }
    const isInArchive = archive.referencedIds.get(space)?.has(idOrName) === true;
    // If the archive has no record of this kind, its stack may not have listed the kind, so the name cannot be checked.
    return isInArchive || records.byId.size === 0 ? { id: idOrName, name: idOrName, isInArchive } : undefined;
  };
}

interface IndexedRecords {
  readonly byId: ReadonlyMap<string, readonly StackRecord[]>;
  readonly byName: ReadonlyMap<string, readonly StackRecord[]>;
}

function indexRecords(records: readonly StackRecord[]): IndexedRecords {
  return { byId: groupBy(records, ({ id }) => id), byName: groupBy(records, ({ name }) => name.trim()) };
}

function onlyRecord(space: IdSpace, idOrName: string, { byId, byName }: IndexedRecords, where: string): StackRecord {
  const [ofId] = byId.get(idOrName) ?? [];
  if (ofId) return ofId;
  const [first, ...others] = byName.get(idOrName.trim()) ?? [];
  const noun = nounOf(space);
  if (!first) {
    const meant = closestName(idOrName, [...byName.keys()]);
    const check = meant === undefined ? "Check the spelling, or use its id" : `Did you mean "${meant}"? Or use its id`;
    throw mapFileError(`the map file names the ${noun} "${idOrName}", which does not exist ${where}`, `${check}.`);
  }
  if (others.length > 0) {
    throw mapFileError(
      `the map file names the ${noun} "${idOrName}", but ${others.length + 1} records have that name ${where}`,
      `Use its id: ${joinNames([first, ...others], MAX_NAMED, ({ id }) => id)}.`,
    );
  }
  return first;
}

function mapFileError(message: string, hint: string): StackferryError {
  return new StackferryError("usage", message, { hint });
}

/**
 * Collects the ids of one id space that the target's records reference, each with the name of a record that uses the id. If the
 * target has no list for this space, nothing else is known about its ids.
 */
export function idsInUse(wantedSpace: IdSpace, inventory: Inventory): Map<string, string> {
  const used = new Map<string, string>();
  for (const kind of kinds.filter(({ references }) => references.some(({ to }) => to === wantedSpace))) {
    for (const record of inventory.kinds.get(kind.name)?.records ?? []) {
      for (const { space, id } of findReferences(kind, record.body, new Map())) {
        if (space === wantedSpace && !used.has(id)) used.set(id, `used by the ${kind.singular} "${record.name}"`);
      }
    }
  }
  return used;
}
