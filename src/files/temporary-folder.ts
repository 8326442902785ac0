import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StackferryError } from "../core/errors.ts";
import { systemMessage } from "./errors.ts";

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** @throws StackferryError `archive-io` */
export async function createTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), "stackferry-")).catch((cause: unknown) => {
    const hint = "make room in the folder for temporary files, or name another one with TMPDIR";
    throw new StackferryError("archive-io", `cannot create a temporary folder: ${systemMessage(cause)}`, {
      cause,
      hint,
    });
  });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
