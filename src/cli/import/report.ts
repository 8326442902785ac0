import { basename, resolve } from "node:path";
import { labelOf } from "../../config/stacks/stacks.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { programVersion } from "../../library/steps/version.ts";
import type { ImportRequest } from "../flags/import.ts";
import type { CommandResult } from "../output/document.ts";
import { refuseOtherReport, writeReport } from "../output/report-file.ts";
import type { Session } from "../program/session.ts";
import type { ImportTarget } from "./result.ts";
import { writerOf } from "./result.ts";

/** An import that was planned and, unless it is a dry run, carried out. */
export interface ReportedImport {
  readonly reader: ArchiveReader;
  readonly target: ImportTarget;
  readonly request: ImportRequest;
  readonly plan: Plan;
  readonly records: readonly StackRecord[];
}

/**
 * Refuses a `--report` path of an existing file of another kind, before anything is written: it may be the journal or the
 * archive.
 */
export async function refuseReport(
  report: string | undefined,
  journal: string | undefined,
  session: Session,
): Promise<void> {
  if (report === undefined) return;
  const path = resolve(session.io.cwd, report);
  if (path === journal) {
    throw new StackferryError("usage", "--report names the journal", { hint: "name another file" });
  }
  await refuseOtherReport(path);
}

/** Writes the HTML page for `--report`. If it cannot be written, the run fails, because the user asked for it. */
export async function reportImport(
  { reader, target, request, plan, records }: ReportedImport,
  result: CommandResult,
  session: Session,
): Promise<CommandResult> {
  if (request.report === undefined) return result;
  const { planPage } = await import("../../report/html/plan-page.ts");
  const { stackName, identity } = target.settings;
  const { archive, from } = session.runState;
  const { source } = reader.manifest;
  const fromName = from?.label === labelOf(source) ? undefined : from?.label;
  const page = planPage({
    imported: archive === undefined ? fromName : basename(archive.path),
    archive: archive?.path,
    contentDigest: reader.summary.contentDigest,
    source,
    target: identity,
    ...(stackName !== labelOf(identity) && { targetName: stackName }),
    at: new Date(session.startedAt).toISOString(),
    plan,
    records,
    ...(!request.dryRun && result.outcomes !== undefined && { outcomes: result.outcomes }),
    writer: writerOf(target),
    madeBy: `stackferry ${programVersion()}`,
  });
  const { path, bytes } = await writeReport(request.report, page, session);
  session.note(`wrote ${path}\n`);
  return { ...result, details: { ...result.details, report: { path, bytes } } };
}
