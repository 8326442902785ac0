import type { Document, LineCounter } from "yaml";
import { StackferryError } from "../../../core/errors.ts";
import type { KindName } from "../../../core/records/record.ts";
import { firstLines, pluralize } from "../../../core/text/format.ts";
import { offsetOfMember } from "../../../core/text/yaml-checks.ts";
import { safeForMessage } from "../../errors.ts";

export interface FileProblem {
  readonly file: string;
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

/** A file whose YAML was parsed, so that a member has a line and a column. */
export interface ParsedFile {
  /** The path as given on the command line, or found below that path. */
  readonly path: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/**
 * Returns a problem of the member at the path. Line and column are those of the member or, if the file lacks the member, of the
 * nearest member above.
 */
export function problemAt(
  { path: file, document, lines }: ParsedFile,
  tokens: readonly string[],
  message: string,
  start: "key" | "value" = "value",
): FileProblem {
  const offset = offsetOfMember(document, tokens, start) ?? document.contents?.range[0] ?? 0;
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col, message };
}
