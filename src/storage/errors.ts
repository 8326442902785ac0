import { StackferryError, errorMessage } from "../core/errors.ts";

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: "the folder must exist; is the disk mounted?",
  ENOTDIR: "the repository must be a folder",
  ENOSPC: "make room on the disk and run again",
  EDQUOT: "make room within the disk quota and run again",
  EACCES: "check the permissions of the folder",
  EPERM: "check the permissions of the folder",
  EROFS: "the repository is read-only; choose another one, or mount it for writing",
};

/** A failure of the file system, told with the path and what to do about it. Errors of ours pass as they are. */
export function repositoryIoError(doing: string, path: string, error: unknown): StackferryError {
  if (error instanceof StackferryError) return error;
  const code = systemCode(error);
  const hint = HINTS[code ?? ""] ?? "check the disk and the path, then run again";
  return new StackferryError("archive-io", `cannot ${doing} ${path}: ${errorMessage(error)}`, { cause: error, hint });
}

/** A file that the repository does not have. */
export function notStored(name: string, address: string, cause?: unknown): StackferryError {
  const hint = "`stackferry list` shows what there is";
  return new StackferryError("not-found", `there is no ${name} in ${address}`, { cause, hint });
}

/** The system's own code of a failed call (`ENOENT`, …), if it is one. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Answers the name if it stays within the repository; a name can come from the command line. @throws StackferryError `usage` */
export function checkedName(name: string): string {
  const parts = name.split("/");
  const strange = parts.some((part) => part === "" || part === "." || part === ".." || /[\\\p{Cc}]/u.test(part));
  if (!strange) return name;
  throw new StackferryError("usage", "the name of a stored file leads out of its place", {
    hint: "name a stack by letters, digits, . - and _",
  });
}
