import { StackferryError } from "../core/errors.ts";
import { NotAFileError, openRegularFile } from "./regular-file.ts";

/** Bytes that are enough to recognise the beginning of a file. */
const HEAD = 64;

/**
 * Refuses to replace an existing file of another kind, such as the run's archive or journal.
 * @param begins matches the beginning of files of this kind
 * @param what "a report"
 * @throws StackferryError `usage`
 */
export async function refuseOtherFile(path: string, begins: RegExp, what: string): Promise<void> {
  const head = await headOf(path);
  if (head === "" || begins.test(head)) return;
  throw new StackferryError("usage", `${path} exists and is not ${what}; it is not overwritten`, {
    hint: "name another file, or delete this one first",
  });
}

/**
 * Returns the beginning of a file; empty if it does not exist or cannot be read, because the later write then reports the reason.
 * For an entry that is not a regular file, returns text that matches no kind of file.
 */
async function headOf(path: string): Promise<string> {
  try {
    await using file = await openRegularFile(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } catch (error) {
    return error instanceof NotAFileError ? error.message : "";
  }
}
