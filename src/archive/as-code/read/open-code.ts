import { visitStrings, type JsonObject } from "../../../core/json.ts";
import { ARCHIVE_FORMAT, ARCHIVE_FORMAT_VERSION, type Manifest, type Redaction } from "../../../core/manifest.ts";
import type { LeftOutRecord } from "../../../core/plan/plan.ts";
import { StackferryError } from "../../../core/errors.ts";
import type { Warning } from "../../../core/outcome.ts";
import { pluralize } from "../../../core/text/format.ts";
import { formatPointer, valueAtTokens } from "../../../core/records/member-path.ts";
import type { ArchiveReader } from "../../../core/ports.ts";
import {
  keyOfRecord,
  recordKey,
  type KindName,
  type RecordKey,
  type StackIdentity,
  type StackRecord,
} from "../../../core/records/record.ts";
import { parseRecord } from "../../../kinds/descriptor-parts.ts";
import { withDisplayNames } from "../../../kinds/nouns.ts";
import { isAlwaysWritten, kinds } from "../../../kinds/registry.ts";
import { createRecordEncoder } from "../../record.ts";
import { contentDigest as digestOfLines, sha256 } from "../../entry.ts";
import { readEntries, schemaProblems, type CodeEntry } from "./entries.ts";
import {
  type CodeFile,
  type FileProblem,
  lastingKey,
  pathOfRecord,
  problemAt,
  problemsError,
  problemText,
  problemTexts,
} from "./code-file.ts";
import { fromCode, toCode, type IdLookup } from "../convert-record.ts";
import { labelRecords, type LabelledRecords, type Label, plainName } from "../write/file-keys.ts";
import { readCodeFiles, refuseUnfinished } from "./read-files.ts";
import type { CodeValues } from "../values.ts";
import { createNameResolver, type TargetRecords, type NameSources } from "./resolve-names.ts";
import { groupBy } from "../../../core/collections.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { PLACEHOLDER_PATTERN } from "../../../core/secrets.ts";

export interface CodeTarget {
  readonly stack: StackIdentity;
  readonly kinds: ReadonlyMap<KindName, TargetRecords>;
}

export interface CodeArchive {
  readonly reader: ArchiveReader;
  /** By kind: id of a file's record → id of the target's record with the same name. */
  readonly paired: Readonly<Record<KindName, Readonly<Record<string, string>>>>;
  /** By record: the key from `lastingKey`. */
  readonly lasting: ReadonlyMap<RecordKey, RecordKey>;
  readonly substitutes: ReadonlySet<string>;
  readonly leftOut: readonly LeftOutRecord[];
}

export interface OpenCodeOptions {
  readonly nameOnTarget?: RenameRecord;
  /** If true, any mistake fails the run, because an unreadable record must not look like a deleted record. */
  readonly isStrict?: boolean;
  readonly values?: CodeValues | undefined;
  /** Called after the target has been read. The result maps a lasting key to the id on the target. */
  readonly findWritten?: () => Promise<(key: RecordKey) => string | undefined>;
}

