import { groupBy } from "../core/collections.ts";
import { isJsonArray, ownMember, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Warning } from "../core/outcome.ts";
import type { AlteredMember, RenameRule, ReplaceRule, Transforms } from "../core/plan/plan.ts";
import { formatPointer, placesAt, withValueAt } from "../core/records/member-path.ts";
import { matchesGlob, isSelected, type RecordFilter } from "../core/records/record-filter.ts";
import {
  ID_PATTERN,
  isSameStack,
  keyOfRecord,
  type RecordKey,
  type StackIdentity,
  type StackRecord,
} from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { isDeclaredAt } from "../kinds/descriptor-parts.ts";
import { nameOfRecord, nounOf } from "../kinds/nouns.ts";
import { findKind } from "../kinds/registry.ts";
import { targetAnswersOf, type Inventory } from "../matching/inventory.ts";
import { naturalKey } from "../matching/match-records.ts";
import { placeholderSpans } from "../redaction/placeholders.ts";

export interface TransformNotes {
  readonly changes: ReadonlyMap<RecordKey, readonly AlteredMember[]>;
  readonly leftOut: ReadonlySet<RecordKey>;
  /** `KIND NAME`, with the original and the transformed name of each left-out record. */
  readonly leftOutNames: ReadonlySet<string>;
  readonly formerNames: ReadonlyMap<RecordKey, string>;
  readonly collisions: ReadonlyMap<RecordKey, string>;
}

export const NO_TRANSFORM_NOTES: TransformNotes = {
  changes: new Map(),
  leftOut: new Set(),
  leftOutNames: new Set(),
  formerNames: new Map(),
  collisions: new Map(),
};

export interface TransformedRecords extends TransformNotes {
  readonly records: readonly StackRecord[];
  /** The patterns match renamed records by both names. */
  readonly filter: RecordFilter;
  readonly warnings: readonly Warning[];
}

/** A stack's own records are restored unchanged. */
export function transformsBetween(
  source: StackIdentity,
  target: StackIdentity,
  transforms: Transforms | undefined,
): Transforms | undefined {
  return isSameStack(source, target) ? undefined : transforms;
}

export function transformRecords(
  records: readonly StackRecord[],
  transforms: Transforms | undefined,
  filter: RecordFilter,
): TransformedRecords {
  if (transforms === undefined) return { ...NO_TRANSFORM_NOTES, records, filter, warnings: [] };
  const changes = new Map<RecordKey, readonly AlteredMember[]>();
  const warnings: Warning[] = [];
  const leftOut = new Set(records.filter(({ kind, name }) => isLeftOut(transforms, kind, name)).map(keyOfRecord));
  const transformedRecords = records.map((record) => {
    const kind = findKind(record.kind);
    if (kind === undefined || leftOut.has(keyOfRecord(record))) return record;
    const transformed = transformBody(kind, record.body, transforms);
    warnings.push(...transformed.untouched.map((pointer) => untouchedWarning(record, pointer)));
    if (transformed.changes.length === 0) return record;
    changes.set(keyOfRecord(record), transformed.changes);
    return { ...record, name: kind.nameOf(transformed.body), body: transformed.body };
  });
  const renamed = records.filter(({ name }, index) => transformedRecords[index]?.name !== name);
  const formerNames = new Map(renamed.map((record) => [keyOfRecord(record), record.name]));
  const isWritten = (record: StackRecord): boolean => !leftOut.has(keyOfRecord(record));
  return {
    records: transformedRecords,
    changes,
    leftOut,
    leftOutNames: namesOf(
      records.filter((record) => !isWritten(record)),
      transforms,
    ),
    formerNames,
    collisions: findCollisions(transformedRecords.filter(isWritten), formerNames),
    filter: underBothNames(filter, renamed),
    warnings,
  };
}

function namesOf(records: readonly StackRecord[], transforms: Transforms): Set<string> {
  const names = records.flatMap(({ kind: name, name: recordName, body }) => {
    const kind = findKind(name);
    const renamed = kind === undefined ? recordName : kind.nameOf(transformBody(kind, body, transforms).body);
    return [`${name} ${recordName}`, `${name} ${renamed}`];
  });
  return new Set(names);
}

function isLeftOut({ leaveOut = {} }: Transforms, kind: string, name: string): boolean {
  const patterns = ownMember(leaveOut, kind);
  return patterns?.some((pattern) => matchesGlob(pattern, name)) === true;
}

