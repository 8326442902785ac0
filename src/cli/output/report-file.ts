import { resolve } from "node:path";
import type { StackRecord } from "../../core/records/record.ts";
import { refuseOtherFile, writePrivateFile } from "../../files/atomic-write.ts";
import { programName } from "../../library/steps/version.ts";
import type { PlanReport } from "../../report/html/pages.ts";
import type { Session } from "../program/session.ts";
import type { CommandResult } from "./document.ts";

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

/**
 * Writes the page of a plan or a result for `--report`, and adds its path to the result. If the page cannot be written, the run fails,
 * because the user asked for it.
 */
export async function withPlanPage(
  result: CommandResult,
  report: string | undefined,
  describe: () => Omit<PlanReport, "madeBy">,
  session: Session,
): Promise<CommandResult> {
  if (report === undefined) return result;
  const { redactRecord } = await import("../../redaction/redact-names.ts");
  const { planPage } = await import("../../report/html/pages.ts");
  const { timeText } = await import("../../report/view/words.ts");
  const { createRunRedactor } = await import("../inputs/config.ts");
  const described = describe();
  // An image that a rollback puts back has the target's own secrets in place.
  const redact = await createRunRedactor(session);
  const records: StackRecord[] = [];
  for (const record of described.records) records.push(await redactRecord(record, redact));
  const facts = [...described.facts, ["Time", timeText(new Date(session.startedAt).toISOString())] as const];
  const page = await planPage({ ...described, facts, records, madeBy: programName() });
  const { path, bytes } = await writeReportPage(report, page, session);
  session.note(`wrote ${path}\n`);
  return { ...result, details: { ...result.details, report: { path, bytes } } };
}