/** Ids derive from labels, so that each run gives a record the same id. @throws StackferryError `usage`, `config` */
export async function openCode(
  path: string,
  root: string,
  readTarget: () => Promise<CodeTarget>,
  { nameOnTarget, isStrict = false, values = {}, findWritten }: OpenCodeOptions = {},
): Promise<CodeArchive> {
  await refuseUnfinished(path, root);
  const { files, problems: unreadable } = await readCodeFiles(path, root, values);
  if (files.length === 0 && unreadable.length === 0) throw noFiles(path);
  // A run that must fail fails before its first request to the target.
  const misread = [...unreadable, ...files.flatMap(schemaProblems)];
  const isMisplaced = unreadable.some(({ unread }) => unread === undefined);
  if (isMisplaced || areAllBad(files, misread)) throw problemsError(misread);
  const target = await readTarget();
  const targetRecords = [...target.kinds.values()].flatMap(({ records }) => records);
  const { entries, problems: wrong, ambiguous } = readEntries(files, targetRecords);
  if (ambiguous.length > 0) throw problemsError([...misread, ...ambiguous]);
  const labelled = labelRecords(targetRecords);
  const { labels } = labelled;
  const pairs = pairByLabel(entries, target.kinds, labels, nameOnTarget);
  const written = await findWritten?.();
  const renames = renamesOf(entries, targetRecords, (entry) => written?.(lastingKey(entry.file, path)), nameOnTarget);
  const basis = { entries, target: target.kinds, labels, renames, unreadableFiles: unreadable };
  const mistakes = misread.filter((problem) => !isAsOnTarget(problem, entries, targetRecords, labelled));
  const { records, problems } = readableRecords(basis, pairs, [...mistakes, ...wrong]);
  if ((isStrict && problems.length > 0) || areAllBad(files, problems))
    throw problemsError(problems.filter(({ isDependency }) => isDependency !== true));
  const bad = new Set(problems.map(pathOfRecord));
  const used = entries.filter(({ file }) => !bad.has(pathOfRecord(file)));
  const lasting = entries.map((entry) => [recordKey(entry.kind.name, entry.id), lastingKey(entry.file, path)] as const);
  const notes = files.flatMap((file) => file.notes ?? []);
  const leftOutWarnings = notes.map((note): Warning => ({ code: "left-out", message: problemText(note) }));
  const warnings = [...leftOutWarnings, ...nextStep(files)];
  const reader = readerOf(path, calledAfterFiles(records, used), {
    source: target.stack,
    contentDigest: digestOf(used),
    warnings,
  });
  const leftOut = leftOutRecords(problems, entries, pairs);
  const substitutes = new Set(used.flatMap((entry) => entry.substitutes));
  return { reader, paired: pairedIds(used, pairs), lasting: new Map(lasting), substitutes, leftOut };
}

/** A record without a name is called after its file, because its derived id tells people nothing. */
function calledAfterFiles(records: readonly StackRecord[], entries: readonly CodeEntry[]): readonly StackRecord[] {
  const files = new Map(entries.map((entry) => [recordKey(entry.kind.name, entry.id), pathOfRecord(entry.file)]));
  return withDisplayNames(records).map((record) => {
    const file = files.get(keyOfRecord(record));
    const isCalled = record.name.trim() !== "" || record.displayName !== undefined || file === undefined;
    return isCalled ? record : { ...record, displayName: `in ${file}` };
  });
}

function nextStep(files: readonly CodeFile[]): Warning[] {
  const answers = files.filter(({ answeredId }) => answeredId !== undefined);
  if (answers.length === 0) return [];
  const are = answers.length === 1 ? "is an answer" : "are answers";
  const message = `${pluralize(answers.length, "record")} of the files ${are} of the API, with ids: export with --format code writes them as files with names, to edit from then on`;
  return [{ code: "api-answers", message }];
}

function areAllBad(files: readonly CodeFile[], problems: readonly FileProblem[]): boolean {
  const bad = new Set(problems.map(pathOfRecord));
  return bad.size > 0 && files.every((file) => bad.has(pathOfRecord(file)));
}

function pairedIds(entries: readonly CodeEntry[], pairs: ReadonlyMap<string, StackRecord>): CodeArchive["paired"] {
  const paired: Record<KindName, Record<string, string>> = {};
  for (const { kind, id } of entries) {
    const to = pairs.get(id);
    if (to !== undefined) (paired[kind.name] ??= {})[id] = to.id;
  }
  return paired;
}

/** A value that does not fit the schema is no mistake if the target's record has the same value. */
function isAsOnTarget(
  problem: FileProblem,
  entries: readonly CodeEntry[],
  target: readonly StackRecord[],
  { labels, names }: LabelledRecords,
): boolean {
  const { tokens } = problem;
  const entry = tokens && entries.find(({ file }) => pathOfRecord(file) === pathOfRecord(problem));
  if (tokens === undefined || entry === undefined) return false;
  const { file, kind, label } = entry;
  const targetRecord = target.find(
    ({ kind: recordKind, id }) => recordKind === kind.name && labels.get(recordKey(recordKind, id))?.label === label,
  );
  if (targetRecord === undefined) return false;
  const valueIn = (code: JsonObject): string => JSON.stringify(valueAtTokens(code, tokens) ?? null);
  return valueIn(file.code) === valueIn(toCode(kind, targetRecord.body, names));
}

