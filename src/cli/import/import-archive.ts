import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { Plan } from "../../core/importing/plan.ts";
import { isKeptDiffering } from "../../core/outcome.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { describeUpdates } from "../../import/plan/describe-updates.ts";
import { refuseTooMany } from "../../import/remove/max-delete.ts";
import { secretsOf } from "../../library/options/connect.ts";
import type { ImportJob } from "../../library/steps/import-steps.ts";
import { carryOutImport, prepareImport, writesOf } from "../../library/steps/import-steps.ts";
import type { MemoryPair } from "../../library/memory/location.ts";
import { transformsOfImport, withFiles } from "../../library/steps/open-files.ts";
import { plannedOutcomes } from "../../library/steps/planned-outcomes.ts";
import { validatedPlan } from "../../library/steps/validated-plan.ts";
import { namedKinds, requestedKinds } from "../../library/steps/selection.ts";
import type { ImportOptions } from "../../matching/import-options.ts";
import type { Labels } from "../../matching/labels.ts";
import { isUnmistakable } from "../../redaction/filling/where-filled.ts";
import type { ImportRequest } from "../flags/import.ts";
import type { CommandResult } from "../output/document.ts";
import { planMarkdown } from "../output/markdown/import.ts";
import { planCounts, planText } from "../output/import.ts";
import { changesQuestion, questionText } from "../output/plan/question.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { confirm } from "../prompts/confirm.ts";
import { journalAccessOf } from "../wiring/journal-access.ts";
import { memoryOf } from "../wiring/memory.ts";
import { redactorOfRun } from "../wiring/redactor.ts";
import { reported, stackTitle } from "../wiring/stack.ts";
import { loadFills, writeFillDraft } from "./fill.ts";
import { loadMapping, planWithAnswers, refuseToAskNobody } from "./mapping.ts";
import { confirmDeletes, refuseUnconfirmed } from "./mirror.ts";
import { planMembers } from "./planned.ts";
import { refuseReport, reportImport } from "./report.ts";
import type { ImportTarget } from "./result.ts";
import { exitCodeOfImport, resultOf } from "./result.ts";

/** Imports an archive: reads it whole and checks it, plans, shows the plan, asks, applies. */
export async function importArchive(
  reader: ArchiveReader,
  target: ImportTarget,
  request: ImportRequest,
  session: Session,
): Promise<CommandResult> {
  refuseToAskNobody(request, session);
  refuseUnconfirmed(request, target.settings, session);
  const options = await optionsOf(target, request, session);
  const { fills, values } = await loadFills(request.fillFile, session);
  const literals = [...values.filter(isUnmistakable), ...secretsOf(target.settings.credential)];
  const redact = await redactorOfRun(session, { literals });
  const { settings, client, inventory: early } = target;
  const { listLagMs, splitChannels, onError, verify } = request;
  const transforms = transformsOf(reader, target);
  const fromFiles = target.files !== undefined;
  const wanted = { options, fills, splitChannels, listLagMs, fromFiles, ...(transforms && { transforms }) };
  const memory = await memoryOf(request, pairOf(reader, target, request), session);
  const access = journalAccessOf(session, request.trustJournal);
  const journal = { named: request.journal, base: target.journalBase, cwd: session.io.cwd, access };
  const job = {
    reader,
    client,
    settings,
    journal,
    ...wanted,
    ...(early && { early }),
    ...(target.files && { leftOut: target.files.leftOut }),
    ...(memory && { memory }),
    ...mirrorOf(request, target),
  };
  const prepared = await prepareImport(job, session);
  await refuseReport(request.report, prepared.journal.path, session);
  const { planWith, records, inventory } = prepared;
  const input = { planWith, mapping: options.mapping, records, inventory };
  const answered = await planWithAnswers(input, request, session);
  const asked = { ...request, mapping: answered.mapping };
  const planned = await validatedPlan(prepared, answered.plan, asked, session);
  const plan = await describeUpdates(planned, {
    ...options,
    now: prepared.now,
    records,
    redact: prepared.redactFilled(redact),
  });
  for (const warning of plan.warnings) session.events({ type: "warning", warning });
  if (request.writeFill !== undefined) await writeFillDraft(request.writeFill, plan, request.fillFile, session);
  // Reports show what the archive says, so that nothing that was filled in is in them.
  const shown = { reader, target, request, plan, records };
  if (request.dryRun) return reportImport(shown, dryRun(plan, target, request), session);
  refuseTooMany(plan);
  await showAndAsk(plan, target, request, session);
  const carriedOut = await carryOutImport(prepared, plan, { onError, verify, redact }, session);
  return await reportImport(shown, await resultOf(plan, carriedOut, target, request, session), session);
}

function labelsOf({ namePrefix, tags }: ImportRequest): Labels {
  return { ...(namePrefix !== undefined && { namePrefix }), tags };
}

function transformsOf(reader: ArchiveReader, { settings, client, files }: ImportTarget): StackSettings["transforms"] {
  return transformsOfImport({ reader, client, transforms: settings.transforms, files });
}

async function optionsOf(
  { files, restores }: ImportTarget,
  request: ImportRequest,
  session: Session,
): Promise<ImportOptions> {
  const { onConflict, onEdited, filter, defaultWebhook, adapt, acceptHiddenLoss } = request;
  const options = {
    onConflict,
    ...(onEdited && { onEdited }),
    kinds: namedKinds(request.kinds).map(({ name }) => name),
    create: requestedKinds(request.create),
    filter,
    mapping: await loadMapping(request.mapFile, session),
    defaults: defaultWebhook === undefined ? {} : { webhooks: defaultWebhook },
    labels: labelsOf(request),
    adapt,
    acceptHiddenLoss,
    ...(restores && { restores }),
  };
  return withFiles(options, files);
}

function pairOf(reader: ArchiveReader, { client, files }: ImportTarget, { namePrefix }: ImportRequest): MemoryPair {
  return {
    source: reader.manifest.source,
    ...(files && { files }),
    target: client.identity,
    ...(namePrefix !== undefined && { namePrefix }),
  };
}

function dryRun(
  plan: Plan,
  { settings }: ImportTarget,
  { exitCode, markdown, onEdited }: ImportRequest,
): CommandResult {
  const outcomes = plannedOutcomes(plan);
  const incomplete = exitCodeOfImport(plan, outcomes);
  const isOff = writesOf(plan) > 0 || (onEdited !== undefined && outcomes.some(isKeptDiffering));
  const differs: ExitCode = exitCode && isOff ? 10 : 0;
  return {
    exitCode: incomplete === 0 ? differs : incomplete,
    text: (display) => (markdown ? planMarkdown(plan, outcomes, reported(settings)) : planText(plan, display)),
    outcomes,
    extra: { dryRun: true, ...planMembers(plan, outcomes) },
  };
}

function mirrorOf({ mirror }: ImportRequest, { isSuspect }: ImportTarget): Pick<ImportJob, "mirror"> {
  return mirror === undefined ? {} : { mirror: { ...mirror, ...(isSuspect && { isSuspect }) } };
}

async function showAndAsk(plan: Plan, target: ImportTarget, request: ImportRequest, session: Session): Promise<void> {
  const ask = !request.yes && writesOf(plan) > 0;
  if (ask) session.say(questionText(plan, session.err));
  else if (!session.globals.json) session.note(`${planCounts(plan)}\n`);
  if (request.mirror?.scope === "all") return confirmDeletes(plan, target, request, ask, session);
  if (ask) await confirm(changesQuestion(plan, stackTitle(target.settings)), session);
}
