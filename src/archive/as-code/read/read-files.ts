import { readFile, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { LineCounter, parseDocument } from "yaml";
import { byCodeUnit, groupBy } from "../../../core/collections.ts";
import { StackferryError } from "../../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../../core/json.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { pluralize } from "../../../core/text/format.ts";
import { describeJsonFlaw } from "../../../core/text/json-scan.ts";
import { mayHoldMoreValues, offsetOfRepeatedKey } from "../../../core/text/yaml-checks.ts";
import { nameSimilarity } from "../../../core/text/similarity.ts";
import { fileError, systemErrorCode } from "../../../files/errors.ts";
import { dashboards } from "../../../kinds/dashboards.ts";
import { findKind, kinds } from "../../../kinds/registry.ts";
import { decodeJson } from "../../record.ts";
import { archiveLimits } from "../../limits.ts";
import { fromExportedDashboard, isExportedDashboard, mayBeExportedDashboard } from "./exported-dashboard.ts";
import { problemAt, quotedName, type FileProblem, type ParsedFile } from "./file-problems.ts";
import { kindOfSchemaComment } from "../schema.ts";
import { fillValues, type CodeValues } from "../values.ts";

/** The file of one record, written by a person or by an export. */
export interface CodeFile extends ParsedFile {
  readonly kind: ResourceKind;
  readonly code: JsonObject;
  readonly text: string;
  /** Members of the file that are not used. Set only for a file that the web interface exported. */
  readonly notes?: readonly FileProblem[];
}

/** The files below a path that can be read, and the problems of the files that cannot. */
export interface CodeFiles {
  readonly files: readonly CodeFile[];
  readonly problems: readonly FileProblem[];
}

const ENDING = /\.(?:ya?ml|json)$/i;

/** Maximum depth of the folders that are read; several services can have folders of their own. Deeper folders are ignored. */
const MAX_DEPTH = 6;

/** A folder whose name is at least this similar to a kind counts as misspelt. */
const MISSPELT = 0.7;

/**
 * Reads one file, or all files of records below a folder, in the order of their paths.
 * @param path as the user gave it, for messages; `root` is the resolved path
 * @param values values of the placeholders in the files
 */
export async function readCodeFiles(path: string, root: string, values: CodeValues = {}): Promise<CodeFiles> {
  const files: CodeFile[] = [];
  const problems: FileProblem[] = [];
  const isFolder = await isDirectory(path, root);
  const found = isFolder ? await filesBelow(root, 0) : [root];
  for (const file of found.toSorted(byCodeUnit)) {
    const shownPath = isFolder ? join(path, relative(root, file)) : path;
    const text = await readText(file);
    const kind = kindOf(file, isFolder ? root : dirname(file), text);
    const exported =
      typeof text === "string" && mayBeExportedDashboard(text) ? readExported(shownPath, text, values) : undefined;
    if (exported !== undefined) {
      problems.push(...exported.problems);
      files.push(...exported.files);
    } else if (kind === undefined) problems.push(...unknownKind(shownPath, file, isFolder));
    else if (typeof text !== "string") {
      problems.push({ file: shownPath, message: text.problem, unread: { kind: kind.name, names: [] } });
    } else {
      const parsed = parseFile(shownPath, text, values);
      if ("hasNoValue" in parsed) problems.push(parsed.hasNoValue);
      else if ("message" in parsed)
        problems.push({ ...parsed, unread: { kind: kind.name, names: seemingNames(text) } });
      else files.push({ ...parsed, kind });
    }
  }
  return { files, problems };
}

/** The file that an export keeps in a folder while it writes there. */
export const UNFINISHED_MARK_FILE = ".stackferry-unfinished";

/**
 * Refuses a folder that an export did not finish: its missing files would look like records that somebody has removed.
 * @throws StackferryError `config`
 */
export async function refuseUnfinished(path: string, root: string): Promise<void> {
  // The path may be the folder of one kind.
  for (const folder of [root, dirname(root)]) {
    const mark = await stat(join(folder, UNFINISHED_MARK_FILE)).catch(() => undefined);
    if (mark === undefined) continue;
    const where = folder === root ? path : folder;
    throw new StackferryError("config", `${where} is half-written: an export into it did not finish`, {
      hint: `run that export again; if the files are right as they are, delete ${join(where, UNFINISHED_MARK_FILE)}`,
    });
  }
}

async function isDirectory(path: string, root: string): Promise<boolean> {
  try {
    return (await stat(root)).isDirectory();
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw fileError("read", root, error);
    throw new StackferryError("usage", `there is no file or folder at ${path}`, {
      cause: error,
      hint: "check the path",
    });
  }
}

async function filesBelow(folder: string, depth: number): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readOrExplain(folder, () => readdir(folder))) {
    if (name.startsWith(".") || name === "node_modules") continue;
    const path = join(folder, name);
    // Links are followed, because a ConfigMap is mounted as links.
    const stats = await readOrExplain(path, () => stat(path));
    if (stats.isFile() && ENDING.test(name)) found.push(path);
    else if (stats.isDirectory() && depth < MAX_DEPTH) found.push(...(await filesBelow(path, depth + 1)));
  }
  return found;
}

async function readOrExplain<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw fileError("read", path, error);
  }
}

async function readText(path: string): Promise<string | { readonly problem: string }> {
  const bytes = await readOrExplain(path, async () => {
    const { size } = await stat(path);
    return size > archiveLimits.maxEntryBytes ? undefined : readFile(path);
  });
  if (bytes === undefined) return { problem: `it is over ${archiveLimits.maxEntryBytes} bytes` };
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { problem: "it is not UTF-8" };
  }
}

