import { StackferryError, errorMessage } from "../core/errors.ts";

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: "check the path; the folder must exist, and its disk must be mounted",
  ENOTDIR: "check the path; a part of it is not a folder",
  ENOSPC: "make room on the disk and run again",
  EDQUOT: "make room within the disk quota and run again",
  EFBIG: "raise the limit on file sizes, or write to another folder",
  EACCES: "check the permissions, or choose another folder",
  EPERM: "check the permissions, or choose another folder",
  EROFS: "the file system is read-only; choose another folder, or mount it for writing",
  EXDEV: "choose a folder below the mount point",
  EBUSY: "the path is in use or a mount point; choose a folder below it",
};

/** @param action completes "cannot …": "write the archive" */
export function fileError(action: string, path: string, error: unknown): StackferryError {
  if (error instanceof StackferryError) return error;
  const hint = HINTS[systemErrorCode(error) ?? ""] ?? "check the disk and the path, then run again";
  return new StackferryError("archive-io", `cannot ${action} ${path}: ${systemMessage(error)}`, { cause: error, hint });
}

/** Leaves out the error's path, which can be a temporary file that the user does not know. */
export function systemMessage(error: unknown): string {
  const text = errorMessage(error);
  const [, code, problem] = /^(E[A-Z0-9]+): ([^,']+), [a-z]+(?: '.*)?$/.exec(text) ?? [];
  return code === undefined || problem === undefined ? text : `${problem} (${code})`;
}

export function systemErrorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
