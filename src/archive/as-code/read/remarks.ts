import { groupBy } from "../../../core/collections.ts";
import { pluralize } from "../../../core/text/format.ts";
import { plainName } from "../plain-names.ts";
import { problemAt, quotedName, type ParsedFile } from "./file-problems.ts";
import type { CodeFile, CodeFiles } from "./code-file.ts";

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
