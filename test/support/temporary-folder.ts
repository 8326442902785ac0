import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folders that the running test file has made. */
const made = new Set<string>();

/** Makes a folder, which is removed with its content at the end of the test file. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "stackferry-test-"));
  made.add(path);
  return path;
}

/** Removes the folders of the test file. */
export function removeTemporaryFolders(): void {
  // s3rver may still write into its folder for a request whose connection is closed, so the removal is retried.
  for (const path of made) rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  made.clear();
}
