import type { Plan } from "../../domain/plan.ts";
import type { ArchiveReader } from "../../domain/ports.ts";
import type { StackRecord } from "../../domain/record.ts";
import type { ImportOptions } from "../../jobs/import-options.ts";
import { awaitEarlierWrites } from "../../jobs/await-earlier-writes.ts";
import { readInventory } from "../../jobs/inventory.ts";
import { readJournalState } from "../../jobs/journal-state.ts";
import { planImport } from "../../jobs/plan-import.ts";
import { kinds } from "../../kinds/registry.ts";
import { systemClock } from "../../stack/system-clock.ts";
import type { ImportRequest } from "../commands/import-flags.ts";
import { canAsk, confirm } from "../confirm.ts";
import { exitCodeOfOutcomes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { planCounts, planText } from "../render/plan-text.ts";
import type { CommandResult } from "../report.ts";
import { namedKinds } from "../select-kinds.ts";
import type { Session } from "../session.ts";
import { applyAndReport } from "./apply-and-report.ts";
import type { ImportTarget } from "./apply-and-report.ts";
import { earlierEntries, journalPlace, openImportJournal } from "./import-journal.ts";
import type { JournalPlace } from "./import-journal.ts";
import { loadMapping, writeMapDraft } from "./load-mapping.ts";
import { plannedOutcomes } from "./planned-outcomes.ts";

/** Imports an archive: reads it whole and checks it, plans, shows the plan, asks, applies. */
export async function importArchive(
  reader: ArchiveReader,
  target: ImportTarget,
  request: ImportRequest,
  session: Session,
): Promise<CommandResult> {
  const { events, signal } = session;
  const options = await optionsOf(request, session);
  const place = placeOf(reader, target, request, session);
  const state = readJournalState(await earlierEntries(place));
  events({ type: "phase", phase: "reading the archive", total: reader.manifest.entries.length });
  const records = await readAll(reader, signal);
  events({ type: "phase", phase: `reading ${target.settings.label}` });
  await awaitEarlierWrites(state, { clock: systemClock, settleMs: request.settleMs }, { events, signal });
  const inventory = await readInventory(target.client, kinds, { events, signal });
  const plan = planImport({ records, inventory, options, journaled: state.records });
  for (const warning of plan.warnings) events({ type: "warning", warning });
  if (request.writeMap !== undefined) await writeMapDraft(request.writeMap, plan, options.mapping, session);
  if (request.dryRun) return dryRun(plan, request.exitCode);
  await showAndAsk(plan, target, request, session);
  await using journal = await openImportJournal(place, writesOf(plan) > 0);
  return await applyAndReport({ plan, records, target, options, request, journal }, session);
}

function placeOf(reader: ArchiveReader, target: ImportTarget, request: ImportRequest, { io }: Session): JournalPlace {
  const { contentDigest } = reader.summary;
  const { namePrefix, tags } = request;
  const subject = {
    contentDigest,
    target: target.client.identity,
    ...(namePrefix !== undefined && { namePrefix }),
    tags,
  };
  return journalPlace(request.journal, target.journalBase, io.cwd, subject);
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

async function readAll(reader: ArchiveReader, signal: AbortSignal): Promise<StackRecord[]> {
  const records: StackRecord[] = [];
  for await (const record of reader.records()) {
    signal.throwIfAborted();
    records.push(record);
  }
  return records;
}

function dryRun(plan: Plan, exitCode: boolean): CommandResult {
  const outcomes = plannedOutcomes(plan);
  const incomplete = exitCodeOfOutcomes(outcomes);
  const differs: ExitCode = exitCode && writesOf(plan) > 0 ? 10 : 0;
  return {
    exitCode: incomplete === 0 ? differs : incomplete,
    text: (view) => planText(plan, view),
    outcomes,
    extra: { dryRun: true, matches: plan.matches, unresolved: plan.unresolved },
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
