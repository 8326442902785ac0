import { basename, relative } from "node:path";
import type { JsonObject } from "../../../core/json.ts";
import { type KindName, recordKey, type RecordKey } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { groupBy } from "../../../core/collections.ts";
import { firstLines, pluralize } from "../../../core/text/format.ts";
import { plainName } from "../write/file-keys.ts";
import { StackferryError } from "../../../core/errors.ts";
import { safeForMessage } from "../../errors.ts";

export interface FileProblem {
  readonly file: string;
  readonly recordPath?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** Set if the record cannot be used. The `names` can be guesses. */
  readonly unread?: UnreadRecord;
  readonly tokens?: readonly string[];
  /** True if the file itself is valid but references a left-out record. */
  readonly isDependency?: boolean;
}

interface UnreadRecord {
  readonly kind: KindName;
  readonly names: readonly string[];
}

export function unreadOf({ name: kind }: ResourceKind, names: readonly string[] = []): UnreadRecord {
  return { kind, names };
}

const MAX_SHOWN = 10;

export function problemsError(problems: readonly FileProblem[]): StackferryError {
  const texts = problemTexts(problems);
  const [only = ""] = texts;
  const hint = "Nothing was written. Correct the file and run the command again.";
  if (texts.length === 1) return new StackferryError("config", only, { hint });
  const message = `${pluralize(texts.length, "mistake")} in the files`;
  return new StackferryError("config", message, { hint, faults: firstLines(texts, MAX_SHOWN, (text) => text) });
}

export function problemText({ file, line, column, message }: FileProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${message}`;
}

/** Omits repeated texts, because two checks can find the same problem. */
export function problemTexts(problems: readonly FileProblem[]): string[] {
  return [...new Set(problems.map(problemText))];
}

export function quotedName(name: string): string {
  return `"${safeForMessage(name)}"`;
}

/** Counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface ParsedFile {
  readonly path: string;
  /** For a record inside an API answer: `path`, `#` and the record's path in the file. */
  readonly recordPath?: string;
  /** Falls back to the nearest member above; undefined if the YAML parser refuses the file. */
  readonly locate: (tokens: readonly string[], start: "key" | "value") => TextPlace | undefined;
}

export function problemAt(
  { path: file, recordPath, locate }: ParsedFile,
  tokens: readonly string[],
  message: string,
  start: "key" | "value" = "value",
): FileProblem {
  return { file, ...(recordPath !== undefined && { recordPath }), ...locate(tokens, start), message };
}

export function pathOfRecord(of: FileProblem | ParsedFile): string {
  return of.recordPath ?? ("path" in of ? of.path : of.file);
}

export interface CodeFile extends ParsedFile {
  readonly kind: ResourceKind;
  readonly code: JsonObject;
  /** Undefined for an API answer and for an export of the web interface. */
  readonly text?: string | undefined;
  readonly answeredId?: string;
  readonly notes?: readonly FileProblem[];
}

export interface CodeFiles {
  readonly files: readonly CodeFile[];
  readonly problems: readonly FileProblem[];
}

/**
 * Identifies a record across renames: by the id in an answer, else by `key:`, else by the path.
 * @param path the folder of the files, or the file itself
 */
export function lastingKey(file: CodeFile, path: string): RecordKey {
  const { kind, code, answeredId } = file;
  // The place and the key of a record can differ in the next API answer.
  if (answeredId !== undefined) return recordKey(kind.name, `id:${answeredId}`);
  const below = relative(path, pathOfRecord(file)).replaceAll("\\", "/") || basename(path);
  const { key } = code;
  return recordKey(kind.name, typeof key === "string" ? `key:${key}` : below.replace(/\.[^./]*$/, ""));
}

export interface Remark {
  readonly tokens: readonly string[];
  readonly message: string;
}

export interface Remarks {
  /** Members that are left out, because the API lacks them. Each `message` is the name of a member. */
  readonly leftOut: Remark[];
  /** Any mistake leaves out the record: for example, a `where` that the API lacks. */
  readonly mistakes: Remark[];
}

/** @param form the file in its original form, to which the paths of the remarks refer */
export function withRemarks(file: CodeFile, { leftOut, mistakes }: Remarks, form: ParsedFile = file): CodeFiles {
  const { kind, code } = file;
  const unread = unreadOf(kind, [plainName({ kind: kind.name, body: code })]);
  const problems = mistakes.map(({ tokens, message }) => ({ ...problemAt(form, tokens, message), unread }));
  if (problems.length > 0) return { files: [], problems };
  const notes = [...groupBy(leftOut, ({ message }) => message).values()].flatMap((group) =>
    group.slice(0, 1).map(({ tokens, message }) => problemAt(form, tokens, notTaken(message, group.length), "key")),
  );
  return { files: [notes.length === 0 ? file : { ...file, notes }], problems };
}

function notTaken(member: string, places: number): string {
  const also = places === 1 ? "" : `, here and in ${pluralize(places - 1, "other place")}`;
  return `${quotedName(member)} is left out, as the API has no such member${also}`;
}
