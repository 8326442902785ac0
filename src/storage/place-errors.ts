import { StackferryError, errorMessage } from "../domain/errors.ts";

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: "the folder must exist; is the disk mounted?",
  ENOTDIR: "the place must be a folder",
  ENOSPC: "make room on the disk and run again",
  EDQUOT: "make room within the disk quota and run again",
  EACCES: "check the permissions of the folder",
  EPERM: "check the permissions of the folder",
  EROFS: "the place is read-only; choose another one, or mount it for writing",
};

/** A failure of the file system, told with the path and what to do about it. Errors of ours pass as they are. */
export function placeIoError(doing: string, path: string, error: unknown): StackferryError {
  if (error instanceof StackferryError) return error;
  const code = systemCode(error);
  const hint = HINTS[code ?? ""] ?? "check the disk and the path, then run again";
  return new StackferryError("archive-io", `cannot ${doing} ${path}: ${errorMessage(error)}`, { cause: error, hint });
}

/** A file that the place does not have. */
export function notStored(name: string, address: string, cause?: unknown): StackferryError {
  const hint = "`stackferry list` shows what there is";
  return new StackferryError("not-found", `there is no ${name} in ${address}`, { cause, hint });
}

/** The system's own code of a failed call (`ENOENT`, …), if it is one. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
