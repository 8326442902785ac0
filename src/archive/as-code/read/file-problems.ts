import { StackferryError } from "../../../core/errors.ts";
import type { KindName } from "../../../core/records/record.ts";
import { firstLines, pluralize } from "../../../core/text/format.ts";
import { safeForMessage } from "../../errors.ts";

export interface FileProblem {
  readonly file: string;
  /** The record's own path, if the file holds several records. */
  readonly recordPath?: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** For an unreadable file: the kind and the probable names of its record. */
  readonly unread?: { readonly kind: KindName; readonly names: readonly string[] };
  /** The place of a value that does not fit its schema. */
  readonly tokens?: readonly string[];
  /** True if the file itself is valid but references a record whose file is left out. */
  readonly isDependency?: boolean;
}

/** Maximum number of mistakes in one error; a longer list would not help. */
const MAX_SHOWN = 10;

/** Returns the error that names each mistake by file, line and column. */
export function problemsError(problems: readonly FileProblem[]): StackferryError {
  const texts = problemTexts(problems);
  const [only = ""] = texts;
  const hint = "Nothing was written. Correct the file and run the command again.";
  if (texts.length === 1) return new StackferryError("config", only, { hint });
  const message = `${pluralize(texts.length, "mistake")} in the files`;
  return new StackferryError("config", message, { hint, faults: firstLines(texts, MAX_SHOWN, (text) => text) });
}

/** Returns `file:line:column: message`. */
export function problemText({ file, line, column, message }: FileProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${message}`;
}

/** Returns the text of each problem once: two checks can find the same one. */
export function problemTexts(problems: readonly FileProblem[]): string[] {
  return [...new Set(problems.map(problemText))];
}

/** Quotes a file's text safely for a message. */
export function quotedName(name: string): string {
  return `"${safeForMessage(name)}"`;
}

/** The place of a member in a file's text, counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** A file that was parsed, so that its members have places. */
export interface ParsedFile {
  /** The path as given on the command line, or found below that path. */
  readonly path: string;
  /** The record's own path, if the file holds several records. */
  readonly recordPath?: string;
  /**
   * Returns the place of the member at a path or, if the file lacks the member, of the nearest member above. Undefined if the file is
   * too large for that.
   */
  readonly locate: (tokens: readonly string[], start: "key" | "value") => TextPlace | undefined;
}

/** Returns a problem of the member at the path. */
export function problemAt(
  { path: file, recordPath, locate }: ParsedFile,
  tokens: readonly string[],
  message: string,
  start: "key" | "value" = "value",
): FileProblem {
  return { file, ...(recordPath !== undefined && { recordPath }), ...locate(tokens, start), message };
}

/** Returns the path that identifies the record of a file, or the record that a problem is about. */
export function pathOfRecord(of: FileProblem | ParsedFile): string {
  return of.recordPath ?? ("path" in of ? of.path : of.file);
}
