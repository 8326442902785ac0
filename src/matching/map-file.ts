import { groupBy } from "../core/collections.ts";
import { StackferryError } from "../core/errors.ts";
import type { Warning } from "../core/outcome.ts";
import { EVERY_OTHER, type ManualMapping, type Match } from "../core/plan/plan.ts";
import { recordKey, type StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { MAX_MISTAKES, MAX_NAMED, firstLines, joinNames, nounForCount, pluralize } from "../core/text/format.ts";
import { closestName } from "../core/text/similarity.ts";
import { findKind, mappableSpaces, isAlwaysWritten, kinds } from "../kinds/registry.ts";
import { nounOf } from "../kinds/nouns.ts";
import { foldIds, isId, isSameId } from "../references/known-ids.ts";
import { isListed, type Inventory } from "./inventory.ts";
import { isRequested, type PlanOptions } from "./plan-options.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { findReferences } from "../references/references.ts";

interface MapFileSides {
  readonly archive: Pick<ArchiveIndex, "records" | "referencedIds" | "byKey">;
  readonly inventory: Inventory;
  readonly options: PlanOptions;
}

export interface ManualMatches {
  readonly matches: readonly Match[];
  readonly other?: NamedId | undefined;
  readonly warnings: readonly Warning[];
}

/** The id is also the name if no list shows the record. */
type NamedId = Pick<StackRecord, "id" | "name">;

/**
 * A map file can serve several archives, so a line for a missing record causes only a warning.
 * @throws StackferryError `usage` for wrong lines, listed up to `MAX_MISTAKES`
 */
export function manualMatches(sides: MapFileSides): ManualMatches {
  const mistakes: string[] = [];
  const sections = Object.entries(sides.options.mapping).map(([space, lines]) =>
    readSection(space, lines, sides, mistakes),
  );
  if (mistakes.length > 0) {
    throw new StackferryError("usage", `${pluralize(mistakes.length, "mistake")} in the map file`, {
      faults: firstLines(mistakes, MAX_MISTAKES, (mistake) => mistake),
      hint: "Nothing was written. Correct the map file and run the command again.",
    });
  }
  return {
    matches: sections.flatMap(({ matches }) => matches),
    other: sections.find(({ other }) => other !== undefined)?.other,
    warnings: sections.flatMap(({ warnings }) => warnings),
  };
}

function readSection(
  space: IdSpace,
  lines: ManualMapping[string],
  sides: MapFileSides,
  mistakes: string[],
): ManualMatches {
  if (!mappableSpaces().includes(space)) {
    mistakes.push(`ids of "${space}" cannot be mapped${suggestion(space, mappableSpaces())}`);
    return { matches: [], warnings: [] };
  }
  const [findSource, findTarget] = [sourceLookup(space, sides), targetLookup(space, sides)];
  const matches: Match[] = [];
  const [bySource, byTarget] = [new Map<string, Match>(), new Map<string, Match>()];
  const unused: string[] = [];
  let other: NamedId | undefined;
  for (const [from, to] of Object.entries(lines)) {
    try {
      if (from === EVERY_OTHER) {
        if (space !== "webhooks") throw wrongLine("only webhooks can have this line");
        other = findTarget(to);
        continue;
      }
      const source = findSource(from);
      if (source?.isInArchive !== true) unused.push(from);
      if (source === undefined) continue;
      const target = findTarget(to);
      const match = {
        space,
        from: source.id,
        to: target.id,
        name: source.name,
        targetName: target.name,
        rule: "map-file",
      };
      refuseSecondLine(match, bySource.get(match.from), byTarget.get(match.to));
      refuseOriginal(match, sides);
      matches.push(match);
      bySource.set(match.from, match);
      byTarget.set(match.to, match);
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      mistakes.push(`${nounOf(space)} "${from}": ${error.message}`);
    }
  }
  const warnings = unused.length === 0 ? [] : [unusedLines(space, unused, sides)];
  return { matches, other, warnings: [...warnings, ...otherTypes(space, matches, sides)] };
}

/** Warns of pairs with different types: a chart of logs shows nothing on a source of metrics. */
function otherTypes(space: IdSpace, matches: readonly Match[], { archive, inventory }: MapFileSides): Warning[] {
  const { typeOf } = findKind(space) ?? {};
  if (typeOf === undefined) return [];
  const typesOf = (records: readonly StackRecord[]): Map<string, string> =>
    new Map(records.flatMap(({ kind, id, body }) => (kind === space ? [[id, typeOf(body)] as const] : [])));
  const [here, there] = [typesOf(archive.records), typesOf(inventory.kinds.get(space)?.records ?? [])];
  return matches.flatMap(({ from, to, name, targetName }) => {
    const [type, targetType] = [here.get(from), there.get(to)];
    if (type === undefined || targetType === undefined || type === targetType) return [];
    const message = `the map file maps "${name}" of type ${type} to "${targetName}" of type ${targetType}; correct the line unless that is meant`;
    return [{ code: "map-entry", message }];
  });
}

function wrongLine(message: string): StackferryError {
  return new StackferryError("usage", message);
}

function suggestion(typed: string, names: Iterable<string>): string {
  const meant = closestName(typed, [...names]);
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/** In a kind that imports always write, no two records share a counterpart: one would overwrite the other. */
function refuseSecondLine(match: Match, ofSource: Match | undefined, ofTarget: Match | undefined): void {
  if (ofSource !== undefined && foldIds(ofSource.to) !== foldIds(match.to))
    throw wrongLine(`another line maps it to "${ofSource.targetName}"`);
  if (ofTarget !== undefined && ofTarget.from !== match.from && isAlwaysWritten(match.space))
    throw wrongLine(`"${match.targetName}" is the counterpart of "${ofTarget.name}" already`);
}

/** With a name prefix, a counterpart without the prefix is an original, which the import would rename. */
function refuseOriginal({ space, from, targetName }: Match, { archive, options }: MapFileSides): void {
  const record = isAlwaysWritten(space) ? archive.byKey.get(recordKey(space, from)) : undefined;
  const { namePrefix = "" } = options;
  if (record === undefined || targetName.startsWith(namePrefix) || !isRequested(record, options)) return;
  throw wrongLine(`"${targetName}" does not begin with the name prefix, so it is no copy; leave the line out`);
}

function unusedLines(space: IdSpace, unused: readonly string[], { archive }: MapFileSides): Warning {
  const archivedNames = archive.records.flatMap(({ kind, name }) => (kind === space ? [name] : []));
  const named = joinNames(unused, MAX_NAMED, (name) => `"${name}"${suggestion(name, archivedNames)}`);
  const message = `the archive lacks what the map file names: the ${nounForCount(unused.length, nounOf(space))} ${named}`;
  return { code: "unused", message };
}

function finderByIdOrName(records: readonly StackRecord[]): (idOrName: string) => readonly StackRecord[] {
  const byId = groupBy(records, ({ id }) => id);
  const byName = groupBy(records, ({ name }) => name.trim());
  return (idOrName) => byId.get(idOrName)?.slice(0, 1) ?? byName.get(idOrName.trim()) ?? [];
}

function refuseSeveral(found: readonly StackRecord[], where: string): void {
  if (found.length < 2) return;
  const ids = joinNames(found, MAX_NAMED, ({ id }) => id);
  throw wrongLine(`${found.length} records ${where} have the name "${found[0]?.name}"; use an id: ${ids}`);
}

/** Undefined if the archive has records of this kind, but neither has nor references this record. */
function sourceLookup(
  space: IdSpace,
  { archive }: MapFileSides,
): (idOrName: string) => (NamedId & { readonly isInArchive: boolean }) | undefined {
  const records = archive.records.filter(({ kind }) => kind === space);
  const find = finderByIdOrName(records);
  return (idOrName) => {
    const found = find(idOrName);
    refuseSeveral(found, "in the archive");
    if (found[0] !== undefined) return { id: found[0].id, name: found[0].name, isInArchive: true };
    const isInArchive = archive.referencedIds.get(space)?.has(idOrName) === true;
    // If the archive has no record of the kind, the text counts as an id: the stack may have had no list.
    return isInArchive || records.length === 0 ? { id: idOrName, name: idOrName, isInArchive } : undefined;
  };
}

/** In a kind that imports always write, only an id names the target's record, because an import changes names. */
function targetLookup(space: IdSpace, { archive, inventory }: MapFileSides): (idOrName: string) => NamedId {
  const { status, records = [] } = inventory.kinds.get(space) ?? {};
  const find = finderByIdOrName(records);
  // An id that the archive references counts in any form: the target may be the archive's own stack.
  const isTrusted = (id: string): boolean => isId(id) || archive.referencedIds.get(space)?.has(id) === true;
  if (!isListed(inventory, space)) {
    return (id) => {
      if (isTrusted(id)) return { id, name: id };
      throw wrongLine(`"${id}" is not an id, and the target has no list of names; --draft-map shows the ids in use`);
    };
  }
  return (idOrName) => {
    const found = find(idOrName);
    refuseSeveral(found, "on the target");
    const [only] = found;
    if (only !== undefined) {
      if (!isAlwaysWritten(space) || isSameId(only.id, idOrName)) return only;
      throw wrongLine(`an import changes the name "${only.name}"; use the id ${only.id}`);
    }
    // In a kind that imports always write, a hidden record is refused: an import reads what it replaces.
    if (status === "partial" && !isAlwaysWritten(space) && isId(idOrName)) return { id: idOrName, name: idOrName };
    const names = records.map(({ name }) => name.trim());
    throw wrongLine(`the target has no ${nounOf(space)} "${idOrName}"${suggestion(idOrName, names)}`);
  };
}

export function idsInUse(wantedSpace: IdSpace, inventory: Inventory): Map<string, string> {
  const used = new Map<string, string>();
  for (const kind of kinds.filter(({ references }) => references.some(({ to }) => to === wantedSpace))) {
    for (const record of inventory.kinds.get(kind.name)?.records ?? []) {
      for (const { space, id } of findReferences(kind, record.body)) {
        if (space === wantedSpace && !used.has(id)) used.set(id, `used by the ${kind.singular} "${record.name}"`);
      }
    }
  }
  return used;
}
