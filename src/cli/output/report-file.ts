import { resolve } from "node:path";
import { writePrivateFile, refuseOtherFile } from "../../files/atomic-write.ts";
import type { Session } from "../program/session.ts";

/** Writes an HTML page that only its owner can read, after removing secrets of the run from it. */
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

/** Commands call this before they do anything else, because the path may be that of an archive or a journal. */
export function refuseOtherThanPage(path: string): Promise<void> {
  return refuseOtherFile(path, /^\s*<!doctype html/i, "a report");
}
