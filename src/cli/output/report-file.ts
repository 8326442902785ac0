import { resolve } from "node:path";
import { writePrivateFile } from "../../files/atomic-write.ts";
import type { Session } from "../program/session.ts";

/** Writes a page for its owner's eyes, the run's own credentials taken out should one have slipped through. */
export async function writeReport(
  out: string,
  page: string,
  session: Session,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const path = resolve(session.io.cwd, out);
  const text = session.secretFilter.filter(page);
  await writePrivateFile(path, text);
  return { path, bytes: Buffer.byteLength(text) };
}
