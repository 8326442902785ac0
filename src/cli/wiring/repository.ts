import { loadConfig } from "../../config/load-config.ts";
import { resolvePlace } from "../../config/repositories.ts";
import type { Place } from "../../core/ports.ts";
import { openPlace } from "../../storage/open-repository.ts";
import type { Session } from "../program/session.ts";

/** Opens a PLACE argument. From here on the credentials that it was given are kept out of everything printed. */
export async function openPlaceFor(reference: string, session: Session): Promise<Place> {
  const { io, globals, scrubber } = session;
  const config = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  const { address, ...s3 } = await resolvePlace(reference, { config, env: io.env, cwd: io.cwd });
  if (s3.credentials !== undefined) {
    const { secretAccessKey, sessionToken } = s3.credentials;
    scrubber.add(secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken]));
  }
  // The SDK says on stderr which Node it will want in the future, in every run: that is for us to know, not for cron's mail.
  if (address.startsWith("s3://")) process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  const { timeout } = globals.pacing;
  return openPlace(address, { cwd: io.cwd, s3: { ...s3, ...(timeout !== undefined && { timeoutMs: timeout }) } });
}

/** Divides the path of something in a place: `s3://bucket/prefix/a.zip` → the place, and `a.zip`. */
export function splitPlace(path: string): { readonly place: string; readonly name: string } {
  const trimmed = path.replace(/\/+$/, "");
  const at = trimmed.lastIndexOf("/");
  if (at < 0) return { place: ".", name: trimmed };
  return { place: at === 0 ? "/" : trimmed.slice(0, at), name: trimmed.slice(at + 1) };
}
