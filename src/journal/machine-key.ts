import { randomBytes } from "node:crypto";
import { link, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { StackferryError } from "../core/errors.ts";
import { PRIVATE_FOLDER, siblingPath, writeNewFile } from "../files/atomic-write.ts";
import { systemCode, systemText } from "../files/errors.ts";
import { openRegularFile } from "../files/regular-file.ts";
import { refuseShared } from "./file-access.ts";

/** The key that seals this user's journals, or the reason why none exists. */
export type MachineKey = { readonly key: Buffer } | { readonly problem: string };

const KEY_FILE = "journal.key";
const KEY_BYTES = 32;
const KEY_TEXT = /^[0-9a-f]{64}\n$/;

/**
 * Reads the key; undefined if none was made yet.
 * @throws StackferryError `journal` for a file that is not a key, or is not private
 */
export async function readMachineKey(folder: string): Promise<Buffer | undefined> {
  const path = join(folder, KEY_FILE);
  try {
    await using file = await openRegularFile(path, { noLink: true });
    refuseShared(path, await file.stat(), "the key", true);
    const text = await file.readFile("utf8");
    if (!KEY_TEXT.test(text)) throw new Error("it is not a key that stackferry made");
    return Buffer.from(text.trim(), "hex");
  } catch (error) {
    if (error instanceof StackferryError) throw error;
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    const hint = `Delete ${path}; the next run makes a new key. Journals that were sealed with the old key then need --accept-foreign-journal.`;
    throw new StackferryError("journal", `the key ${path} cannot be read: ${systemText(error)}`, {
      cause: error,
      hint,
    });
  }
}

/** Reads the key, or makes one. A folder that cannot be written (in a container) is returned as a problem, not thrown. */
export async function machineKey(folder: string): Promise<MachineKey> {
  const existingKey = await readMachineKey(folder);
  if (existingKey !== undefined) return { key: existingKey };
  const path = join(folder, KEY_FILE);
  const temporary = siblingPath(path, "part");
  try {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    await writeNewFile(temporary, `${randomBytes(KEY_BYTES).toString("hex")}\n`);
    // If two runs make a key at the same time, one of them wins completely, because a link never replaces a file.
    await link(temporary, path).catch((error: unknown) => {
      if (systemCode(error) !== "EEXIST") throw error;
    });
  } catch (error) {
    return { problem: `${path} cannot be made: ${systemText(error)}` };
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
  const made = await readMachineKey(folder);
  return made === undefined ? { problem: `${path} was removed` } : { key: made };
}
