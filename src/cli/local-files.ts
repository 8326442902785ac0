import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StackferryError, errorMessage } from "../domain/errors.ts";
import type { LocalFiles, Scratch } from "../jobs/backup-tools.ts";
import { fileDigest } from "../storage/file-digest.ts";

/** Files in this machine's folder for temporary ones, which only their owner can read. */
export const localFiles: LocalFiles = {
  scratch,
  digest: fileDigest,
  async head(path, bytes) {
    await using handle = await open(path, "r");
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead).toString("latin1");
  },
};

async function scratch(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), "stackferry-")).catch((cause: unknown) => {
    const hint = "make room in the folder for temporary files, or name another one with TMPDIR";
    throw new StackferryError("archive-io", `no temporary folder: ${errorMessage(cause)}`, { cause, hint });
  });
  let files = 0;
  return {
    file: (ending) => {
      files += 1;
      return join(folder, `${files}${ending}`);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
