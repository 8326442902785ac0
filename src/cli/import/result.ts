import { basename, resolve } from "node:path";
import { systemClock } from "../../client/clock.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { probeSources, type SourceProbe } from "../../import/apply/probe-sources.ts";
import { isCompleteImport, type AppliedImport } from "../../library/import.ts";
import type { ImportJob } from "../../library/steps/prepare-import.ts";
import { planView } from "../../report/view/plan.ts";
import type { ContentOrigin } from "../../report/view/sections.ts";
import type { ImportRequest } from "../flags/import.ts";
import type { CommandResult } from "../output/document.ts";
import { REPEAT_HELPS, probesText } from "../output/outcomes.ts";
import { planMarkdown, planMembers, importResultText } from "../output/plan.ts";
import { exitCodeOfEnd, exitCodeOfError } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { redactRecord } from "../../redaction/redact-names.ts";
import { createRunRedactor } from "../wiring/config.ts";
import { openClient, toReportedStack } from "../wiring/stack.ts";
import { asCommandArgument, stackNameFromAddress } from "../../config/stacks/stack-address.ts";
import { StackferryError } from "../../core/errors.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { programName } from "../../library/steps/version.ts";
import { refuseOtherThanPage, writeReportPage } from "../output/report-file.ts";

export interface ImportTarget extends Pick<ImportJob, "client" | "from" | "early" | "files" | "findCommand"> {
  readonly settings: StackSettings;
  /** True if the archive is a backup that holds suspiciously little: the records that it lacks may still exist on the stack. */
  readonly isSuspect?: boolean;
  /** True if the archive is a backup to restore. */
  readonly restores?: boolean;
}

export interface PlannedImport {
  readonly reader: ArchiveReader;
  readonly target: ImportTarget;
  readonly request: ImportRequest;
  readonly plan: Plan;
  /** The archived records, without the values of the secrets file. */
  readonly records: readonly StackRecord[];
}

/** Reports the outcome of an applied plan, and queries the sources if `--check-data` is given. */
export async function resultOfImport(
  { plan, target, request: { checkData, markdown } }: PlannedImport,
  { outcomes, stopped, journal, run }: AppliedImport,
  session: Session,
): Promise<CommandResult> {
  const probes = checkData && stopped === undefined ? await probeTarget(plan, target, session) : [];
  const viewOptions = { outcomes, writer: writerOf(target) };
  const isComplete = (of: readonly Outcome[]): boolean => isCompleteImport(plan, of, target.files !== undefined);
  const exitCode = stopped !== undefined ? exitCodeOfError(stopped) : exitCodeOfEnd(outcomes, isComplete);
  return {
    exitCode,
    text: (display) =>
      markdown
        ? planMarkdown(planView(plan, viewOptions), toReportedStack(target.settings))
        : [
            importResultText(planView(plan, { ...viewOptions, whole: display.verbose === true }), display),
            stopped === undefined && exitCode === 6 ? REPEAT_HELPS : "",
            undoText(outcomes, run, target),
            probesText(probes, display),
          ].join(""),
    outcomes,
    abortedBy: stopped,
    details: {
      dryRun: false,
      journal,
      run,
      ...planMembers(plan, outcomes),
      ...(checkData && { probes }),
    },
  };
}

/** Returns the origin of the content that the import writes: code files, a backup, or the source stack. */
function writerOf({ restores, files }: Pick<ImportTarget, "restores" | "files">): ContentOrigin {
  if (files !== undefined) return "files'";
  return restores === true ? "backup's" : "source's";
}

/** Returns a line with the run's number and the command that undoes it; empty if nothing was written. */
function undoText(
  outcomes: readonly Outcome[],
  run: number | undefined,
  { settings }: Pick<ImportTarget, "settings">,
): string {
  const wrote = outcomes.some(
    ({ action, status }) => status === "done" && (action === "create" || action === "update" || action === "delete"),
  );
  if (!wrote || run === undefined) return "";
  return `This was run ${run}. To undo it: stackferry rollback --to ${asCommandArgument(settings)} --run ${run}\n`;
}

/** Maximum time for retries of a query: a source whose database is gone answers every query with a 500. */
const RETRY_BUDGET_MS = 5000;

/** Queries the sources that the import matched (`--check-data`). A managed stack has no such queries: a warning says so. */
async function probeTarget(
  { matches }: Plan,
  { settings }: Pick<ImportTarget, "settings">,
  session: Session,
): Promise<readonly SourceProbe[]> {
  if (settings.identity.variant === "managed") {
    const message = "--check-data had no effect: a managed stack answers no chart queries";
    session.events({ type: "warning", warning: { code: "data-check-not-offered", message } });
    return [];
  }
  await using client = openClient(settings, session, { maxRetryBudgetMs: RETRY_BUDGET_MS });
  return await probeSources({ client, matches, clock: systemClock }, session);
}

/** Refuses a path whose file is no report: it may be the journal or the archive. Nothing is written at this point. */
export async function refuseReportPath(
  report: string | undefined,
  journal: string | undefined,
  session: Session,
): Promise<void> {
  if (report === undefined) return;
  const path = resolve(session.io.cwd, report);
  if (path === journal) {
    throw new StackferryError("usage", "--report and the journal are the same file", { hint: "name another file" });
  }
  await refuseOtherThanPage(path);
}

/** Writes the HTML page for `--report`. If the page cannot be written, the run fails, because the user asked for the page. */
export async function writeImportPage(
  { reader, target, request, plan, records }: PlannedImport,
  result: CommandResult,
  session: Session,
): Promise<CommandResult> {
  if (request.report === undefined) return result;
  const { planPage } = await import("../../report/html/plan-page.ts");
  const { stackName, identity } = target.settings;
  const { archive, from } = session.runState;
  const isPlan = request.dryRun || result.abortedBy?.code === "plan-changed";
  const { source } = reader.manifest;
  const fromName = from?.label === stackNameFromAddress(source) ? undefined : from?.label;
  const redact = await createRunRedactor(session);
  const redactedRecords: StackRecord[] = [];
  for (const record of records) redactedRecords.push(await redactRecord(record, redact));
  const page = planPage({
    sourceName: archive === undefined ? fromName : basename(archive.path),
    archive: archive?.path,
    contentDigest: reader.summary.contentDigest,
    source,
    target: identity,
    ...(stackName !== stackNameFromAddress(identity) && { targetName: stackName }),
    at: new Date(session.startedAt).toISOString(),
    plan,
    records: redactedRecords,
    ...(!isPlan && result.outcomes !== undefined && { outcomes: result.outcomes }),
    writer: writerOf(target),
    madeBy: programName(),
  });
  const { path, bytes } = await writeReportPage(request.report, page, session);
  session.note(`wrote ${path}\n`);
  return { ...result, details: { ...result.details, report: { path, bytes } } };
}
