import { basename, relative } from "node:path";
import type { JsonObject } from "../../../core/json.ts";
import { recordKey, type RecordKey } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { pathOfRecord, type FileProblem, type ParsedFile } from "./file-problems.ts";

/** One record of a file, in the form of code files. */
export interface CodeFile extends ParsedFile {
  readonly kind: ResourceKind;
  readonly code: JsonObject;
  /** The text of a file in the form of code files; undefined for other forms, which an export never changes. */
  readonly text?: string;
  /** The record's id on the stack that answered it. */
  readonly answeredId?: string;
  /** Members of the file that are not used. */
  readonly notes?: readonly FileProblem[];
}

/** The records below a path that can be read, and the problems of the others. */
export interface CodeFiles {
  readonly files: readonly CodeFile[];
  readonly problems: readonly FileProblem[];
}

/**
 * Returns the key that identifies a file's record across renames: the file's `key:`, else the file's path.
 * @param path the path of the folder, in the form in which the file's path begins with it
 */
export function lastingKey(file: CodeFile, path: string): RecordKey {
  const { kind, code, answeredId } = file;
  // The place of a record in a list means nothing, and its key follows from its namesakes.
  if (answeredId !== undefined) return recordKey(kind.name, `id:${answeredId}`);
  const below = relative(path, pathOfRecord(file)).replaceAll("\\", "/") || basename(path);
  const { key } = code;
  return recordKey(kind.name, typeof key === "string" ? `key:${key}` : below.replace(/\.[^./]*$/, ""));
}
