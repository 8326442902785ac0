import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { openArchive } from "../../src/archive/reader.ts";
import { createRecordEncoder } from "../../src/archive/record.ts";
import { createArchiveWriter } from "../../src/archive/writer.ts";
import { ignoreEvents } from "../../src/core/events.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { createCredentialCheck } from "../../src/redaction/credentials.ts";
import { exportStack, type ExportInput, type ExportResult } from "../../src/export/export-stack.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { recordsIn } from "./archive-samples.ts";
import type { MemoryStack } from "./memory-stack.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The result of an export, and the archive that it wrote. */
export interface Exported {
  readonly result: ExportResult;
  readonly manifest: Manifest;
  readonly records: readonly StackRecord[];
}

/** Exports a memory stack to an archive and reads the archive. If the export fails, expects that no file is left on disk. */
export async function exportOf(stack: MemoryStack, options: Partial<ExportInput> = {}): Promise<Exported> {
  const folder = temporaryFolder();
  const path = join(folder, "a.zip");
  const input: ExportInput = {
    client: stack.client,
    kinds: kinds.filter(({ name }) => stack.records.has(name) && name !== "pipes"),
    filter: { include: [], exclude: [] },
    encode: createRecordEncoder(),
    openWriter: () => createArchiveWriter({ path, format: "zip" }),
    createdAt: "2026-01-02T03:04:05.678Z",
    createdBy: { name: "stackferry", version: "0.1.0" },
    allowPartial: false,
    ...options,
  };
  try {
    const result = await exportStack(input, { events: ignoreEvents });
    await using reader = await openArchive(path);
    return { result, manifest: reader.manifest, records: await recordsIn(reader) };
  } catch (error) {
    const left = await readdir(folder);
    if (left.length > 0) throw new Error(`the export was refused and left ${left.join(", ")}`, { cause: error });
    throw error;
  }
}

export { createCredentialCheck };
