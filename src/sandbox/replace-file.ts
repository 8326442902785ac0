import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { sandboxError } from "./sandbox-error.ts";

/**
 * Replaces the file at `path`, mode 0600: whatever happens, it holds the old text or the new one. A temporary file
 * left behind by a crash is never read, and the next write starts it anew. Throws `sandbox-io`.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    // Removed first, so that neither the mode of a file left behind nor a link there has a say.
    await rm(temporary, { force: true });
    await using file = await open(temporary, "wx", 0o600);
    await file.writeFile(text);
    await file.sync();
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    throw sandboxError("sandbox-io", `cannot write the sandbox's data file ${path}`, cause);
  }
}

/** The name is durable only once its folder is. */
async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}
