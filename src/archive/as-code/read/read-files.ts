import { readFile, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { byCodeUnit } from "../../../core/collections.ts";
import { StackferryError } from "../../../core/errors.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { nameSimilarity } from "../../../core/text/similarity.ts";
import { fileError, systemErrorCode } from "../../../files/errors.ts";
import { findKind, kinds } from "../../../kinds/registry.ts";
import { archiveLimits } from "../../limits.ts";
import { kindOfSchemaComment } from "../schema.ts";
import type { CodeValues } from "../values.ts";
import { type CodeFile, type CodeFiles, type FileProblem, quotedName, unreadOf } from "./code-file.ts";
import { codeOfAnswers } from "./code-of-answers.ts";
import { MAX_LIST_BYTES } from "./parse-file.ts";
import { type AnsweredRecord, readForm } from "./read-form.ts";

const ENDING = /\.(?:ya?ml|json)$/i;

const MAX_DEPTH = 6;

const MISSPELT = 0.7;

/** @param path the path as the user gave it, for messages @param root the resolved path */
export async function readCodeFiles(path: string, root: string, values: CodeValues = {}): Promise<CodeFiles> {
  const files: CodeFile[] = [];
  const problems: FileProblem[] = [];
  const answered: AnsweredRecord[] = [];
  const isFolder = await isDirectory(path, root);
  const found = isFolder ? await filesBelow(root, 0) : [root];
  for (const file of found.toSorted(byCodeUnit)) {
    const shownPath = isFolder ? join(path, relative(root, file)) : path;
    const text = await readText(file);
    const kind = kindOf(file, isFolder ? root : dirname(file), text);
    const read = typeof text === "string" ? readForm(shownPath, text, kind, values) : unreadable(shownPath, kind, text);
    if (read === undefined) problems.push(...unknownKind(shownPath, file, isFolder));
    else {
      files.push(...read.files);
      problems.push(...read.problems);
      answered.push(...read.answered);
    }
  }
  const converted = codeOfAnswers(answered);
  return { files: [...files, ...converted.files], problems: [...problems, ...converted.problems] };
}

function unreadable(file: string, kind: ResourceKind | undefined, { problem: message }: Unreadable) {
  return kind && { files: [], answered: [], problems: [{ file, message, unread: unreadOf(kind) }] };
}

export const UNFINISHED_MARK_FILE = ".stackferry-unfinished";

/** In a half-written folder, missing files would look like removed records. @throws StackferryError `config` */
export async function refuseUnfinished(path: string, root: string): Promise<void> {
  // `root` can be the folder of one kind, with the mark in the folder above.
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

interface Unreadable {
  readonly problem: string;
}

async function readText(path: string): Promise<string | Unreadable> {
  const maxBytes = /\.json$/i.test(path) ? MAX_LIST_BYTES : archiveLimits.maxEntryBytes;
  const bytes = await readOrExplain(path, async () => {
    const { size } = await stat(path);
    return size > maxBytes ? undefined : readFile(path);
  });
  if (bytes === undefined) return { problem: `it is over ${maxBytes} bytes: split it into several files` };
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { problem: "it is not UTF-8" };
  }
}

function kindOf(file: string, root: string, text: string | Unreadable): ResourceKind | undefined {
  const below = relative(root, dirname(file))
    .split(/[/\\]/)
    .filter((part) => part !== "");
  const named = [basename(resolve(root)), ...below]
    .toReversed()
    .map(findKind)
    .find((kind) => kind !== undefined);
  return (typeof text === "string" ? kindOfSchemaComment(text) : undefined) ?? named;
}

/** Reports a file of unknown kind if the user named the file, or if its folder's name looks misspelt. */
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
