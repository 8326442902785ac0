import { stat } from "node:fs/promises";
import { platform } from "node:os";
import { resolve } from "node:path";
import type { Warning } from "../../core/outcome.ts";
import { DEFAULT_CONFIG_FILE } from "../../config/default-file.ts";

const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;

/**
 * A warning where others may write the configuration: it says where credentials are sent. A group of the user's own, which many
 * systems let write by default, is nobody else. Windows has no such modes.
 */
export async function configExposure(file: string | undefined, cwd: string): Promise<Warning[]> {
  const path = resolve(cwd, file ?? DEFAULT_CONFIG_FILE);
  const found = await stat(path).catch(() => undefined);
  if (platform() === "win32" || found?.isFile() !== true) return [];
  const byGroup = (found.mode & WRITABLE_BY_GROUP) !== 0 && found.gid !== process.getgid?.();
  if (!byGroup && (found.mode & WRITABLE_BY_ALL) === 0) return [];
  const message = `others can write the configuration ${path}, which says where keys are sent: chmod go-w it`;
  return [{ code: "writable-by-others", message }];
}
