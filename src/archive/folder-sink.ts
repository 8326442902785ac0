import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { inflated } from "../domain/raw-deflate.ts";
import type { EntrySink } from "./entry-sink.ts";
import { placeFolder } from "./place-folder.ts";
import { syncDirectory } from "./sync-directory.ts";
import { temporaryPath } from "./temporary-path.ts";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** An archive's folder form in the making, in a temporary folder next to `path` that takes its place in `finish`. */
export async function folderSink(path: string): Promise<EntrySink> {
  const staging = temporaryPath(path, "new");
  await mkdir(staging, { mode: FOLDER_MODE });
  const files: string[] = [];
  const folders = new Set([staging]);
  let size = 0;
  return {
    async write(name, packed) {
      const folder = join(staging, dirname(name));
      if (!folders.has(folder)) await mkdir(folder, { mode: FOLDER_MODE });
      folders.add(folder);
      await using handle = await open(join(staging, name), "wx", FILE_MODE);
      await handle.writeFile(await inflated(packed.data, packed.size));
      await handle.sync();
      files.push(name);
      size += packed.size;
    },
    async finish() {
      for (const folder of folders) await syncDirectory(folder);
      await placeFolder({ path: staging, files }, path);
      return size;
    },
    discard: () => rm(staging, { recursive: true, force: true }),
  };
}
