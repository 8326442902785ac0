import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { listStoredStacks, STORED_FILE, type StoredStack } from "../../backup/archive-names.ts";
import type { ArchiveChoice } from "../../backup/select-backup.ts";
import { STACK_NAME_PATTERN } from "../../config/schema.ts";
import { parsePeriod } from "../../config/time.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Repository } from "../../core/ports.ts";
import { quoteShellWord } from "../../core/text/format.ts";
import { findKind } from "../../kinds/registry.ts";
import { detectInputType } from "../../library/steps/open-files.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import type { Session } from "../program/session.ts";
import { loadSessionConfig } from "./config.ts";

/** `nothing`: no file, folder or stack has this name. */
export type NamedInput =
  | { readonly is: "backup"; readonly reference: BackupReference }
  | { readonly is: "stack" | "archive" | "files" | "repository" | "nothing" };

/** `REPO/STACK`, `REPO/STACK@latest` or `REPO/STACK@TIME`. */
export interface BackupReference {
  readonly repository: string;
  readonly stack: string;
  readonly version: ArchiveChoice;
}

/** A file or folder takes precedence over a stack of that name. */
export async function findNamedInput(argument: string, session: Pick<Session, "io" | "globals">): Promise<NamedInput> {
  const { io } = session;
  const backup = (): NamedInput => ({ is: "backup", reference: parseBackupReference(argument, io.now()) });
  if (isS3Address(argument)) return ARCHIVE.test(argument) ? { is: "archive" } : backup();
  if (/^https?:\/\//i.test(argument)) return { is: "stack" };
  const path = resolve(io.cwd, argument);
  const found = await kindOf(path);
  if (found === "archive") return { is: (await detectInputType(path)) ?? "archive" };
  const { stacks, repositories } = await loadSessionConfig(session);
  const { path: withoutTime } = splitTime(argument);
  if (withoutTime.includes("/")) {
    const isConfigured = repositories.has(splitRepositoryPath(withoutTime).repository);
    if (isConfigured || (await kindOf(resolve(io.cwd, withoutTime))) === "backups") return backup();
  }
  if (found === undefined) return { is: stacks.has(argument) ? "stack" : "nothing" };
  return { is: (await isRepository(path)) ? "repository" : "files" };
}

export async function refuseOtherThanArchive(argument: string, is: NamedInput["is"], { io }: Session): Promise<void> {
  const name = argument.replace(/\/+$/, "");
  const refuse = (what: string, hint: string): never => {
    throw new StackferryError("usage", `${argument} ${what}, and not an archive`, { hint });
  };
  if (is === "stack")
    refuse("is a configured stack", `make an archive: stackferry export --from ${name} --out ${name}.zip`);
  if (is === "repository")
    refuse("is a repository of backups", `name one of them, as ${name}/STACK: \`stackferry list ${name}\` shows them`);
  // Does not refuse a folder without YAML: it may be an archive that has lost its manifest.
  if (is === "files" && (await hasYaml(resolve(io.cwd, argument))))
    refuse("holds files that people edit", `\`stackferry apply ${name} --to STACK\` brings a stack to what they say`);
}

export function parseBackupReference(text: string, now: number): BackupReference {
  const { path, time } = splitTime(text);
  const { repository, name } = splitRepositoryPath(path);
  // A slash at the end does not count: a shell adds it to the name of a folder.
  if (ARCHIVE.test(name) || !STACK_NAME_PATTERN.test(name) || !path.replace(/\/+$/, "").includes("/")) {
    throw new StackferryError("usage", "a backup is named REPO/STACK or REPO/STACK@TIME", {
      hint: "`stackferry list REPO` shows the backups; import, diff, report and verify take the file of an archive",
    });
  }
  if (time === "latest") return { repository, stack: name, version: "latest" };
  const period = parsePeriod(time, now);
  if (period !== undefined) return { repository, stack: name, version: { notAfter: period.end } };
  throw new StackferryError(
    "usage",
    "the time of a backup is written 2026-11-20, 2026-11-20T04:15, -7d or latest (UTC)",
  );
}

const ARCHIVE = /\.(?:zip|age)$/;

/** Tells whether an argument names one backup of a stack: `REPO/STACK@TIME`. */
export function hasTime(argument: string): boolean {
  // Only an `@` after the last slash counts: the name of a folder may have one, too.
  return argument.lastIndexOf("@") > argument.lastIndexOf("/");
}

function splitTime(text: string): { readonly path: string; readonly time: string } {
  if (!hasTime(text)) return { path: text, time: "latest" };
  const at = text.lastIndexOf("@");
  return { path: text.slice(0, at), time: text.slice(at + 1) };
}

/** Splits `s3://bucket/prefix/a.zip` into the repository and `a.zip`. */
export function splitRepositoryPath(path: string): { readonly repository: string; readonly name: string } {
  const trimmed = path.replace(/\/+$/, "");
  const at = trimmed.lastIndexOf("/");
  if (at < 0) return { repository: ".", name: trimmed };
  return { repository: at === 0 ? "/" : trimmed.slice(0, at), name: trimmed.slice(at + 1) };
}

export function createFindCommand(argument: string): (name: string) => string {
  const { repository, name: stack } = splitRepositoryPath(splitTime(argument).path);
  return (name) =>
    `stackferry list ${quoteShellWord(repository)} --stack ${quoteShellWord(stack)} --include ${quoteShellWord(name)}`;
}

/** `archive`: any file, or a folder with a manifest; `backups`: a stack's folder in a repository. */
async function kindOf(path: string): Promise<"archive" | "backups" | "folder" | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return "archive";
  const names = await namesIn(path);
  if (names.includes("manifest.json")) return "archive";
  return names.some((name) => STORED_FILE.test(name)) ? "backups" : "folder";
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((): string[] => []);
}

