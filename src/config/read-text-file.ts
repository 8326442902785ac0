import { readFile } from "node:fs/promises";
import { StackferryError } from "../core/errors.ts";

/** Reads a file that the user has named. @throws StackferryError `config`, with the problem and the hint */
export async function readTextFile(path: string, problem: string, hint: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new StackferryError("config", problem, { cause, hint });
  }
}