function readableRecords(
  basis: Omit<NameSources, "leftOutIds">,
  pairs: ReadonlyMap<string, StackRecord>,
  fileProblems: readonly FileProblem[],
): { readonly records: readonly StackRecord[]; readonly problems: readonly FileProblem[] } {
  const problems = [...fileProblems];
  for (;;) {
    const bad = new Set(problems.map(pathOfRecord));
    const [badEntries = [], goodEntries = []] = [true, false].map((isBad) =>
      basis.entries.filter(({ file }) => bad.has(pathOfRecord(file)) === isBad),
    );
    const found: FileProblem[] = [];
    const idsFor = createNameResolver({ ...basis, leftOutIds: new Set(badEntries.map(({ id }) => id)) }, found);
    const records = goodEntries.flatMap((entry) => recordOf(entry, idsFor(entry), pairs.get(entry.id), found));
    if (found.length === 0) return { records, problems };
    problems.push(...found);
  }
}

function recordOf(
  { kind, id, code, file }: CodeEntry,
  ids: IdLookup,
  targetRecord: StackRecord | undefined,
  problems: FileProblem[],
): StackRecord[] {
  const { complete = (same: JsonObject) => same } = kind.code;
  const before = problems.length;
  const named = fromCode(kind, code, ids);
  if (problems.length > before) return [];
  const body = withoutAbsent({ ...complete(named, targetRecord?.body), id });
  const parsed = parseRecord(kind, body);
  if (parsed.ok) return [parsed.record];
  problems.push(problemAt(file, [], parsed.problem));
  return [];
}

function withoutAbsent(body: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(body));
}

/** Independent of the target, so that a later run recognises the same files. */
function digestOf(entries: readonly CodeEntry[]): string {
  return digestOfLines(
    entries.map(({ kind, id, code }) => ({ path: `${kind.name}/${id}`, sha256: sha256(JSON.stringify(code)) })),
  );
}

