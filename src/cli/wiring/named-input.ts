import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { STORED_FILE } from "../../backup/archive-names.ts";
import type { ArchiveChoice } from "../../backup/select-backup.ts";
import { resolveRepositorySettings, type RepositorySources } from "../../config/repositories.ts";
import { STACK_NAME_PATTERN } from "../../config/schema.ts";
import { quoteShellWord } from "../../core/text/format.ts";
import { parseBackupTime } from "../../config/time.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Repository } from "../../core/ports.ts";
import { findKind } from "../../kinds/registry.ts";
import { detectInputType } from "../../library/steps/open-files.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import type { Session } from "../program/session.ts";
import { loadSessionConfig } from "./config.ts";

/** Splits the path of a file in a repository: `s3://bucket/prefix/a.zip` → the repository, and `a.zip`. */
export function splitRepositoryPath(path: string): { readonly repository: string; readonly name: string } {
  const trimmed = path.replace(/\/+$/, "");
  const at = trimmed.lastIndexOf("/");
  if (at < 0) return { repository: ".", name: trimmed };
  return { repository: at === 0 ? "/" : trimmed.slice(0, at), name: trimmed.slice(at + 1) };
}

/** A backup in a repository: `REPO/STACK`, `REPO/STACK@latest` or `REPO/STACK@TIME`. */
export interface BackupReference {
  readonly repository: string;
  readonly stack: string;
  readonly version: ArchiveChoice;
}

const BACKUP_TIMES =
  "the time of a backup is written 2026-11-20, 2026-11-20T04:15, yesterday, -7d, before:2026-11-20 or latest (UTC)";

export function parseBackupReference(text: string, now: number): BackupReference {
  const { path, time } = splitTime(text);
  const { repository, name } = splitRepositoryPath(path);
  if (ONE_BACKUP.test(name)) {
    const hint = `write ${repository}@${timeOfFile(name)}; import, diff, report and verify take the file`;
    const message = `${text} is the file of one backup, and this needs REPO/STACK or REPO/STACK@TIME`;
    throw new StackferryError("usage", message, { hint });
  }
  // A shell completes the name of a folder with a slash, so slashes at the end are ignored.
  if (!STACK_NAME_PATTERN.test(name) || !path.replace(/\/+$/, "").includes("/")) {
    throw new StackferryError("usage", "a backup is named REPO/STACK or REPO/STACK@TIME", {
      hint: ARCHIVE.test(path)
        ? `stackferry import ${quoteShellWord(path)} --to STACK brings an archive back`
        : "`stackferry list REPO` shows the backups",
    });
  }
  if (time === "latest") return { repository, stack: name, version: "latest" };
  const notAfter = parseBackupTime(time, now);
  if (notAfter !== undefined) return { repository, stack: name, version: { notAfter } };
  throw new StackferryError("usage", BACKUP_TIMES);
}

/** An argument that is no stack names one of these. `nothing`: its path leads to no file. */
export type NamedInput =
  | { readonly is: "backup"; readonly reference: BackupReference }
  | { readonly is: "archive" | "files" | "nothing" };

/**
 * Finds out what an argument names. A file, and a folder with a manifest, are archives whatever their names.
 * @throws StackferryError `usage` for an invalid time
 */
export async function findNamedInput(argument: string, session: Pick<Session, "io" | "globals">): Promise<NamedInput> {
  const reference = await backupNamedBy(argument, session);
  if (reference !== undefined) return { is: "backup", reference };
  if (isS3Address(argument)) return { is: "archive" };
  return { is: (await detectInputType(resolve(session.io.cwd, argument))) ?? "nothing" };
}

async function backupNamedBy(
  argument: string,
  session: Pick<Session, "io" | "globals">,
): Promise<BackupReference | undefined> {
  const { io } = session;
  const { path } = splitTime(argument);
  if (isS3Address(argument)) return ARCHIVE.test(argument) ? undefined : parseBackupReference(argument, io.now());
  if ((await kindOf(resolve(io.cwd, argument))) === "archive" || !path.includes("/")) return undefined;
  const { repositories } = await loadSessionConfig(session);
  const isConfigured = repositories.has(splitRepositoryPath(path).repository);
  const isStored = isConfigured || (await kindOf(resolve(io.cwd, path))) === "backups";
  return isStored ? parseBackupReference(argument, io.now()) : undefined;
}

const ONE_BACKUP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.zip(?:\.age)?$/;

