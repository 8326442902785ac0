import { willWrite, itemKey, type PlanItem } from "../../core/plan/plan.ts";
import type { Warning } from "../../core/outcome.ts";
import { groupBy } from "../../core/collections.ts";
import { visitStrings } from "../../core/json.ts";
import { formatPointer, valueAtTokens } from "../../core/records/member-path.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { ID_PATTERN, recordKey, keyOfRecord, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { MAX_NAMED, MAX_NAMED_TO_CHECK, joinNames, quoteShellWord } from "../../core/text/format.ts";
import { knownKind } from "../../kinds/registry.ts";
import { nameOfRecord, nounOf } from "../../kinds/nouns.ts";
import { referenceTargetsOf } from "../../references/archive-index.ts";
import { idsIn, isId, makeKnownId } from "../../references/known-ids.ts";
import { findReferences } from "../../references/references.ts";
import { decisionKey, type Decision } from "./decide/decision.ts";
import type { PlanBasis } from "./resolve-references.ts";
import { deadLinksOf } from "./decide/dead-ids.ts";
import { recordsOf } from "../../matching/inventory.ts";

/** Makes the warnings about links that lead nowhere on the target, now or after the import. */
export function warnOfDeadLinks(
  decisions: readonly Decision[],
  items: readonly PlanItem[],
  basis: PlanBasis,
): Warning[] {
  const { ids } = basis;
  const onTarget = new Map(recordsOf(basis.inventory).map((record) => [keyOfRecord(record), record]));
  const counterpartOf = ({ kind, id }: StackRecord): StackRecord | undefined =>
    onTarget.get(recordKey(kind, ids.get(kind, id) ?? ""));
  const all = { ...basis, onTarget, counterpartOf };
  return [...warnOfOldIds(decisions, all), ...warnOfMissingTargets(items, all), ...warnOfReplacedLinks(decisions, all)];
}

interface Basis extends PlanBasis {
  readonly onTarget: ReadonlyMap<RecordKey, StackRecord>;
  /** Returns the target's counterpart of an archived record; undefined if there is none. */
  readonly counterpartOf: (record: StackRecord) => StackRecord | undefined;
}

/** Warns of links to the old id of a deleted record that the import creates again, under another id. */
function warnOfOldIds(decisions: readonly Decision[], basis: Basis): Warning[] {
  const { archive, ids, onTarget, images } = basis;
  const again = decisions.flatMap((decision) => {
    const { action, kind, record } = decision;
    const formerIds = action === "create" ? formerIdsOf(decision, basis) : [];
    return formerIds.map((id) => ({ former: makeKnownId(kind.name, id), record }));
  });
  if (again.length === 0) return [];
  const updated = new Set(
    decisions.flatMap(({ kind, targetId, action }) =>
      action === "update" && targetId !== undefined ? [recordKey(kind.name, targetId)] : [],
    ),
  );
  const deadIds = new Map(again.map(({ former }) => [former.id.toLowerCase(), former]));
  const archived = new Map([...ids].map(({ space, from, to }) => [recordKey(space, to), recordKey(space, from)]));
  const broken = [...onTarget].flatMap(([key, record]): BrokenLink[] => {
    if (updated.has(key)) return [];
    const kind = knownKind(record.kind);
    const referenced = new Set(findReferences(kind, record.body, deadIds).map(({ record: to }) => to));
    const lost = new Set(again.flatMap((each) => (referenced.has(each.former.record) ? [each.record] : [])));
    const archivedKey = kind.importPolicy.when === "always" ? archived.get(key) : undefined;
    const archivedRecord = archivedKey && archive.byKey.get(archivedKey);
    const linking = images === true ? undefined : archivedRecord;
    return [...lost].map((lostRecord) => ({ record, lost: lostRecord, kind, linking }));
  });
  // One command sets the links of all records of a kind again.
  return [...groupBy(broken, ({ kind, linking }) => linking && kind).values()].map(describeBroken);
}

/** A link of a record of the target to the old id of a record that the import creates again. */
interface BrokenLink {
  readonly record: StackRecord;
  readonly lost: StackRecord;
  readonly kind: ResourceKind;
  /** The archive's record that has the link; undefined if no import can set it again. */
  readonly linking: StackRecord | undefined;
}

function describeBroken(links: readonly BrokenLink[]): Warning {
  const [from, to] = [new Set(links.map(({ record }) => record)), new Set(links.map(({ lost }) => lost))];
  const names = (records: ReadonlySet<StackRecord>): string =>
    joinNames([...records], MAX_NAMED_TO_CHECK, nameOfRecord);
  const linking = links.flatMap((link) => link.linking ?? []);
  const [{ kind } = {}] = links;
  const next = kind === undefined || linking.length === 0 ? "set the link by hand" : secondRun(kind, linking);
  const what = `${names(from)} on the target ${from.size === 1 ? "links" : "link"} to the old id of ${names(to)}`;
  return { code: "dead-link", message: `${what}, which ${to.size === 1 ? "gets" : "get"} a new one: ${next}` };
}

/**
 * Describes a second run that sets the links again: a merge if the records have children, otherwise an update, because only a
 * record with children can be merged.
 */
function secondRun({ children, name: kind }: ResourceKind, linking: readonly StackRecord[]): string {
  const names = [...new Set(linking.map(({ id, name }) => name || id))];
  const included = names.map((name) => `--include ${quoteShellWord(name)}`).join(" ");
  const [onConflict, rest] =
    children.length > 0
      ? ["merge", "their other edits stay; a part that was edited itself needs --on-conflict overwrite"]
      : ["overwrite", "they become as in the archive"];
  return `after this run, the same command with ${included} --kinds ${kind} --on-conflict ${onConflict} sets the link again (${rest})`;
}

