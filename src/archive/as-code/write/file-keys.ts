import { byCodeUnit, groupBy } from "../../../core/collections.ts";
import type { JsonValue } from "../../../core/json.ts";
import type { KindName, RecordKey, StackRecord } from "../../../core/records/record.ts";
import { recordKey } from "../../../core/records/record.ts";
import type { IdSpace } from "../../../core/resource-kind.ts";
import { nounOf } from "../../../kinds/names.ts";
import { findKind, inKindOrder } from "../../../kinds/registry.ts";
import { withMentions } from "../reference-members.ts";
import { namesakeSorter } from "./order-namesakes.ts";
import { childReference, plainName } from "../plain-names.ts";
import type { Names } from "./to-code.ts";

/** The names of a record in files. */
export interface Label {
  /** Name of the record's file, without the ending. */
  readonly slug: string;
  /** The file's member `key`; undefined if the record's name is unique and not empty. */
  readonly key?: string;
  /** The name that references use: the key, else the name. */
  readonly label: string;
}

/** The labels of one stack's records. */
export interface LabelledRecords {
  readonly labels: ReadonlyMap<RecordKey, Label>;
  readonly names: Names;
}

/** Gives each record a label that is unique within its kind. Equal stacks get equal labels, whatever their ids are. */
export function labelRecords(records: readonly StackRecord[]): LabelledRecords {
  const knownRecords = records.filter(({ kind }) => findKind(kind) !== undefined);
  const bySlug = groupBy(knownRecords, (record) => `${record.kind}/${baseSlug(record)}`);
  const labels = new Map<RecordKey, Label>();
  const sorted = namesakeSorter(knownRecords, (key) => labels.get(key)?.label);
  const taken = new Set(bySlug.keys());
  const ordered = [...bySlug].toSorted(([left], [right]) => byCodeUnit(left, right));
  // Kinds come in the order of references, so that most records have a label before those that reference them.
  for (const [, group] of inKindOrder(ordered, ([, [first]]) => first?.kind ?? "")) {
    for (const [index, record] of sorted(group).entries()) {
      const base = baseSlug(record);
      const slug = index === 0 ? base : freeSlug(record.kind, base, index + 1, taken);
      const plain = plainName(record);
      const needsKey = index > 0 || plain.trim() === "";
      labels.set(recordKey(record.kind, record.id), {
        slug,
        label: needsKey ? slug : plain,
        ...(needsKey && { key: slug }),
      });
    }
  }
  return { labels, names: namesOf(knownRecords, labels) };
}

function baseSlug(record: StackRecord): string {
  return slugOf(plainName(record), nounOf(record.kind));
}

/** Returns the next numbered slug that is free within the kind. */
function freeSlug(kind: KindName, base: string, from: number, taken: Set<string>): string {
  let number = from;
  while (taken.has(`${kind}/${base}-${number}`)) number += 1;
  taken.add(`${kind}/${base}-${number}`);
  return `${base}-${number}`;
}

function namesOf(records: readonly StackRecord[], labels: ReadonlyMap<RecordKey, Label>): Names {
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const byId = new Map(records.map(({ kind, id }) => [id.toLowerCase(), recordKey(kind, id)]));
  return {
    refer: (space, id, owner) => childReference(space, id, owner, byKey) ?? recordReference(space, id, byKey, labels),
    mention: (text) =>
      withMentions(text, (id) => {
        const key = byId.get(id);
        const label = key && labels.get(key);
        return key && label && `${key.split("/")[0]}/${label.label}`;
      }),
  };
}

/** Returns the reference to a record; the bare id if the stack has no record with that id. */
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

/**
 * Maximum length of a slug. A letter takes up to four bytes, and file systems allow 255 bytes for a name with suffix and extension.
 */
const MAX_LETTERS = 50;

/** Windows reserves the names of devices, whatever the extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * Turns a name into a file name: letters and digits in lower case, without accents, words joined by `-`. Names that differ only by
 * case, accents, Unicode form or punctuation get one slug, because not every disk can tell them apart.
 * @param otherwise the slug for a name without letters and digits
 */
export function slugOf(name: string, otherwise: string): string {
  const words = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().normalize("NFC");
  const letters = Array.from(words.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, ""));
  const spare = otherwise.replaceAll(" ", "-");
  const slug = letters.slice(0, MAX_LETTERS).join("").replace(/-$/, "") || spare;
  return DEVICE.test(slug) ? `${slug}-${spare}` : slug;
}