async function isRepository(folder: string): Promise<boolean> {
  const inside = (await namesIn(folder)).map((name) => kindOf(join(folder, name)));
  return (await Promise.all(inside)).includes("backups");
}

async function hasYaml(path: string): Promise<boolean> {
  const folders = (await namesIn(path)).filter((name) => findKind(name) !== undefined);
  const files = await Promise.all(folders.map((name) => namesIn(join(path, name))));
  return [path, ...files.flat()].some((name) => /\.ya?ml$/i.test(name));
}

/** If stacks are named, reads only their folders, because other folders may be unreadable. */
export async function listBackedUpStacks(
  { repository: reference, stack: named }: { readonly repository: string; readonly stack: readonly string[] },
  repository: Repository,
  { signal }: Pick<Session, "signal">,
): Promise<{ readonly stored: readonly StoredStack[]; readonly stacks: readonly string[] }> {
  const wanted = named.length === 0 ? [undefined] : named;
  const stored = (await Promise.all(wanted.map((stack) => listStoredStacks(repository, stack, signal)))).flat();
  const stacks = stored.flatMap(({ stack, archives }) => (archives.length > 0 ? [stack] : []));
  if (stacks.length === 0) await refuseStackFolder(reference, repository, signal);
  const missing = named.find((name) => !stacks.includes(name));
  if (missing === undefined) return { stored, stacks };
  throw new StackferryError("usage", `${repository.address} has no backup of ${missing}`, {
    hint: `stackferry list ${repository.address} shows the backups`,
  });
}

/** The folder of one stack would look like a repository without backups. */
export async function refuseStackFolder(reference: string, opened: Repository, signal?: AbortSignal): Promise<void> {
  // Lists only names that begin with 2, as years do, because a repository can contain many stacks.
  if (!(await opened.list("2", signal)).some(({ name }) => STORED_FILE.test(name))) return;
  const { repository, name } = splitRepositoryPath(reference);
  throw new StackferryError("usage", `${reference} is the folder of one stack, and not a repository`, {
    hint: `the repository is ${repository}, and the stack in it ${name}`,
  });
}
