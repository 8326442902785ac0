import { platform } from "node:os";
import { StackferryError } from "../../core/errors.ts";
import type { Warning } from "../../core/outcome.ts";
import { NotAFileError, openRegularFile } from "../../files/regular-file.ts";

/** A small text file that holds a secret, and the warnings about it. */
export interface SecretFile {
  readonly text: string;
  readonly warnings: readonly Warning[];
}

/** Keys and passphrases are far smaller. A larger file is probably the wrong one. */
const MAX_BYTES = 64 * 1024;
const READABLE_BY_OTHERS = 0o044;

/**
 * Reads a file that holds a secret, and warns if others can read it too.
 * @param what for messages: "identity file".
 * @throws StackferryError `config`, which names the file but none of its content.
 */
export async function readSecretFile(path: string, what: string): Promise<SecretFile> {
  try {
    await using file = await openRegularFile(path);
    const { mode, size } = await file.stat();
    if (size > MAX_BYTES) throw unusableFileError(`the ${what} ${path} is too large`);
    return { text: await file.readFile("utf8"), warnings: exposureWarnings(mode, path, what) };
  } catch (error) {
    if (error instanceof StackferryError) throw error;
    const why = error instanceof NotAFileError ? `: ${error.message}` : "";
    throw unusableFileError(`the ${what} ${path} cannot be read${why}`, error);
  }
}

/** Returns a warning if a file's mode lets others read it. Windows has no such modes. */
export function exposureWarnings(mode: number, path: string, what: string): Warning[] {
  if (platform() === "win32" || (mode & READABLE_BY_OTHERS) === 0) return [];
  return [{ code: "readable-by-others", message: `the ${what} ${path} can be read by others: chmod 600 it` }];
}

function unusableFileError(problem: string, cause?: unknown): StackferryError {
  return new StackferryError("config", problem, { cause, hint: "check the path" });
}