/** Returns the time in the file name of a backup: `2026-11-20T04:15:00`. */
function timeOfFile(name: string): string {
  return name.replace(ONE_BACKUP, "$1-$2-$3T$4:$5:$6");
}

/** Returns a function from the name of a record to the command that finds the backups of the same stack that have it. */
export function createFindCommand(argument: string): (name: string) => string {
  const { repository, name: stack } = splitRepositoryPath(splitTime(argument).path);
  return (name) =>
    `stackferry list ${quoteShellWord(repository)} --stack ${quoteShellWord(stack)} --include ${quoteShellWord(name)}`;
}

const ARCHIVE = /\.(?:zip|age)$/;

function splitTime(text: string): { readonly path: string; readonly time: string } {
  const at = text.lastIndexOf("@");
  return at < 0 ? { path: text, time: "latest" } : { path: text.slice(0, at), time: text.slice(at + 1) };
}

/** Tells whether a local path is an archive, a stack's folder in a repository, or neither. */
async function kindOf(path: string): Promise<"archive" | "backups" | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) return "archive";
  const names = await readdir(path).catch((): string[] => []);
  if (names.includes("manifest.json")) return "archive";
  return names.some((name) => STORED_FILE.test(name)) ? "backups" : undefined;
}

/** @throws StackferryError `usage` for a repository, or a folder of code files, that was given as an archive */
export async function refuseFiles(argument: string, { io }: Pick<Session, "io">): Promise<void> {
  const root = resolve(io.cwd, argument);
  const names = (await readdir(root).catch((): string[] => [])).toSorted();
  const found = await Promise.all(names.map((name) => kindOf(join(root, name))));
  const stack = names.find((_, index) => found[index] === "backups");
  if (stack !== undefined) {
    const hint = `name one of its backups: ${argument.replace(/\/+$/, "")}/${stack}, or ${stack}@TIME; \`stackferry list ${argument}\` shows them`;
    throw new StackferryError("usage", `${argument} is a repository of backups, not an archive`, { hint });
  }
  // An archive in folder form that has lost its manifest holds only JSON.
  const inKinds = names.filter((name) => findKind(name) !== undefined).map((name) => readdir(join(root, name)));
  const files = [argument, ...(await Promise.all(inKinds).catch((): string[][] => [])).flat()];
  if (files.some((name) => /\.ya?ml$/i.test(name))) {
    const hint = `\`stackferry apply ${argument} --to STACK\` brings a stack to what they say`;
    throw new StackferryError("usage", `${argument} holds files that people edit, and is not an archive`, { hint });
  }
}

/** Lists the stacks in a repository on this machine as REPO/STACK, for the completion of a shell. */
export async function listStoredStacks(repository: string, sources: RepositorySources): Promise<string[]> {
  // A variable in the repository's address may be missing.
  const address = (await resolveRepositorySettings(repository, sources).catch(() => undefined))?.address ?? "";
  const names = isS3Address(address) ? [] : await readdir(address).catch((): string[] => []);
  const found = await Promise.all(names.map((name) => kindOf(join(address, name))));
  return names.filter((_, index) => found[index] === "backups").map((name) => `${repository}/${name}`);
}

/** Refuses `REPO/STACK` as a repository: it would be taken for one without backups. @throws StackferryError `usage` */
export async function refuseStackFolder(
  reference: string,
  opened: Repository,
  command: string,
  { signal }: Pick<Session, "signal">,
): Promise<void> {
  if (!(await opened.list("", signal)).some(({ name }) => STORED_FILE.test(name))) return;
  const { repository, name } = splitRepositoryPath(reference);
  throw stackFolderError(reference, `${command} ${repository} --stack ${name}`);
}

/**
 * Refuses `REPO/STACK` as the repository to store a backup in: that would create a repository inside the stack's folder.
 * @throws StackferryError `usage`
 */
export async function refuseBackupIntoStack(reference: string, opened: Repository): Promise<void> {
  // Only names that begin as the time of a backup are listed: the repository may hold the backups of many stacks.
  const names = (await opened.list("2")).map(({ name }) => name);
  if (!names.some((name) => STORED_FILE.test(name))) return;
  const { repository, name } = splitRepositoryPath(reference);
  throw stackFolderError(reference, `backup ${name} --to ${repository}`);
}

function stackFolderError(reference: string, command: string): StackferryError {
  const problem = `${reference} is the folder of one stack, not a repository; give the folder that holds it`;
  return new StackferryError("usage", problem, { hint: `use: stackferry ${command}` });
}