/** Returns the kind that a file's first line names, else the kind of the nearest folder that is named after a kind. */
function kindOf(file: string, root: string, text: string | { readonly problem: string }): ResourceKind | undefined {
  const below = relative(root, dirname(file))
    .split(/[/\\]/)
    .filter((part) => part !== "");
  const named = [basename(resolve(root)), ...below]
    .toReversed()
    .map(findKind)
    .find((kind) => kind !== undefined);
  return (typeof text === "string" ? kindOfSchemaComment(text) : undefined) ?? named;
}

/**
 * Reports a file of unknown kind if the user named it or if its folder's name looks like a misspelt kind. Ignores any other such
 * file, because folders may contain files that are no records.
 */
function unknownKind(shownPath: string, file: string, isFolder: boolean): FileProblem[] {
  const folder = basename(dirname(file));
  const [closest] = kinds
    .map(({ name }) => ({ name, alike: nameSimilarity(folder, name) }))
    .toSorted((left, right) => right.alike - left.alike);
  const hint = closest !== undefined && closest.alike >= MISSPELT ? `: did you mean ${closest.name}?` : "";
  if (isFolder && hint === "") return [];
  const what = `the folder ${quotedName(folder)} is not named after a kind of record${hint}`;
  const names = kinds.map(({ name }) => name).join(", ");
  return [
    {
      file: shownPath,
      message: hint === "" ? `${what} (${names}), and its first line does not name the schema of a kind` : what,
    },
  ];
}

/**
 * A file with a placeholder that has no value. The mistake is not in the file but in the run, which lacks the value and is refused.
 */
interface NoValue {
  readonly hasNoValue: FileProblem;
  /** The file's content with its placeholders. */
  readonly unfilled: unknown;
}

function parseFile(path: string, text: string, values: CodeValues): Omit<CodeFile, "kind"> | FileProblem | NoValue {
  const lines = new LineCounter();
  const problemAtOffset = (offset: number, message: string): FileProblem => {
    const { line, col } = lines.linePos(offset);
    return { file: path, line, column: col, message };
  };
  if (mayHoldMoreValues(text, archiveLimits.maxValues))
    return { file: path, message: `it ${describeJsonFlaw("values", archiveLimits)}` };
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      version: "1.2",
      merge: true,
      // The parser's own check compares each key with all others. `offsetOfRepeatedKey` does it faster.
      uniqueKeys: false,
    });
    const [error] = document.errors;
    if (error !== undefined)
      return problemAtOffset(error.pos[0], `it is not valid YAML (${error.message.split("\n")[0]})`);
    const repeated = offsetOfRepeatedKey(document);
    if (repeated !== undefined) return problemAtOffset(repeated, "it is not valid YAML (the same key twice)");
    const [missing] = fillValues(document, values).problems;
    if (missing !== undefined) {
      const hasNoValue = problemAtOffset(missing.offset, missing.message);
      return { hasNoValue, unfilled: document.toJS({ maxAliasCount: 100 }) };
    }
    // The check below refuses a value that JSON cannot express: such a value could not be sent to a stack.
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    const decoded = decodeJson(Buffer.from(JSON.stringify(value ?? null, refuseInfinite)), archiveLimits);
    if (!decoded.ok) return { file: path, message: `it ${decoded.problem}` };
    if (!isJsonObject(decoded.value)) return { file: path, line: 1, column: 1, message: "it holds no members" };
    return { path, document, lines, code: decoded.value, text };
  } catch {
    const message = "it cannot be read: it nests too deep, has bad aliases, or a number that JSON lacks (.inf, .nan)";
    return { file: path, message };
  }
}

/** Guesses the names of the record in an unparsable file, so that references to the record are not reported as mistakes. */
function seemingNames(text: string): readonly string[] {
  return [...text.matchAll(/^\s{0,2}["']?(?:name|key)["']?:\s*["']?(.*?)["']?,?\s*$/gm)].map(([, name = ""]) => name);
}

/** Reads a dashboard that the web interface has exported, in any folder. Undefined for any other file. */
function readExported(path: string, text: string, values: CodeValues): CodeFiles | undefined {
  const parsed = kindOfSchemaComment(text) === undefined ? parseFile(path, text, values) : undefined;
  if (parsed === undefined || "message" in parsed) return undefined;
  if ("hasNoValue" in parsed)
    return isExportedDashboard(parsed.unfilled) ? { files: [], problems: [parsed.hasNoValue] } : undefined;
  if (!isExportedDashboard(parsed.code)) return undefined;
  const { code: exported } = parsed;
  const { code, leftOut, mistakes } = fromExportedDashboard(exported);
  const notes = [...groupBy(leftOut, ({ message }) => message).values()].flatMap((group) =>
    group.slice(0, 1).map(({ tokens, message }) => problemAt(parsed, tokens, notTaken(message, group.length), "key")),
  );
  const name = exported["name"];
  const unread = { kind: dashboards.name, names: typeof name === "string" ? [name] : [] };
  const problems = mistakes.map(({ tokens, message }) => ({ ...problemAt(parsed, tokens, message), unread }));
  return { files: problems.length > 0 ? [] : [{ ...parsed, kind: dashboards, code, notes }], problems };
}

function notTaken(member: string, places: number): string {
  const also = places === 1 ? "" : `, here and in ${pluralize(places - 1, "other place")}`;
  return `${quotedName(member)} is left out, as the API has no such member${also}`;
}

function refuseInfinite(_: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("not a number of JSON");
  return value;
}
