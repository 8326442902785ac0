import { stat } from "node:fs/promises";
import { platform } from "node:os";
import { resolve } from "node:path";
import type { Warning } from "../core/outcome.ts";

// Every command loads this file, so it must not load the YAML parser.

/** Returns the path of the configuration file: `file`, or by default `stackferry.yaml` in the working directory. */
export function configPath(file: string | undefined, cwd: string): string {
  return resolve(cwd, file ?? "stackferry.yaml");
}

const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;

/**
 * Warns if other users may write the configuration file, because it decides where credentials are sent. The user's own group does
 * not count, because many systems let that group write by default. Windows has no such modes.
 */
export async function configExposureWarnings(path: string, ownGroup: number | undefined): Promise<Warning[]> {
  const stats = await stat(path).catch(() => undefined);
  if (platform() === "win32" || stats?.isFile() !== true) return [];
  const byGroup = (stats.mode & WRITABLE_BY_GROUP) !== 0 && stats.gid !== ownGroup;
  if (!byGroup && (stats.mode & WRITABLE_BY_ALL) === 0) return [];
  const message = `other users can change the configuration ${path}, which decides where keys are sent: run chmod go-w on it`;
  return [{ code: "open-permissions", message }];
}