/**
 * Lists the ids that a record had on the target before somebody deleted the record. Earlier runs have stored such ids. Other
 * records of the target may still contain such an id, in a place where the archive links to this record.
 */
function formerIdsOf(decision: Decision, basis: Basis): string[] {
  const { kind, record } = decision;
  const { archive, bases, ownStack, target, counterpartOf } = basis;
  const key = decisionKey(decision);
  const inPlaces = [...(archive.links().dependents.get(key) ?? [])].flatMap((dependent) => {
    const from = archive.byKey.get(dependent);
    const counterpart = from && counterpartOf(from);
    if (from === undefined || counterpart === undefined) return [];
    return deadLinksOf(from, counterpart, basis).flatMap(({ space, id, storedId }) =>
      space === kind.name && id === record.id ? [storedId] : [],
    );
  });
  const formerIds = new Set([bases.get(key)?.targetId, ownStack ? record.id : undefined, ...inPlaces]);
  // Ids that the target still has are left out: the original of a copy still exists, so links to the original work.
  return [...formerIds].flatMap((id) => (id === undefined || target.has(kind.name, id) ? [] : [id]));
}

/** Warns of unchanged records that reference a record which neither exists on the target nor is created by the import. */
function warnOfMissingTargets(items: readonly PlanItem[], basis: Basis): Warning[] {
  const { archive, creatable, ids, counterpartOf } = basis;
  const planned = new Map(items.map((item) => [itemKey(item), item.action]));
  const lost = items.flatMap((item) => {
    const { action, code, kind } = item;
    const record = action === "unchanged" || code === "matched" ? archive.byKey.get(itemKey(item)) : undefined;
    if (record === undefined) return [];
    const mayLack = referenceTargetsOf(archive, record).some(({ space, id }) => ids.get(space, id) === undefined);
    const counterpart = mayLack ? counterpartOf(record) : undefined;
    if (counterpart === undefined) return [];
    return deadLinksOf(record, counterpart, basis).flatMap(({ space, record: key }) => {
      const to = key === undefined ? undefined : archive.byKey.get(key);
      if (key === undefined || to === undefined || planned.get(key) === "create") return [];
      const what = space === to.kind ? nameOfRecord(to) : `a ${nounOf(space)} of ${nameOfRecord(to)}`;
      const isWritten = knownKind(kind).importPolicy.when === "always";
      const isSelected = planned.has(key) || space !== to.kind;
      return [{ what, space, record, isWritten, isSelected }];
    });
  });
  return [...groupBy(lost, ({ what, isWritten }) => `${what} ${isWritten}`).values()].map((links) => {
    const { what = "", space = "", isWritten = true, isSelected = true } = links[0] ?? {};
    const linking = [...new Set(links.map(({ record }) => record))];
    const names = joinNames(linking, MAX_NAMED, nameOfRecord);
    const hint = !isWritten
      ? "; set the link by hand"
      : creatable.has(space)
        ? `; --create ${space} creates it and sets the link`
        : isSelected
          ? ""
          : "; an import that also selects it creates it and sets the link";
    const message = `${what} is not on the target, but ${names} link${linking.length === 1 ? "s" : ""} to it there${hint}`;
    return { code: "dead-link", message };
  });
}

/** Warns if an update replaces a working link in a text by an id that no record of the target has or will have. */
function warnOfReplacedLinks(decisions: readonly Decision[], { archive, ids, onTarget }: Basis): Warning[] {
  const updates = decisions.filter(({ action, parts }) => action === "update" && parts === undefined);
  if (updates.length === 0) return [];
  const byId = new Map([...onTarget.values()].map((record) => [record.id.toLowerCase(), record]));
  const written = new Set(decisions.filter(willWrite).map(decisionKey));
  return updates.flatMap(({ record, replaces }) => {
    const links = replaces === undefined ? [] : linksInTexts(record, replaces);
    return links.flatMap(({ id, formerId, pointer }): Warning[] => {
      const lost = byId.get(formerId);
      const to = archive.knownIds.get(id);
      const isAlive = to === undefined ? byId.has(id) : ids.get(to.space, to.id) !== undefined;
      if (lost === undefined || id === formerId || isAlive || (to?.record && written.has(to.record))) return [];
      const archived = to?.record && archive.byKey.get(to.record);
      const by = archived
        ? `the id of ${nameOfRecord(archived)}, which the target does not have and this run does not create; import that record too, or leave this one out`
        : `${id}, an id that neither the archive nor the target has; correct the text on the stack that the archive is from`;
      const message = `${nameOfRecord(record)} links to ${nameOfRecord(lost)} on the target, and the update replaces that link by ${by}`;
      return [{ code: "dead-link", message, pointer }];
    });
  });
}

/**
 * Compares the texts that two records have in the same place. If two texts differ only in ids, pairs these ids. Leaves out a text
 * that consists of one id, because such a text is a reference.
 */
function linksInTexts(
  record: StackRecord,
  former: StackRecord,
): { readonly id: string; readonly formerId: string; readonly pointer: string }[] {
  const links: { id: string; formerId: string; pointer: string }[] = [];
  visitStrings(record.body, (text, path) => {
    const found = isId(text) ? [] : idsIn(text);
    const formerText = found.length === 0 ? undefined : valueAtTokens(former.body, path);
    if (typeof formerText !== "string" || formerText.replaceAll(ID_PATTERN, "") !== text.replaceAll(ID_PATTERN, ""))
      return;
    const formerIds = idsIn(formerText);
    found.forEach((id, at) => links.push({ id, formerId: formerIds[at] ?? "", pointer: formatPointer(path) }));
  });
  return links;
}
