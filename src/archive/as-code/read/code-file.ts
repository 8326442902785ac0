import { basename, relative } from "node:path";
import type { JsonObject } from "../../../core/json.ts";
import { recordKey, type RecordKey } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { type FileProblem, type ParsedFile, pathOfRecord, problemAt, quotedName } from "./file-problems.ts";
import { groupBy } from "../../../core/collections.ts";
import { pluralize } from "../../../core/text/format.ts";
import { plainName } from "../plain-names.ts";

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

/** A member of a file that is not written as it stands, and its path in the file. */
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
 * @param form the file in the form that the paths of the remarks belong to
 */
export function withRemarks(file: CodeFile, { leftOut, mistakes }: Remarks, form: ParsedFile = file): CodeFiles {
  const { kind, code } = file;
  const unread = { kind: kind.name, names: [plainName({ kind: kind.name, body: code })] };
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
