import type { KeyObject } from "node:crypto";
import { resolve } from "node:path";
import { loadSignerKey } from "../config/archive-secrets.ts";
import type { Session } from "./session.ts";

/** The key that `--signer` names; undefined where the flag is not given. */
export async function signerOf(file: string | undefined, { io }: Session): Promise<KeyObject | undefined> {
  return file === undefined ? undefined : loadSignerKey(resolve(io.cwd, file));
}
