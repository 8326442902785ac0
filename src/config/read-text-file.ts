import { StackferryError } from "../core/errors.ts";

/** Reads a file that the user has named. @throws StackferryError `config`, with the problem and the hint */
export async function readTextFile(path: string, problem: string, hint: string): Promise<string> {
  // This file is read at every start of the program; what opens files only where there is one to open.
  const { NotAFileError, readRegularFile } = await import("../files/regular-file.ts");
  try {
    return await readRegularFile(path);
  } catch (cause) {
    const why = cause instanceof NotAFileError ? `: ${cause.message}` : "";
    throw new StackferryError("config", `${problem}${why}`, { cause, hint });
  }
}
