import { objectsIn } from "../core/json.ts";
import type { RecordReader } from "../core/ports.ts";
import type { StackRecord } from "../core/records/record.ts";
import { findKind } from "../kinds/registry.ts";
import type { Redactor } from "./redactor.ts";

// An archive can be forged or older than a redaction rule, so names and records are redacted again.

export async function redactName(
  { kind, name }: Pick<StackRecord, "kind" | "name">,
  redact: Redactor,
): Promise<string> {
  const descriptor = findKind(kind);
  if (descriptor === undefined || name === "") return name;
  const { body, redactions } = await redact(descriptor, {
    [descriptor.nameFields.name ?? "name"]: name,
  });
  return redactions.length === 0 ? name : descriptor.nameOf(body);
}

export async function redactRecord(record: StackRecord, redact: Redactor): Promise<StackRecord> {
  const kind = findKind(record.kind);
  if (kind === undefined) return record;
  const { body } = await redact(kind, record.body);
  return { ...record, name: kind.nameOf(body), body };
}

export async function createNameRedactor(
  named: Iterable<Pick<StackRecord, "kind" | "name"> & Partial<StackRecord>>,
  redact: Redactor,
): Promise<(text: string) => string> {
  const redactedNames = new Map<string, string>();
  for (const { kind, name, body = {} } of named) {
    const children = (findKind(kind)?.children ?? []).flatMap(({ member, nameOf }) =>
      objectsIn(body[member]).map(nameOf),
    );
    for (const each of [name, ...children])
      if (!redactedNames.has(each)) redactedNames.set(each, await redactName({ kind, name: each }, redact));
  }
  const changed = [...redactedNames].filter(([name, redacted]) => name !== redacted);
  const longestFirst = changed.toSorted(([left], [right]) => right.length - left.length);
  return (text) => longestFirst.reduce((shown, [name, redacted]) => shown.replaceAll(name, () => redacted), text);
}

const TEXTS: readonly string[] = [
  "name",
  "displayName",
  "targetName",
  "fromName",
  "toName",
  "label",
  "message",
  "change",
];

export function redactDisplayTexts<Part extends object>(part: Part, redact: (text: string) => string): Part {
  const texts = Object.entries(part).flatMap(([member, value]) =>
    TEXTS.includes(member) && typeof value === "string" ? [[member, redact(value)]] : [],
  );
  return { ...part, ...Object.fromEntries(texts) };
}

export async function createRedactedReader(archive: RecordReader, redact: Redactor): Promise<RecordReader> {
  const { manifest } = archive;
  const redactText = await createNameRedactor(manifest.entries, redact);
  const entries = new Map(manifest.entries.map((entry) => [{ ...entry, name: redactText(entry.name) }, entry]));
  const warnings = manifest.warnings.map((warning) => redactDisplayTexts(warning, redactText));
  return {
    manifest: { ...manifest, entries: [...entries.keys()], warnings },
    read: async (entry) => redactRecord(await archive.read(entries.get(entry) ?? entry), redact),
  };
}