function readerOf(
  path: string,
  records: readonly StackRecord[],
  origin: Pick<Manifest, "source" | "contentDigest" | "warnings">,
): ArchiveReader {
  const encode = createRecordEncoder();
  const encoded = records.map((record) => ({ record, entry: encode(record).entry }));
  const entries = encoded.map(({ entry }) => entry);
  const byPath = new Map(encoded.map(({ record, entry }) => [entry.path, record]));
  const counts = kinds.map(({ name }) => {
    const count = records.filter(({ kind }) => kind === name).length;
    return [name, { status: count > 0 ? "complete" : "not-requested", count }] as const;
  });
  const manifest: Manifest = {
    format: ARCHIVE_FORMAT,
    formatVersion: ARCHIVE_FORMAT_VERSION,
    createdAt: new Date(0).toISOString(),
    createdBy: { name: "stackferry", version: "" },
    ...origin,
    kinds: Object.fromEntries(counts),
    entries,
    redactions: encoded.flatMap(({ record, entry }) => placeholdersIn(entry.path, record)),
  };
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  return {
    summary: { path, formatVersion: ARCHIVE_FORMAT_VERSION, contentDigest: origin.contentDigest, bytes },
    manifest,
    read: async (entry) => {
      const record = byPath.get(entry.path);
      if (record === undefined) throw new StackferryError("archive-damaged", `${entry.path} is not among the files`);
      return record;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function placeholdersIn(path: string, { body }: StackRecord): Redaction[] {
  const found: Redaction[] = [];
  visitStrings(body, (text, tokens) => {
    for (const [, rule = ""] of text.matchAll(PLACEHOLDER_PATTERN))
      found.push({ path, pointer: formatPointer(tokens), rule });
  });
  return found;
}

function noFiles(path: string): StackferryError {
  const hint = "Put .yaml or .json files into folders called dashboards, alerts and so on: docs/dashboards-as-code.md.";
  return new StackferryError("usage", `${path} contains no files of records`, { hint });
}

function leftOutRecords(
  problems: readonly FileProblem[],
  entries: readonly CodeEntry[],
  pairs: ReadonlyMap<string, StackRecord>,
): readonly LeftOutRecord[] {
  const byFile = new Map(entries.map((entry) => [pathOfRecord(entry.file), entry]));
  return [...groupBy(problems, pathOfRecord)].flatMap(([file, ofFile]): LeftOutRecord[] => {
    const mistakes = ofFile.filter(({ isDependency }) => isDependency !== true);
    const code = mistakes.length > 0 ? "bad-file" : "dependency-blocked";
    const message = problemTexts(mistakes.length > 0 ? mistakes : ofFile).join("; ");
    const entry = byFile.get(file);
    const record = entry === undefined ? unreadRecord(file, ofFile) : identityOf(entry, pairs);
    return record === undefined ? [] : [{ ...record, code, message }];
  });
}

type RecordIdentity = Pick<LeftOutRecord, "kind" | "id" | "name" | "targetId">;

function identityOf({ kind, id, label }: CodeEntry, pairs: ReadonlyMap<string, StackRecord>): RecordIdentity {
  const targetRecord = pairs.get(id);
  return { kind: kind.name, id, name: label, ...(targetRecord && { targetId: targetRecord.id }) };
}

function unreadRecord(file: string, [first]: readonly FileProblem[]): RecordIdentity | undefined {
  if (first?.unread === undefined) return undefined;
  const { kind, names } = first.unread;
  return { kind, id: file, name: names[0] ?? file };
}

/** Finds target records that an earlier run wrote, and whose file now contains another name. */
function renamesOf(
  entries: readonly CodeEntry[],
  target: readonly StackRecord[],
  writtenBy: (entry: CodeEntry) => string | undefined,
  nameOnTarget: RenameRecord = (_, name) => name,
): NameSources["renames"] {
  const foldedKey = (kind: KindName, id: string): RecordKey => recordKey(kind, id.toLowerCase());
  const records = new Map(target.map((record) => [foldedKey(record.kind, record.id), record]));
  return new Map(
    entries.flatMap((entry) => {
      const record = records.get(foldedKey(entry.kind.name, writtenBy(entry) ?? ""));
      const isRenamed = record !== undefined && plainName(record) !== nameOnTarget(entry.kind, entry.plain);
      return isRenamed && isAlwaysWritten(record.kind) ? [[keyOfRecord(record), entry] as const] : [];
    }),
  );
}

export type RenameRecord = (kind: ResourceKind, name: string) => string;

/** Pairs only kinds that an import always writes, because names of other kinds prove nothing. */
export function pairByLabel(
  entries: readonly CodeEntry[],
  target: ReadonlyMap<KindName, TargetRecords>,
  labels: ReadonlyMap<RecordKey, Label>,
  renamed: RenameRecord = (_, name) => name,
): ReadonlyMap<string, StackRecord> {
  const pairs = new Map<string, StackRecord>();
  for (const [kind, ofKind] of groupBy(entries, (entry) => entry.kind.name)) {
    const labelOf = (record: StackRecord): string => labels.get(recordKey(kind, record.id))?.label ?? "";
    const targetByName = groupBy(target.get(kind)?.records ?? [], plainName);
    for (const [name, group] of groupBy(ofKind, (entry) => renamed(entry.kind, entry.plain))) {
      const byLabel = new Map((targetByName.get(name) ?? []).map((record) => [labelOf(record), record]));
      const called = group.map(({ label, plain, ...entry }) => ({ ...entry, label: label === plain ? name : label }));
      if (!haveSameLabels(called, byLabel)) continue;
      for (const { id, label } of called) {
        const record = byLabel.get(label);
        if (record !== undefined) pairs.set(id, record);
      }
    }
  }
  return pairs;
}

function haveSameLabels(
  group: readonly Pick<CodeEntry, "kind" | "label" | "code">[],
  byLabel: ReadonlyMap<string, StackRecord>,
): boolean {
  if (group.length !== byLabel.size) return false;
  if (!group.every(({ label, kind }) => byLabel.has(label) && kind.importPolicy.when === "always")) return false;
  if (group.length === 1) return true;
  // Namesakes are numbered by content. A redacted value can change their order, so such namesakes stay unpaired.
  return !group.some(({ code }) => JSON.stringify(code).includes("«redacted:"));
}
