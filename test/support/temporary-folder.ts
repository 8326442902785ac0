import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folders that the running test file made. */
const made = new Set<string>();

/** Makes a folder, which goes with everything in it when the test file ends. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "stackferry-test-"));
  made.add(path);
  return path;
}

/** Removes the folders of the test file that ends. */
export function removeTemporaryFolders(): void {
  // s3rver may still be at work in its folder for a request whose connection is closed.
  for (const path of made) rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  made.clear();
}
