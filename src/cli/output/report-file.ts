import { resolve } from "node:path";
import { writePrivateFile, refuseOtherFile } from "../../files/atomic-write.ts";
import type { Session } from "../program/session.ts";

/** Writes an HTML page that only its owner can read. The output scrubber checks the page last. */
export async function writeReportPage(
  out: string,
  page: string,
  session: Session,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const path = resolve(session.io.cwd, out);
  const text = session.outputScrubber.scrub(page);
  await refuseOtherThanPage(path);
  await writePrivateFile(path, text);
  return { path, bytes: Buffer.byteLength(text) };
}

/** Refuses to replace a file that is no HTML page; also before a run, which may create a journal of the same name. */
export function refuseOtherThanPage(path: string): Promise<void> {
  return refuseOtherFile(path, /^\s*<!doctype html/i, "a report");
}