/** Finds records to which a rename gives one natural key, so that nothing tells them apart. */
function findCollisions(
  written: readonly StackRecord[],
  formerNames: TransformNotes["formerNames"],
): ReadonlyMap<RecordKey, string> {
  const formerName = (record: StackRecord): string => formerNames.get(keyOfRecord(record)) ?? record.name;
  const renamed = new Set(written.flatMap((record) => (formerNames.has(keyOfRecord(record)) ? [record.kind] : [])));
  const groups = groupBy(
    written.filter(({ kind }) => renamed.has(kind)),
    (record) => `${record.kind} ${keyOf(record)}`,
  );
  const collisions = new Map<RecordKey, string>();
  for (const group of groups.values()) {
    const names = [...new Set(group.map(formerName))];
    if (names.length < 2) continue;
    const quoted = names.map((name) => `"${name}"`);
    const namesText = [...quoted.slice(0, 3), ...(quoted.length > 3 ? [`${quoted.length - 3} more`] : [])].join(", ");
    const message = `transforms.rename gives ${namesText} the same name, "${group[0]?.name ?? ""}"; give each its own`;
    for (const record of group) collisions.set(keyOfRecord(record), message);
  }
  return collisions;
}

function keyOf(record: StackRecord): string {
  const kind = findKind(record.kind);
  return (kind && naturalKey(kind, record.body)) ?? record.id;
}

function underBothNames(filter: RecordFilter, renamed: readonly StackRecord[]): RecordFilter {
  const idsOf = (patterns: readonly string[]): string[] =>
    patterns.length === 0
      ? []
      : renamed.filter((record) => isSelected(record, { include: patterns, exclude: [] })).map(({ id }) => id);
  return {
    include: [...filter.include, ...idsOf(filter.include)],
    exclude: [...filter.exclude, ...idsOf(filter.exclude)],
  };
}

function untouchedWarning(record: StackRecord, pointer: string): Warning {
  const message = `transforms.replace left a text of ${nameOfRecord(record)} alone, because an id or a placeholder in that text would have changed; narrow the from of the rule`;
  return { code: "unused", message, pointer };
}

export function convertForVariant(archived: readonly StackRecord[], inventory: Inventory): readonly StackRecord[] {
  return archived.map((record) => {
    const form = findKind(record.kind)?.formFor?.(record.body, targetAnswersOf(inventory, record.kind));
    return form === undefined ? record : { ...record, body: form };
  });
}

interface TransformedBody {
  readonly body: JsonObject;
  readonly changes: readonly AlteredMember[];
  /** A rule would have damaged an id or a placeholder in these texts. */
  readonly untouched: readonly string[];
}

function transformBody(kind: ResourceKind, body: JsonObject, transforms: Transforms): TransformedBody {
  const { replace = [] } = transforms;
  const named = transformName(kind, body, transforms.rename ?? []);
  const tagged = transformTags(kind, named.body, transforms.tags ?? {});
  const replaced = replace.length === 0 ? unchangedBody(tagged.body) : replaceTexts(kind, tagged.body, replace);
  return { ...replaced, changes: [...named.changes, ...tagged.changes, ...replaced.changes] };
}

export function renameRulesOf(
  { name, nameFields }: ResourceKind,
  rules: readonly RenameRule[] = [],
): readonly RenameRule[] {
  return nameFields.name === undefined ? [] : rules.filter(({ kind = name }) => kind === name);
}

function unchangedBody(body: JsonObject): TransformedBody {
  return { body, changes: [], untouched: [] };
}

function transformName(kind: ResourceKind, body: JsonObject, rules: readonly RenameRule[]): TransformedBody {
  const member = kind.nameFields.name ?? "";
  const name = body[member];
  if (typeof name !== "string" || name === "") return unchangedBody(body);
  const newName = applyRenames(name, renameRulesOf(kind, rules));
  if (newName === name) return unchangedBody(body);
  const change = `"${newName}" instead of "${name}"`;
  return { ...unchangedBody({ ...body, [member]: newName }), changes: [{ pointer: `/${member}`, change }] };
}

function transformTags(
  kind: ResourceKind,
  body: JsonObject,
  { set = [], drop = [] }: NonNullable<Transforms["tags"]>,
): TransformedBody {
  const member = kind.nameFields.tags;
  if (member === undefined) return unchangedBody(body);
  const present = body[member];
  const tags: readonly JsonValue[] = isJsonArray(present) ? present : [];
  const isDropped = (tag: JsonValue): tag is string =>
    typeof tag === "string" && !set.includes(tag) && drop.some((pattern) => matchesGlob(pattern, tag));
  const dropped = tags.filter(isDropped);
  const added = set.filter((tag) => !tags.includes(tag));
  if (dropped.length + added.length === 0) return unchangedBody(body);
  const change = [...added.map((tag) => `+ ${tag}`), ...dropped.map((tag) => `- ${tag}`)].join(", ");
  const keptTags = tags.filter((tag) => !isDropped(tag));
  return {
    ...unchangedBody({ ...body, [member]: [...keptTags, ...added] }),
    changes: [{ pointer: `/${member}`, change }],
  };
}

