import type { JsonObject } from "../../../core/json.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import type { FileProblem, ParsedFile } from "./file-problems.ts";

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
