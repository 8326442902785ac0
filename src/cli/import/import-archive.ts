import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { Plan, PlanItem } from "../../core/plan/plan.ts";
import { isKeptDiffering } from "../../core/outcome.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { describeUpdates } from "../../import/plan/describe-updates.ts";
import { refuseTooMany, deletesOf } from "../../import/remove/max-delete.ts";
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
import { planCounts, planText, planReasons } from "../output/import.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { confirm, ask, canAsk } from "../prompts/confirm.ts";
import { journalAccessOf } from "../wiring/journal-access.ts";
import { redactorOfRun } from "../wiring/redactor.ts";
import { reported, stackTitle } from "../wiring/stack.ts";
import { loadFills, writeFillDraft } from "./fill.ts";
import { loadMapping, planWithAnswers, refuseToAskNobody } from "./mapping.ts";
import { planMembers } from "./planned.ts";
import { refuseReport, reportImport } from "./report.ts";
import type { ImportTarget } from "./result.ts";
import { exitCodeOfImport, resultOf } from "./result.ts";
import { dirname, resolve } from "node:path";
import { loadConfig } from "../../config/load-config.ts";
import type { MemoryLocation } from "../../library/memory/remember.ts";
import { defaultStatePath, memoryLocation } from "../../library/memory/location.ts";
import { StackferryError } from "../../core/errors.ts";
import { counted } from "../../core/text/plural.ts";
import { removalsText } from "../output/plan/removals.ts";
import { pluralOf } from "../../kinds/id-spaces.ts";
import { kinds } from "../../kinds/registry.ts";
import type { OutputOptions } from "../output/terminal/theme.ts";
import { mappedText } from "../output/plan/mapped.ts";
import { alteredText } from "../output/plan/altered.ts";
import { conflictsText } from "../output/plan/conflicts.ts";
import { overwrittenText, updatesText } from "../output/plan/updates.ts";

/** Imports an archive: reads and checks all of it, plans, shows the plan, asks, applies. */
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
  // Reports show the archive's records, without the filled-in secrets.
  const shown = { reader, target, request, plan, records };
  if (request.dryRun) return reportImport(shown, dryRun(plan, target, request), session);
  refuseTooMany(plan);
  await showAndAsk(plan, target, request, session);
  const carriedOut = await carryOutImport(prepared, plan, { onError, verify, redact }, session);
  return await reportImport(shown, await resultOf(plan, carriedOut, target, request, session), session);
}

function labelsOf({ namePrefix, tags }: ImportRequest): Labels {
  return { namePrefix, tags };
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
  const defaults: Readonly<Record<string, string>> = defaultWebhook === undefined ? {} : { webhooks: defaultWebhook };
  const options = {
    onConflict,
    ...(onEdited && { onEdited }),
    kinds: namedKinds(request.kinds).map(({ name }) => name),
    create: requestedKinds(request.create),
    filter,
    mapping: await loadMapping(request.mapFile, session),
    defaults,
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
    namePrefix,
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

/** The value of `--state` for keeping no state. */
const NONE = "none";

/**
 * The location of the run's state file: the given file, else the pair's own next to the configuration file. Without a configuration
 * file no state is kept.
 */
async function memoryOf(
  { state, trustState }: { readonly state: string | undefined; readonly trustState: boolean },
  pair: MemoryPair,
  session: Session,
): Promise<MemoryLocation | undefined> {
  if (state === NONE) return undefined;
  const access = journalAccessOf(session, trustState);
  const { io, globals } = session;
  if (state !== undefined) return memoryLocation(resolve(io.cwd, state), pair, access);
  const { path } = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  if (path === undefined) return undefined;
  return memoryLocation(defaultStatePath(dirname(path), pair), pair, access, false);
}

type MirrorRequest = Pick<ImportRequest, "mirror" | "yesDelete" | "dryRun">;

/**
 * @throws StackferryError `usage` if `--mirror=all` would delete records and the user neither named the target nor can be asked to
 */
function refuseUnconfirmed(
  { mirror, yesDelete, dryRun }: MirrorRequest,
  { label }: StackSettings,
  session: Session,
): void {
  if (mirror?.scope !== "all") return;
  if (yesDelete !== undefined && yesDelete !== label) {
    const hint = "Give the target as --to names it.";
    throw new StackferryError("usage", `--yes-delete names another stack than the target, which is "${label}"`, {
      hint,
    });
  }
  if (dryRun || yesDelete !== undefined || canAsk(session)) return;
  const hint = `Without a terminal, --yes --yes-delete "${label}" says it; --dry-run shows the list.`;
  throw new StackferryError("usage", "--mirror=all asks for the target's name to be typed, and there is no terminal", {
    hint,
  });
}

/** Lists every record to delete and asks the user to type the target's name. If nothing is deleted, the usual question is asked. */
async function confirmDeletes(
  plan: Plan,
  { settings }: ImportTarget,
  { yesDelete }: MirrorRequest,
  mayAsk: boolean,
  session: Session,
): Promise<void> {
  const { length } = deletesOf(plan);
  if (length === 0 || yesDelete !== undefined) {
    if (mayAsk) await confirm(changesQuestion(plan, stackTitle(settings)), session);
    return;
  }
  session.say(removalsText(plan, { ...session.err, verbose: true }));
  const { label } = settings;
  const answer = await ask(
    `${counted(length, "record")} of ${stackTitle(settings)} will be deleted. Type ${label} to go on: `,
    session,
  );
  if (answer === label) return;
  throw new StackferryError("declined", "stopped before anything was written", {
    hint: "--dry-run shows the list.",
  });
}

/** A plan with more records is summarised before the question, because its table would push everything else off the screen. */
const MAX_ROWS = 20;

/** The plan as shown before a question: in full if it is short or with `--verbose`, else summarised. The counts come last. */
export function questionText(plan: Plan, display: OutputOptions): string {
  if (plan.items.length <= MAX_ROWS || display.verbose === true) return planText(plan, display);
  const sums = kinds.flatMap(({ name }) => {
    const items = plan.items.filter(({ kind }) => kind === name);
    return items.length === 0 ? [] : [`${display.theme.heading(pluralOf(name))}: ${sumText(items)}\n`];
  });
  const { items } = plan;
  const parts = [
    removalsText(plan, display),
    mappedText(items, display),
    updatesText(items, display),
    overwrittenText(items, display),
    conflictsText(items, display),
    alteredText(items, display),
    planReasons(plan, display),
  ];
  return [...sums, "\n", ...parts, `${planCounts(plan)}\n`].join("");
}

/** `Make these 10 changes on dev (http://localhost:8000)?` @param target the title of the target stack */
function changesQuestion(plan: Plan, target: string): string {
  const count = writesOf(plan);
  return `Make ${count === 1 ? "this change" : `these ${count} changes`} on ${target}?`;
}

const WORDS: readonly (readonly [string, (item: PlanItem) => boolean])[] = [
  ["to create", ({ action }) => action === "create"],
  ["to update", ({ action }) => action === "update"],
  ["blocked", ({ action }) => action === "blocked"],
  ["left alone", ({ action, code }) => action === "skip" && code !== "matched"],
  ["matched", ({ action, code }) => action === "skip" && code === "matched"],
  ["unchanged", ({ action }) => action === "unchanged"],
];

/** `120 to create, 4 to update`. Zero counts are left out. */
function sumText(items: readonly PlanItem[]): string {
  const counts = WORDS.map(([word, isOne]) => ({ word, count: items.filter(isOne).length }));
  return counts.flatMap(({ word, count }) => (count === 0 ? [] : [`${count} ${word}`])).join(", ");
}
