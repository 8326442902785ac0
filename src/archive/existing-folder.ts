import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { StackferryError } from "../domain/errors.ts";
import { isJsonObject } from "../domain/json.ts";
import { ARCHIVE_FORMAT } from "../domain/manifest.ts";
import { decodeJson } from "./decode-json.ts";
import { KIND_PATTERN, MANIFEST_PATH } from "./entry-path.ts";
import { archiveLimits } from "./limits.ts";
import { printable } from "./printable.ts";

/** A folder that an archive may be written into. */
export interface ExistingFolder {
  /** The record files of the archive that is there, as `<kind>/<name>.json`. */
  readonly records: readonly string[];
  /** Whether it holds something that is not ours and must stay, for instance `.git`: names that begin with a dot. */
  readonly keeps: boolean;
}

/**
 * Looks at a folder that is about to be replaced. Refuses (`usage`) one that is neither empty nor an archive of ours, and
 * one with files in it that no archive has, because replacing it would delete what somebody keeps there.
 */
export async function existingFolder(path: string): Promise<ExistingFolder> {
  const names = await readdir(path, { withFileTypes: true });
  if (names.length === 0) return { records: [], keeps: false };
  if (!(await hasOurManifest(path))) throw refusal(path, `has no ${MANIFEST_PATH} of ours`);
  const records: string[] = [];
  let keeps = false;
  for (const name of names) {
    if (name.name.startsWith(".")) keeps = true;
    else if (name.isDirectory() && KIND_PATTERN.test(name.name)) records.push(...(await recordsIn(path, name.name)));
    else if (name.name !== MANIFEST_PATH) throw refusal(path, `also holds ${printable(name.name)}`);
  }
  return { records, keeps };
}

async function recordsIn(path: string, kind: string): Promise<string[]> {
  const names = await readdir(join(path, kind), { withFileTypes: true });
  const visible = names.filter(({ name }) => !name.startsWith("."));
  const stray = visible.find((name) => !name.isFile() || !name.name.endsWith(".json"));
  if (stray !== undefined) throw refusal(path, `also holds ${printable(`${kind}/${stray.name}`)}`);
  return visible.map(({ name }) => `${kind}/${name}`);
}

async function hasOurManifest(path: string): Promise<boolean> {
  const manifest = join(path, MANIFEST_PATH);
  const stats = await stat(manifest).catch(() => undefined);
  if (stats === undefined || !stats.isFile() || stats.size > archiveLimits.maxManifestBytes) return false;
  const decoded = decodeJson(await readFile(manifest), archiveLimits.maxDepth);
  return decoded.ok && isJsonObject(decoded.value) && decoded.value["format"] === ARCHIVE_FORMAT;
}

function refusal(path: string, why: string): StackferryError {
  return new StackferryError("usage", `the folder ${path} is not empty and ${why}`, {
    hint: "choose a new or empty folder, or one that holds nothing but an archive",
  });
}
