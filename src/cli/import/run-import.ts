import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { refuseTooManyDeletes } from "../../import/remove/mirror.ts";
import { isCompleteImport, prepareImport } from "../../library/import.ts";
import { normaliseImport } from "../../library/options/import-options.ts";
import { countWrites } from "../../library/steps/validate-plan.ts";
import { plannedOutcomes } from "../../core/plan/plan.ts";
import type { ImportJob } from "../../library/steps/prepare-import.ts";
import type { ImportRequest } from "./flags.ts";
import { planDocument } from "../../report/view/plan.ts";
import type { CommandResult } from "../output/document.ts";
import { refuseOtherThanPage } from "../output/report-file.ts";
import { documentText } from "../output/text.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import { confirm, refuseUnconfirmed, type Session } from "../program/session.ts";
import { stackAddressOf } from "../../config/stacks/stack-address.ts";
import { askMapping, loadSecrets, writeSecretsDraft } from "./map-and-secrets.ts";
import {
  describedImport,
  documentOutput,
  isOfOtherStack,
  planMembers,
  resultOfImport,
  writeImportPage,
  type ImportTarget,
  type PlannedImport,
} from "./result.ts";
import { loadSignerOfFlag, openArchiveFile } from "../inputs/archive.ts";
import { journalPlaceOf, loadSessionConfig } from "../inputs/config.ts";
import { lockStack, openClient, resolveStack, stackNameAndAddress, toReportedStack } from "../inputs/stack.ts";
import { createFindCommand, type NamedInput } from "../inputs/argument.ts";

export async function importWithQuestions(
  reader: ArchiveReader,
  target: ImportTarget,
  request: ImportRequest,
  session: Session,
): Promise<CommandResult> {
  await refuseOtherThanPage(request.report, session);
  const job = await toImportJob(reader, target, request, session);
  const run = await prepareImport(job, session);
  const plan = await run.plan(await askMapping(run, job.options.mapping, request, session));
  if (request.draftSecrets !== undefined) await writeSecretsDraft(request.draftSecrets, plan, request.secrets, session);
  const planned = { reader, target, request, plan, records: run.records };
  if (request.dryRun) return writeImportPage(planned, planResult(planned, session), session);
  if (request.plan === undefined) {
    refuseTooManyDeletes(plan);
    await showAndAsk(planned, session);
  }
  const applied = await run.apply(plan).catch((error: unknown) => {
    if (error instanceof StackferryError && error.code === "plan-changed") return error;
    throw error;
  });
  const result =
    applied instanceof StackferryError
      ? { ...planResult(planned, session), exitCode: 10 as const, abortedBy: applied }
      : resultOfImport(planned, applied, session);
  return writeImportPage(planned, result, session);
}

async function toImportJob(
  reader: ArchiveReader,
  { isSuspect, ...opened }: ImportTarget,
  request: ImportRequest,
  session: Session,
): Promise<ImportJob> {
  const { options, map, secrets } = request;
  const { redaction } = await loadSessionConfig(session);
  const settled = {
    ...options,
    map: map && resolve(session.io.cwd, map),
    secrets: await loadSecrets(secrets, session),
    transforms: opened.settings.transforms,
    redaction,
  };
  const policy = opened.files === undefined ? ("keep" as const) : ("overwrite" as const);
  const place = await journalPlaceOf(request, session);
  const { mirror, ...normalised } = await normaliseImport(settled, session.credentials, { place, policy });
  return { ...normalised, ...opened, reader, mirror: mirror && { ...mirror, isSuspect } };
}

function planResult(planned: PlannedImport, session: Session): CommandResult {
  const { plan, request } = planned;
  const { exitCode, markdown, dryRun } = request;
  const outcomes = plannedOutcomes(plan);
  const isComplete = isCompleteImport(plan, outcomes, false);
  const differs: ExitCode = exitCode && countWrites(plan) > 0 ? 10 : 0;
  return {
    exitCode: isComplete ? differs : 3,
    text: (display) => documentOutput(describedImport(planned, session), markdown, display),
    outcomes,
    details: { dryRun, ...planMembers(plan, outcomes) },
  };
}

async function showAndAsk(planned: PlannedImport, session: Session): Promise<void> {
  const { plan, target, request } = planned;
  const count = countWrites(plan);
  const ask = !request.yes && count > 0;
  const described = { ...describedImport(planned, session), next: [], digest: undefined };
  const { verbose = false } = session.messageDisplay;
  const document = planDocument({ ...described, whole: verbose });
  if (ask) session.say(documentText(document, session.messageDisplay));
  else if (!session.globals.json) session.note(`${document.label}: ${document.summary}.\n`);
  const changes = count === 1 ? "this change" : `these ${count} changes`;
  const to = stackNameAndAddress(target.settings);
  const other = isOfOtherStack(planned)
    ? `, another stack than the archive's (${stackAddressOf(planned.reader.manifest.source)})`
    : "";
  if (ask) await confirm(`Make ${changes} on ${to}${other}?`, session);
}

export async function importArchive(
  request: ImportRequest & { readonly archive: string; readonly to: string; readonly signer: string | undefined },
  session: Session,
  named?: NamedInput,
): Promise<CommandResult> {
  refuseUnconfirmed(request, session);
  const settings = await resolveStack(request.to, "to", session);
  session.runState.to = toReportedStack(settings);
  const signer = await loadSignerOfFlag(request.signer, session);
  await using reader = await openArchiveFile(request.archive, session, signer, named);
  const { storedName, isSuspect } = reader;
  const label = storedName === undefined ? request.archive : reader.summary.path;
  session.runState.from = { label, ...reader.manifest.source };
  await using _lock = await lockStack(settings, request, session);
  await using client = openClient(settings, session);
  const ofBackup = storedName !== undefined && { findCommand: createFindCommand(request.archive) };
  const target = { settings, client, isSuspect, ...ofBackup };
  return await importWithQuestions(reader, target, request, session);
}
