import { readFile, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { z } from "zod";
import { StackferryError } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import {
  ARCHIVE_FORMAT_VERSION,
  hasEveryRecord,
  type KindSummary,
  type ManifestHeader,
} from "../../../core/manifest.ts";
import type { ArchiveSummary, ArchiveWriter, EncodedRecord } from "../../../core/ports.ts";
import type { Warning } from "../../../core/outcome.ts";
import { formatPointer } from "../../../core/records/member-path.ts";
import { firstLines, MAX_NAMED, pluralize } from "../../../core/text/format.ts";
import { keyOfRecord, type KindName, type RecordKey, type StackRecord } from "../../../core/records/record.ts";
import { issueText } from "../../../core/schemas.ts";
import { makePrivateFolder, writeAtomically } from "../../../files/atomic-write.ts";
import { fileError, systemErrorCode } from "../../../files/errors.ts";
import { nameOfRecord, pluralOf } from "../../../kinds/nouns.ts";
import { findKind, isAlwaysWritten } from "../../../kinds/registry.ts";
import { createRecordEncoder } from "../../record.ts";
import { contentDigest, sha256 } from "../../entry.ts";
import { lastingKey, problemsError } from "../read/code-file.ts";
import { type Label, labelRecords, matchFiles, plainName, type PresentFile } from "./file-keys.ts";
import { readCodeFiles, UNFINISHED_MARK_FILE } from "../read/read-files.ts";
import { codeSchema } from "../schema.ts";
import { codeOfRecord } from "../code-of-record.ts";
import { codeFileText, updateCodeFileText } from "./yaml-text.ts";
import type { CodeValues } from "../values.ts";

export interface CodeWriterOptions {
  readonly path: string;
  /** Selects the records to write. The files of other records do not count as gone. */
  readonly isWanted: (record: StackRecord) => boolean;
  readonly isKindWanted: (kind: KindName) => boolean;
  readonly mirror: boolean;
  readonly warn: (warning: Warning) => void;
  /** A placeholder stays in its file if the stack has the same value. */
  readonly values?: CodeValues;
  readonly findWritten?: (key: RecordKey) => string | undefined;
  /** Called before anything is written. An error ends the export. */
  readonly check: (records: readonly StackRecord[], kinds: ManifestHeader["kinds"]) => void | Promise<void>;
  /** Has no effect once the first file is written. */
  readonly signal: AbortSignal | undefined;
}

interface PlannedFile {
  readonly record: StackRecord;
  readonly path: string;
  readonly text: string;
  readonly replaced: readonly string[];
  readonly issues: readonly z.core.$ZodIssue[];
}

export function createCodeWriter(options: CodeWriterOptions): ArchiveWriter {
  const encode = createRecordEncoder();
  const records: StackRecord[] = [];
  return {
    add: (input) => {
      const { entry, bytes }: EncodedRecord = "body" in input ? encode(input) : input;
      const body: JsonObject = JSON.parse(Buffer.from(bytes).toString("utf8"));
      records.push({ kind: entry.kind, id: entry.id, name: entry.name, body });
      return Promise.resolve(entry);
    },
    finish: (header) => finish(options, records, header),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function finish(
  options: CodeWriterOptions,
  records: readonly StackRecord[],
  header: ManifestHeader,
): Promise<ArchiveSummary> {
  const { kinds } = header;
  const { path, isWanted, isKindWanted, mirror, warn, check } = options;
  const wantedRecords = records.filter(isWanted);
  await check(wantedRecords, kinds);
  const found = await presentFiles(options);
  const { plannedFiles, gone, unnamed } = await planFiles(wantedRecords, records, found, header, options);
  const texts = new Map(found.present.map((file) => [file.path, file.text]));
  const changed = plannedFiles.filter((file) => texts.get(file.path) !== file.text);
  // Only a list of every record proves that a record is gone.
  const isRead = (kind: KindName): boolean => isKindWanted(kind) && hasEveryRecord(kinds[kind]);
  const goneFiles = gone.filter(({ kind }) => isRead(kind));
  const added = changed.filter((file) => !texts.has(file.path));
  if (!mirror) refusePossibleRenames(added, goneFiles);
  for (const warning of [...plannedFiles.flatMap(otherValues), ...plannedFiles.flatMap(unknownForms)]) warn(warning);
  const removed = mirror ? goneFiles.map((file) => file.path) : [];
  const isListed = (kind: KindSummary): boolean => kind.status.startsWith("not-") || hasEveryRecord(kind);
  const isWhole = wantedRecords.length === records.length && Object.values(kinds).every(isListed);
  await whileMarked(path, [...changed.map((file) => file.path), ...removed], async (unfinished) => {
    await writeFiles(path, changed);
    for (const file of removed) await rm(join(path, file), { force: true });
    const writtenPaths = new Set(plannedFiles.map((file) => file.path));
    return isWhole ? [] : unfinished.filter((file) => !writtenPaths.has(file));
  });
  if (goneFiles.length > 0) warn(goneWarning(goneFiles, mirror));
  if (unnamed.length > 0) warn(unnamedWarning(unnamed));
  const pathsOf = (files: readonly PlannedFile[]): string[] => files.map((file) => file.path);
  const files = { added: pathsOf(added), changed: pathsOf(changed.filter((file) => texts.has(file.path))) };
  const unchanged = plannedFiles.length - changed.length;
  return { ...summaryOf(path, plannedFiles), files: { ...files, unchanged } };
}

/** Without a journal entry, a renamed record would get a second file, and `apply` would create a second record. */
function refusePossibleRenames(added: readonly PlannedFile[], gone: readonly PresentFile[]): void {
  const unknown = gone.filter(({ kind, targetId }) => targetId === undefined && isAlwaysWritten(kind));
  const files = unknown.filter(({ kind }) => added.some(({ record }) => record.kind === kind));
  const records = added.filter(({ record }) => files.some(({ kind }) => kind === record.kind));
  if (files.length === 0) return;
  const message = `nobody can say whether a record was renamed: ${pluralize(files.length, "file")} of the folder, and ${pluralize(records.length, "record")} of the stack, have no counterpart`;
  const faults = [
    ...firstLines(files, MAX_NAMED, ({ path }) => `${path} has no record`),
    ...firstLines(records, MAX_NAMED, ({ record }) => `${nameOfRecord(record)} has no file`),
  ];
  const hint =
    "Nothing was written. Write the new name of a renamed record into its file. Apply the file of a new record first. Delete the file of a record that is gone, or let --mirror delete all these files.";
  throw new StackferryError("usage", message, { hint, faults });
}

function otherValues({ path, replaced }: PlannedFile): Warning[] {
  return replaced.map((placeholder) => {
    const message = `${path} now has a plain value in place of ${placeholder}, because the stack has another value there`;
    return { code: "other-value", message };
  });
}

function unknownForms({ path, issues }: PlannedFile): Warning[] {
  return issues.map((issue) => {
    const pointer = formatPointer(issue.path.map(String));
    const message = `${path} has the record as the stack returns it, but it does not fit the schema at ${pointer} (${issueText(issue)})`;
    return { code: "unknown-form", message, pointer };
  });
}

function goneWarning(files: readonly PresentFile[], removed: boolean): Warning {
  const firstPaths = files.slice(0, MAX_NAMED).map((file) => file.path);
  const which = `${firstPaths.join(", ")}${files.length > MAX_NAMED ? " …" : ""}`;
  const message = removed
    ? `removed ${pluralize(files.length, "file")} of records that the stack no longer has: ${which}`
    : `left ${pluralize(files.length, "file")} of records that the stack does not have: ${which}; --mirror removes them`;
  return { code: removed ? "files-removed" : "files-left", message };
}

function unnamedWarning(kinds: readonly KindName[]): Warning {
  const message = `the files refer to ${kinds.map(pluralOf).join(", ")} by id, because \`kinds\` of the stack leaves these out: no other stack can use them`;
  return { code: "left-out", message };
}

/** `planFiles` pauses after this many records, so that signals are handled. */
const BETWEEN_PAUSES = 20;

async function planFiles(
  wantedRecords: readonly StackRecord[],
  records: readonly StackRecord[],
  { present, taken: found }: FoundFiles,
  { kinds, source: { variant } }: ManifestHeader,
  { values = {}, signal }: Pick<CodeWriterOptions, "values" | "signal">,
): Promise<{
  readonly plannedFiles: readonly PlannedFile[];
  readonly gone: readonly PresentFile[];
  readonly unnamed: readonly KindName[];
}> {
  const { files, gone } = matchFiles(records, present, labelRecords(records).labels);
  const keys = [...files].flatMap(([of, { key }]) => (key === undefined ? [] : [[of, key] as const]));
  const { labels, names } = labelRecords(records, new Map(keys));
  const unnamed = new Set<KindName>();
  const referenceTo: typeof names.referenceTo = (space, ...rest) => {
    if (kinds[space]?.status === "not-requested") unnamed.add(space);
    return names.referenceTo(space, ...rest);
  };
  const taken = new Set(found);
  const plannedFiles: PlannedFile[] = [];
  for (const [index, record] of wantedRecords.entries()) {
    if (index % BETWEEN_PAUSES === 0) await setImmediate();
    if (signal?.aborted) throw new StackferryError("interrupted", "the export was interrupted: nothing was written");
    const kind = findKind(record.kind);
    const label = labels.get(keyOfRecord(record));
    if (kind === undefined || label === undefined) continue;
    const code = codeOfRecord(kind, record.body, label, { ...names, referenceTo }, variant);
    const file = files.get(keyOfRecord(record));
    const path = file?.path ?? freePath(record.kind, label, taken);
    taken.add(path);
    const { issues = [] } = codeSchema(kind.name).safeParse(code).error ?? {};
    const updated =
      file === undefined
        ? { text: codeFileText(kind, code), replaced: [] }
        : updateCodeFileText(kind, code, file.text, values);
    plannedFiles.push({ record, path, ...updated, issues });
  }
  return { plannedFiles, gone, unnamed: [...unnamed] };
}

interface FoundFiles {
  readonly present: readonly PresentFile[];
  /** Also the paths of saved answers and of exports of the web interface, which no export changes. */
  readonly taken: readonly string[];
}

/** @throws StackferryError `config` for an unreadable file: overwriting the file would lose somebody's work */
async function presentFiles({
  path,
  values = {},
  findWritten = () => undefined,
}: Pick<CodeWriterOptions, "path" | "values" | "findWritten">): Promise<FoundFiles> {
  const root = resolve(path);
  if (!(await isFolder(root))) return { present: [], taken: [] };
  const { files, problems } = await readCodeFiles("", root, values);
  if (problems.length > 0) throw problemsError(problems.map((each) => ({ ...each, file: join(path, each.file) })));
  const present = files.flatMap((file): PresentFile[] => {
    const { kind, code, text } = file;
    if (text === undefined) return [];
    const { key } = code;
    const name = plainName({ kind: kind.name, body: code });
    const known = { name, key: typeof key === "string" ? key : undefined, targetId: findWritten(lastingKey(file, "")) };
    return [{ path: file.path, kind: kind.name, text, ...known }];
  });
  return { present, taken: files.map((file) => file.path) };
}

async function isFolder(root: string): Promise<boolean> {
  try {
    if ((await stat(root)).isDirectory()) return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw fileError("read", root, error);
  }
  const hint = "choose a new folder, or one that an export in this form has written";
  throw new StackferryError("usage", `${root} is a file; the format code writes a folder`, { hint });
}

function freePath(kind: KindName, { slug }: Label, taken: ReadonlySet<string>): string {
  let path = `${kind}/${slug}.yaml`;
  for (let number = 2; taken.has(path); number += 1) path = `${kind}/${slug}.${number}.yaml`;
  return path;
}

/**
 * The mark survives an interruption. `apply` refuses a marked folder, because missing files would look removed.
 * @param change gets the files of an earlier, interrupted export; returns the files still missing
 */
async function whileMarked(
  path: string,
  files: readonly string[],
  change: (unfinished: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const mark = join(path, UNFINISHED_MARK_FILE);
  try {
    await makePrivateFolder(path);
    const text = await readFile(mark, "utf8").catch(() => "");
    const unfinished = text.split("\n").filter((line) => line !== "");
    if (files.length === 0 && unfinished.length === 0) return;
    await writeAtomically(mark, listText([...new Set([...unfinished, ...files])]));
    const unwritten = await change(unfinished);
    // `force`, because another export into this folder may have removed the mark.
    if (unwritten.length === 0) await rm(mark, { force: true });
    else await writeAtomically(mark, listText(unwritten));
  } catch (error) {
    throw fileError("write", path, error);
  }
}

function listText(files: readonly string[]): string {
  return files.map((file) => `${file}\n`).join("");
}

async function writeFiles(path: string, files: readonly PlannedFile[]): Promise<void> {
  for (const file of files) {
    await makePrivateFolder(join(path, dirname(file.path)));
    await writeAtomically(join(path, file.path), file.text);
  }
}

function summaryOf(path: string, files: readonly PlannedFile[]): ArchiveSummary {
  const lines = files.map(({ path: file, text }) => {
    const bytes = Buffer.from(text, "utf8");
    return { path: file, sha256: sha256(bytes), bytes: bytes.length };
  });
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0);
  return { path, formatVersion: ARCHIVE_FORMAT_VERSION, contentDigest: contentDigest(lines), bytes };
}
