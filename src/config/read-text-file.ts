import { StackferryError } from "../core/errors.ts";
import { NotAFileError, readRegularFile } from "../files/regular-file.ts";

/** Reads a file that the user has named. @throws StackferryError `config`, with the problem and the hint */
export async function readTextFile(path: string, problem: string, hint: string): Promise<string> {
  try {
    return await readRegularFile(path);
  } catch (cause) {
    const why = cause instanceof NotAFileError ? `: ${cause.message}` : "";
    throw new StackferryError("config", `${problem}${why}`, { cause, hint });
  }
}
