import type { ArchiveReader } from "../../domain/ports.ts";
import type { Plan } from "../../domain/plan.ts";
import type { StackRecord } from "../../domain/record.ts";
import type { ImportRequest } from "../commands/import-flags.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";
import { programVersion } from "../version.ts";
import type { ImportTarget } from "./apply-and-report.ts";
import { writeReport } from "./write-report.ts";

/** An import that was planned, and carried out unless it is a dry run. */
export interface ReportedImport {
  readonly reader: ArchiveReader;
  readonly target: ImportTarget;
  readonly request: ImportRequest;
  readonly plan: Plan;
  readonly records: readonly StackRecord[];
}

/** Writes the page that `--report` asks for. A page that cannot be written is an error: somebody is waiting for it. */
export async function reportImport(
  { reader, target, request, plan, records }: ReportedImport,
  result: CommandResult,
  session: Session,
): Promise<CommandResult> {
  if (request.report === undefined) return result;
  const { planPage } = await import("../../report/plan-page.ts");
  const page = planPage({
    archive: reader.summary.path,
    contentDigest: reader.summary.contentDigest,
    source: reader.manifest.source,
    target: target.client.identity,
    at: new Date(session.startedAt).toISOString(),
    plan,
    records,
    ...(!request.dryRun && result.outcomes !== undefined && { outcomes: result.outcomes }),
    madeBy: `stackferry ${programVersion()}`,
  });
  const { path, bytes } = await writeReport(request.report, page, session);
  if (!session.globals.quiet) session.say(`wrote ${path}\n`);
  return { ...result, extra: { ...result.extra, report: { path, bytes } } };
}
