import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import { refuseOtherFile, writePrivateFile } from "../../files/atomic-write.ts";
import { programName } from "../../library/steps/version.ts";
import type { Document } from "../../report/document.ts";
import { planDocument, type PlannedRun } from "../../report/view/plan.ts";
import { timeText } from "../../report/view/words.ts";
import { exitCodeOfError } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import type { CommandResult } from "./document.ts";

export async function writeReportPage(
  out: string,
  document: Document,
  session: Session,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const { documentPage } = await import("../../report/html/document-page.ts");
  const path = resolve(session.io.cwd, out);
  const page = await documentPage(document, programName(), session.signal);
  const text = session.outputScrubber.scrub(page);
  await refuseOtherThanPage(out, session);
  await writePrivateFile(path, text);
  return { path, bytes: Buffer.byteLength(text) };
}

/** Refuses to overwrite a file that is not a page, such as an archive or a journal. */
export async function refuseOtherThanPage(out: string | undefined, { io }: Session): Promise<void> {
  if (out !== undefined) await refuseOtherFile(resolve(io.cwd, out), /^\s*<!doctype html/i, "a report");
}

/** If the page cannot be written, the run fails. The result is printed even then, because the run may have changed a stack. */
export async function withPlanPage(
  result: CommandResult,
  report: string | undefined,
  run: Omit<PlannedRun, "whole">,
  session: Session,
): Promise<CommandResult> {
  if (report === undefined) return result;
  const facts = [...run.facts, startFact(session)];
  try {
    const { path, bytes } = await writeReportPage(report, planDocument({ ...run, facts, whole: true }), session);
    session.note(`wrote ${path}\n`);
    return { ...result, details: { ...result.details, report: { path, bytes } } };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    if (result.abortedBy === undefined) return { ...result, exitCode: exitCodeOfError(error), abortedBy: error };
    session.note(`${error.message}\n`);
    return result;
  }
}

export function startFact({ startedAt }: Session): readonly ["Time", string] {
  return ["Time", timeText(new Date(startedAt).toISOString())];
}
