import { StackferryError } from "../core/errors.ts";
import { NotAFileError, openRegularFile } from "./regular-file.ts";

/** What a file begins with is in its first bytes. */
const HEAD = 64;

/**
 * Refuses to put a file in the place of one that is there and is something else, such as the archive or the journal of the run.
 * @param begins how files of this kind begin
 * @param what "a report"
 * @throws StackferryError `usage`
 */
export async function refuseOtherFile(path: string, begins: RegExp, what: string): Promise<void> {
  const head = await headOf(path);
  if (head === "" || begins.test(head)) return;
  throw new StackferryError("usage", `${path} is there, and is not ${what}: it is left as it is`, {
    hint: "name another file, or remove that one first",
  });
}

/** Empty where there is no file, or one that cannot be read: then writing it says why. What is no file is named like one that is something else. */
async function headOf(path: string): Promise<string> {
  try {
    await using file = await openRegularFile(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } catch (error) {
    return error instanceof NotAFileError ? error.message : "";
  }
}