function replaceTexts(kind: ResourceKind, body: JsonObject, rules: readonly ReplaceRule[]): TransformedBody {
  const untouched: string[] = [];
  const changes: AlteredMember[] = [];
  let changed = body;
  for (const { value, tokens } of (kind.texts ?? []).flatMap((path) => placesAt(body, path))) {
    if (typeof value !== "string") continue;
    const replaced = replaceText(value, rules);
    const pointer = formatPointer(tokens);
    if (replaced === undefined) untouched.push(pointer);
    else if (replaced.text !== value) {
      changed = withValueAt(changed, tokens, replaced.text);
      changes.push({ pointer, change: replaced.used.map(({ from, to }) => `"${to}" for "${from}"`).join(", ") });
    }
  }
  return { body: changed, changes, untouched };
}

/** Leaves ids and placeholders alone. Returns undefined if the new text would form or spoil one. */
export function replaceText(text: string, rules: readonly ReplaceRule[]) {
  const used: ReplaceRule[] = [];
  const replaced = rules.reduce((before, rule) => {
    const after = replaceBetween(before, rule);
    if (after !== before) used.push(rule);
    return after;
  }, text);
  return protectedParts(replaced).join("\n") === protectedParts(text).join("\n") ? { text: replaced, used } : undefined;
}

function replaceBetween(text: string, rule: ReplaceRule): string {
  const parts: string[] = [];
  let offset = 0;
  for (const { start, end } of protectedSpans(text)) {
    parts.push(replaceIn(text.slice(offset, start), rule), text.slice(start, end));
    offset = end;
  }
  return [...parts, replaceIn(text.slice(offset), rule)].join("");
}

/** If `to` contains `from`, occurrences of `to` stay unchanged. */
function replaceIn(text: string, { from, to }: ReplaceRule): string {
  const pieces = to.includes(from) ? text.split(to) : [text];
  return pieces.map((piece) => piece.replaceAll(from, () => to)).join(to);
}

function protectedParts(text: string): string[] {
  return protectedSpans(text).map(({ start, end }) => text.slice(start, end));
}

function protectedSpans(text: string): { readonly start: number; readonly end: number }[] {
  const ids = [...text.matchAll(ID_PATTERN)].map(({ index, 0: id }) => ({ start: index, end: index + id.length }));
  return [...placeholderSpans(text), ...ids].toSorted((left, right) => left.start - right.start);
}

export function applyRenames(name: string, rules: readonly RenameRule[]): string {
  const rule = rules.find(({ from }) => captureStars(from, name) !== undefined);
  return rule === undefined ? name : applyRule(rule, name);
}

/** If `from` matches `to` as well, a name in the form of `to` stays: a code file may have the new name already. */
function applyRule({ from, to }: RenameRule, name: string): string {
  const feedsItself = captureStars(from, to) !== undefined;
  if (feedsItself && captureStars(to, name) !== undefined) return name;
  const found = captureStars(from, name) ?? [];
  return to
    .split("*")
    .map((part, index) => (index === 0 ? part : `${found[index - 1] ?? ""}${part}`))
    .join("");
}

/** Every star but the last matches as little as possible. Undefined without a match. */
function captureStars(pattern: string, text: string): readonly string[] | undefined {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern ? [] : undefined;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return undefined;
  const found: string[] = [];
  let offset = first.length;
  for (const part of others) {
    const next = text.indexOf(part, offset);
    if (next < 0 || next + part.length > end) return undefined;
    found.push(text.slice(offset, next));
    offset = next + part.length;
  }
  return [...found, text.slice(offset, end)];
}

/** A link by a former name stays, because its text may also mean a record that only the target has. */
export function warnOfLinksByName(
  before: readonly StackRecord[],
  after: readonly StackRecord[],
  namePrefix = "",
): Warning[] {
  const newNames = new Map(
    before.flatMap(({ kind, name }, index): [string, string][] => {
      const newName = `${namePrefix}${after[index]?.name ?? name}`;
      const isRenamed = name !== "" && newName !== name && findKind(kind)?.nameFields.name !== undefined;
      return isRenamed ? [[`${kind} ${name}`, newName]] : [];
    }),
  );
  return newNames.size === 0 ? [] : after.flatMap((record) => warningsOf(record, newNames));
}

function warningsOf({ kind, name: holder, body }: StackRecord, newNames: ReadonlyMap<string, string>): Warning[] {
  return (findKind(kind)?.linksByName ?? []).flatMap((link) =>
    placesAt(body, link.path).flatMap(({ value, tokens, indices }): Warning[] => {
      if (typeof value !== "string" || !isDeclaredAt(link, body, indices)) return [];
      const called = newNames.get(`${link.to} ${value}`);
      if (called === undefined) return [];
      const message = `a link of the ${nounOf(kind)} "${holder}" goes to the ${nounOf(link.to)} "${value}" by name, which is "${called}" on the target: change the link so that it selects the record itself`;
      return [{ code: "dead-link", message, pointer: formatPointer(tokens) }];
    }),
  );
}
