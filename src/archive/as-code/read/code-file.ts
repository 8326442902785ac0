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
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** For an unreadable file: the kind and the probable names of its record. */
  readonly unread?: UnreadRecord;
  /** The path of a value that does not fit its schema. */
  readonly tokens?: readonly string[];
  /** True if the file itself is valid but references a record whose file is left out. */
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

/** Returns each text once, because two checks can find the same problem. */
export function problemTexts(problems: readonly FileProblem[]): string[] {
  return [...new Set(problems.map(problemText))];
}

export function quotedName(name: string): string {
  return `"${safeForMessage(name)}"`;
}

/** The place of a member in a file's text, counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** A parsed file, or one record of a parsed file. */
export interface ParsedFile {
  /** The path as given on the command line, or found below that path. */
  readonly path: string;
  /** For a record of a list or an envelope: `path`, `#` and the record's path in the file. */
  readonly recordPath?: string;
  /**
   * Returns the place of the member at a path or, if the file lacks the member, of the nearest member above. Returns
   * undefined if the file has too many values for the YAML parser, which knows the places.
   */
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

/** Returns the path that identifies the record of a file or of a problem. */
export function pathOfRecord(of: FileProblem | ParsedFile): string {
  return of.recordPath ?? ("path" in of ? of.path : of.file);
}

/** One record of a file, in the form of code files. */
export interface CodeFile extends ParsedFile {
  readonly kind: ResourceKind;
  readonly code: JsonObject;
  /** The text of a file in the form of code files; undefined for other forms, which an export never changes. */
  readonly text?: string | undefined;
  readonly answeredId?: string;
  readonly notes?: readonly FileProblem[];
}

export interface CodeFiles {
  readonly files: readonly CodeFile[];
  readonly problems: readonly FileProblem[];
}

/**
 * Returns the key that identifies a file's record across renames: the id in an answer, else the file's `key:`, else its path.
 * @param path the path of the folder, with which the file's path begins
 */
export function lastingKey(file: CodeFile, path: string): RecordKey {
  const { kind, code, answeredId } = file;
  // In a response of the API, a record's place means nothing, and its key only distinguishes records of the same name.
  if (answeredId !== undefined) return recordKey(kind.name, `id:${answeredId}`);
  const below = relative(path, pathOfRecord(file)).replaceAll("\\", "/") || basename(path);
  const { key } = code;
  return recordKey(kind.name, typeof key === "string" ? `key:${key}` : below.replace(/\.[^./]*$/, ""));
}

/** A member of a file that cannot be written as it stands. `tokens` is the path of the member in the file. */
export interface Remark {
  readonly tokens: readonly string[];
  readonly message: string;
}

/** The members that the conversion of another form could not take over. */
export interface Remarks {
  /** Names of members that are left out because the API has no counterpart; they change the look of a tile, not its data. */
  readonly leftOut: Remark[];
  /** Members that change the data of a tile, but that the API cannot express. */
  readonly mistakes: Remark[];
}

/**
 * Returns the file with a note for each member that is left out; the problems instead if the file has mistakes.
 * @param form the file in its original form, to which the paths of the remarks refer
 */
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
