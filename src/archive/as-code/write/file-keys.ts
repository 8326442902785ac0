import { byCodeUnit, getOrMake, groupBy } from "../../../core/collections.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import {
  ID_PATTERN,
  keyOfRecord,
  type KindName,
  recordKey,
  type RecordKey,
  splitKey,
  type StackRecord,
} from "../../../core/records/record.ts";
import type { IdSpace } from "../../../core/resource-kind.ts";
import { findKind, knownKind, sortByKind } from "../../../kinds/registry.ts";
import { nounOf } from "../../../kinds/nouns.ts";
import { sha256 } from "../../entry.ts";
import { arrangeChildren, type NameLookup, replaceIdsByMentions, toCode } from "../convert-record.ts";

/** Not unique within a kind. */
export function plainName({ kind, body }: { readonly kind: KindName; readonly body: JsonObject }): string {
  const found = findKind(kind);
  const namedBy = found?.code.namedBy;
  if (namedBy === undefined) return found?.nameOf(body) ?? "";
  return namedBy.map((member) => (typeof body[member] === "string" ? body[member] : "")).join("/");
}

export function childReference(
  space: IdSpace,
  id: string,
  owner: string | undefined,
  byKey: ReadonlyMap<RecordKey, StackRecord>,
): JsonValue | undefined {
  if (owner === undefined) return undefined;
  const holder = byKey.get(recordKey(space.split("/")[0] ?? "", owner));
  return (holder && childName(space, holder.body, id)) ?? { id };
}

export function listChildren(space: IdSpace, body: JsonObject): readonly { id: string; name: string }[] {
  const children = findKind(space.split("/")[0] ?? "")?.children.find((candidate) => candidate.space === space);
  const items = children && body[children.member];
  return (children !== undefined && isJsonArray(items) ? items : []).map((item) => {
    const child = isJsonObject(item) ? item : {};
    return { id: typeof child["id"] === "string" ? child["id"] : "", name: children?.nameOf(child) ?? "" };
  });
}

/** Returns the position, from 1, if the name is empty or not unique; undefined for an unknown child. */
export function childName(space: IdSpace, body: JsonObject, id: string): string | number | undefined {
  const children = listChildren(space, arrangeChildren(findKind(space.split("/")[0] ?? ""), body));
  const position = children.findIndex((child) => child.id === id);
  const name = children[position]?.name ?? "";
  if (position < 0) return undefined;
  const isOnly = name.trim() !== "" && children.filter((child) => child.name === name).length === 1;
  return isOnly ? name : position + 1;
}

export interface Label {
  readonly slug: string;
  readonly key?: string;
  readonly label: string;
}

export interface LabelledRecords {
  readonly labels: ReadonlyMap<RecordKey, Label>;
  readonly names: NameLookup;
}

/** @param keys the keys that files give to their records */
export function labelRecords(
  records: readonly StackRecord[],
  keys: ReadonlyMap<RecordKey, string> = new Map(),
): LabelledRecords {
  const knownRecords = records.filter(({ kind }) => findKind(kind) !== undefined);
  const labels = new Map<RecordKey, Label>([...keys].map(([of, key]) => [of, { slug: key, key, label: key }]));
  const unnamed = knownRecords.filter((record) => !labels.has(keyOfRecord(record)));
  const bySlug = groupBy(unnamed, (record) => `${record.kind}/${baseSlug(record)}`);
  const index: RecordIndex = {
    byKey: new Map(knownRecords.map((record) => [keyOfRecord(record), record])),
    byId: new Map(knownRecords.map(({ kind, id }) => [id.toLowerCase(), recordKey(kind, id)])),
  };
  const sorted = namesakeSorter(index, (key) => labels.get(key)?.label);
  const given = new Set([...keys].map(([of, key]) => `${splitKey(of)[0]}/${key}`));
  const taken = new Set([...bySlug.keys(), ...given]);
  const ordered = [...bySlug].toSorted(([left], [right]) => byCodeUnit(left, right));
  // Sorts by kind, so most referenced records get a label before the records that reference them.
  for (const [, group] of sortByKind(ordered, ([, [first]]) => first?.kind ?? "")) {
    for (const [index, record] of sorted(group).entries()) {
      const base = baseSlug(record);
      const plain = plainName(record);
      const isTaken = index > 0 || given.has(`${record.kind}/${plain}`);
      const slug = isTaken ? freeSlug(record.kind, base, Math.max(index + 1, 2), taken) : base;
      const needsKey = isTaken || plain.trim() === "";
      labels.set(keyOfRecord(record), { slug, label: needsKey ? slug : plain, ...(needsKey && { key: slug }) });
    }
  }
  return { labels, names: namesOf(index, labels) };
}

function baseSlug(record: StackRecord): string {
  return fileSlug(plainName(record), nounOf(record.kind));
}

function freeSlug(kind: KindName, base: string, from: number, taken: Set<string>): string {
  let number = from;
  while (taken.has(`${kind}/${base}-${number}`)) number += 1;
  taken.add(`${kind}/${base}-${number}`);
  return `${base}-${number}`;
}

interface RecordIndex {
  readonly byKey: ReadonlyMap<RecordKey, StackRecord>;
  readonly byId: ReadonlyMap<string, RecordKey>;
}

