import { StackferryError } from "../core/errors.ts";

/**
 * Reads a file that the user has named.
 * @throws StackferryError `config`, with the problem and the hint
 */
export async function readTextFile(path: string, problem: string, hint: string): Promise<string> {
  // Loaded on demand: this module is loaded at every start, but few runs open a file.
  const { NotAFileError, readRegularFile } = await import("../files/regular-file.ts");
  try {
    return await readRegularFile(path);
  } catch (cause) {
    const why = cause instanceof NotAFileError ? `: ${cause.message}` : "";
    throw new StackferryError("config", `${problem}${why}`, { cause, hint });
  }
}
