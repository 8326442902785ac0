import { systemClock } from "../../client/clock.ts";
import type { ManualMapping, Plan } from "../../core/plan.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { planRecords } from "../../import/plan/plan-import.ts";
import { readRecords } from "../../import/read/archive-records.ts";
import { fillRecords } from "../../import/read/fill-records.ts";
import { recoverPendingWrites } from "../../import/read/pending-writes.ts";
import { readTarget } from "../../import/read/read-target.ts";
import { readJournalState } from "../../journal/state.ts";
import type { ImportOptions } from "../../matching/import-options.ts";
import type { ImportRequest } from "../flags/import.ts";
import { namedKinds } from "../flags/selection.ts";
import type { CommandResult } from "../output/document.ts";
import { planCounts, planText } from "../output/import.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import { exitCodeOfOutcomes } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { canAsk, confirm } from "../prompts/confirm.ts";
import { redactorOfRun } from "../wiring/redactor.ts";
import type { ImportTarget } from "./apply.ts";
import { applyAndReport } from "./apply.ts";
import { loadFills, writeFillDraft } from "./fill.ts";
import type { JournalLocation } from "./journal.ts";
import { earlierEntries, journalLocation, openImportJournal } from "./journal.ts";
import { loadMapping, planWithAnswers, refuseToAskNobody } from "./mapping.ts";
import { planMembers, plannedOutcomes } from "./planned.ts";
import { reportImport } from "./report.ts";

/** Imports an archive: reads it whole and checks it, plans, shows the plan, asks, applies. */
export async function importArchive(
  reader: ArchiveReader,
  target: ImportTarget,
  request: ImportRequest,
  session: Session,
): Promise<CommandResult> {
  const { events, signal } = session;
  refuseToAskNobody(request, session);
  const options = await optionsOf(request, session);
  const { fills, values } = await loadFills(request.fillFile, session);
  const redact = await redactorOfRun(session, { literals: values });
  const location = locationOf(reader, target, request, session);
  const earlier = await earlierEntries(location);
  const left = readJournalState(earlier);
  events({ type: "phase", phase: "reading the archive", total: reader.manifest.entries.length });
  const records = await readRecords(reader, signal);
  events({ type: "phase", phase: `reading ${target.settings.label}` });
  const { client, inventory: early } = target;
  const { listLagMs } = request;
  const reading = { client, state: left, clock: systemClock, listLagMs, ...(early && { early }) };
  const inventory = await readTarget(reading, { events, signal });
  const recovered = recoverPendingWrites(left, inventory, new Date().toISOString());
  const state = readJournalState([...earlier, ...recovered]);
  const lost = new Set(state.open.flatMap(({ key, write }) => (write === "create" ? [key] : [])));
  const filled = fillRecords(records, fills);
  for (const warning of filled.warnings) events({ type: "warning", warning });
  const planWith = (mapping: ManualMapping): Plan =>
    planRecords({
      records: filled.records,
      inventory,
      options: { ...options, mapping },
      journaled: state.records,
      lost,
    });
  const input = { planWith, mapping: options.mapping, records, inventory };
  const { plan } = await planWithAnswers(input, request, session);
  for (const warning of plan.warnings) events({ type: "warning", warning });
  if (request.writeFill !== undefined) await writeFillDraft(request.writeFill, plan, request.fillFile, session);
  // Reports show what the archive says, so that nothing that was filled in is in them.
  const reported = { reader, target, request, plan, records };
  if (request.dryRun) return reportImport(reported, dryRun(plan, request.exitCode), session);
  await showAndAsk(plan, target, request, session);
  await using journal = await openImportJournal(location, writesOf(plan) + recovered.length > 0, earlier.length);
  for (const entry of recovered) await journal.append(entry);
  const result = await applyAndReport(
    { plan, records: filled.records, target, options, request, journal, redact },
    session,
  );
  return await reportImport(reported, result, session);
}

function locationOf(
  reader: ArchiveReader,
  target: ImportTarget,
  request: ImportRequest,
  { io }: Session,
): JournalLocation {
  const { contentDigest } = reader.summary;
  const { namePrefix, tags } = request;
  const subject = {
    contentDigest,
    target: target.client.identity,
    ...(namePrefix !== undefined && { namePrefix }),
    tags,
  };
  return journalLocation(request.journal, target.journalBase, io.cwd, subject);
}

async function optionsOf(request: ImportRequest, session: Session): Promise<ImportOptions> {
  const { onConflict, filter, defaultWebhook, namePrefix, tags } = request;
  return {
    onConflict,
    kinds: namedKinds(request.kinds).map(({ name }) => name),
    filter,
    mapping: await loadMapping(request.mapFile, session),
    defaults: defaultWebhook === undefined ? {} : { webhooks: defaultWebhook },
    labels: { ...(namePrefix !== undefined && { namePrefix }), tags },
  };
}

function dryRun(plan: Plan, exitCode: boolean): CommandResult {
  const outcomes = plannedOutcomes(plan);
  const incomplete = exitCodeOfOutcomes(outcomes);
  const differs: ExitCode = exitCode && writesOf(plan) > 0 ? 10 : 0;
  return {
    exitCode: incomplete === 0 ? differs : incomplete,
    text: (display) => planText(plan, display),
    outcomes,
    extra: { dryRun: true, ...planMembers(plan) },
  };
}

async function showAndAsk(plan: Plan, target: ImportTarget, request: ImportRequest, session: Session): Promise<void> {
  const ask = !request.yes && canAsk(session) && writesOf(plan) > 0;
  const { quiet, json } = session.globals;
  if (ask) session.say(planText(plan, session.err));
  else if (!quiet && !json) session.say(`${planCounts(plan)}\n`);
  if (ask) await confirm(`Write this to ${target.settings.label}?`, session);
}

function writesOf({ items }: Plan): number {
  return items.filter(({ action }) => action === "create" || action === "update").length;
}