function namesOf({ byKey, byId }: RecordIndex, labels: ReadonlyMap<RecordKey, Label>): NameLookup {
  return {
    referenceTo: (space, id, owner) =>
      childReference(space, id, owner, byKey) ?? recordReference(space, id, byKey, labels),
    replaceIds: (text) =>
      replaceIdsByMentions(text, (id) => {
        const key = byId.get(id);
        const label = key && labels.get(key);
        return key && label && `${key.split("/")[0]}/${label.label}`;
      }),
  };
}

function recordReference(
  space: IdSpace,
  id: string,
  byKey: ReadonlyMap<RecordKey, StackRecord>,
  labels: ReadonlyMap<RecordKey, Label>,
): JsonValue {
  const record = byKey.get(recordKey(space, id));
  const label = labels.get(recordKey(space, id));
  if (record === undefined || label === undefined) return { id };
  const namedBy = findKind(space)?.code.namedBy;
  if (namedBy === undefined || label.key !== undefined) return label.label;
  return Object.fromEntries(namedBy.map((member) => [member, record.body[member] ?? ""]));
}

/** A letter takes up to four bytes, and file systems allow 255 bytes for a name. */
const MAX_LETTERS = 50;

/** Windows reserves the names of devices, whatever the extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * Folds case, accents and Unicode form, because some disks do not distinguish them.
 * @param otherwise the slug for a name without letters and digits
 */
export function fileSlug(name: string, otherwise: string): string {
  const words = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().normalize("NFC");
  const letters = Array.from(words.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, ""));
  const spare = otherwise.replaceAll(" ", "-");
  const slug = letters.slice(0, MAX_LETTERS).join("").replace(/-$/, "") || spare;
  return DEVICE.test(slug) ? `${slug}-${spare}` : slug;
}

/** Sorts namesakes by content, so that a copy of a stack with other ids gets the same order. */
function namesakeSorter(
  { byKey, byId }: RecordIndex,
  labelOf: (key: RecordKey) => string | undefined,
): (namesakes: readonly StackRecord[]) => readonly StackRecord[] {
  const digests = new Map<RecordKey, string>();

  const nameOf = (key: RecordKey): string => {
    const record = byKey.get(key);
    return record === undefined ? key : `${record.kind}/${plainName(record)}`;
  };
  const describedName = (key: RecordKey): string => {
    const record = byKey.get(key);
    if (record === undefined) return key;
    const digestOf = (): string => sha256(contentOf(record, nameOf));
    return `${nameOf(key)} ${labelOf(key) ?? getOrMake(digests, key, digestOf)}`;
  };
  const contentOf = ({ kind, body }: StackRecord, nameFor: (key: RecordKey) => string): string => {
    const code = toCode(knownKind(kind), body, {
      referenceTo: (space, id, owner) => childReference(space, id, owner, byKey) ?? nameFor(recordKey(space, id)),
      replaceIds: (text) =>
        text.replaceAll(ID_PATTERN, (id) => {
          const key = byId.get(id.toLowerCase());
          return key === undefined ? id : nameFor(key);
        }),
    });
    return JSON.stringify(code);
  };
  return (namesakes) => {
    if (namesakes.length < 2) return namesakes;
    const described = namesakes.map((record) => {
      return { record, texts: [plainName(record), contentOf(record, describedName), record.id] };
    });
    const compare = (left: readonly string[], right: readonly string[]): number =>
      left.map((text, at) => byCodeUnit(text, right[at] ?? "")).find((order) => order !== 0) ?? 0;
    return described.toSorted((left, right) => compare(left.texts, right.texts)).map(({ record }) => record);
  };
}

export interface PresentFile {
  readonly path: string;
  readonly kind: KindName;
  readonly text: string;
  readonly name: string;
  readonly key: string | undefined;
  readonly targetId: string | undefined;
}

export interface MatchedFiles {
  readonly files: ReadonlyMap<RecordKey, PresentFile>;
  readonly gone: readonly PresentFile[];
}

/** Matches by the id in the journal, then by label, then by name, and only where the match is unique. */
export function matchFiles(
  records: readonly StackRecord[],
  present: readonly PresentFile[],
  labels: ReadonlyMap<RecordKey, Label>,
): MatchedFiles {
  const files = new Map<RecordKey, PresentFile>();
  const free = new Set(present);
  const pair = (fileKey: (file: PresentFile) => string, textOf: (record: StackRecord) => string): void => {
    const ofFiles = groupBy(free, fileKey);
    const ofRecords = groupBy(
      records.filter((record) => !files.has(keyOfRecord(record))),
      textOf,
    );
    for (const [key, [record, ...others]] of ofRecords) {
      const [file, ...twins] = ofFiles.get(key) ?? [];
      if (record === undefined || file === undefined || others.length + twins.length > 0) continue;
      files.set(keyOfRecord(record), file);
      free.delete(file);
    }
  };
  pair(
    ({ kind, targetId = "" }) => recordKey(kind, targetId.toLowerCase()),
    ({ kind, id }) => recordKey(kind, id.toLowerCase()),
  );
  pair(
    ({ kind, key, name }) => recordKey(kind, key ?? name),
    (record) => recordKey(record.kind, labels.get(keyOfRecord(record))?.label ?? ""),
  );
  pair(
    ({ kind, name }) => recordKey(kind, name),
    (record) => recordKey(record.kind, plainName(record)),
  );
  return { files, gone: [...free] };
}
