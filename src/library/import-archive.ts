import type { RunContext } from "../core/events.ts";
import type { Outcome, Warning } from "../core/outcome.ts";
import { isIncomplete, isKeptDiffering } from "../core/outcome.ts";
import type { Plan } from "../core/plan/plan.ts";
import type { ArchiveReader, StackClient } from "../core/ports.ts";
import { describeUpdates } from "../import/plan/describe-updates.ts";
import { isMirrorIncomplete } from "../import/remove/mirror-basis.ts";
import type { Inventory } from "../matching/inventory.ts";
import type { StackAccess, StackOptions } from "./options/connect.ts";
import { normaliseStack, openStack, secretsOf } from "./options/connect.ts";
import type { ImportRequest, ImportSettings } from "./options/import-settings.ts";
import { normaliseImport } from "./options/import-settings.ts";
import type { RunOptions } from "./options/run-options.ts";
import { withRun } from "./options/run-options.ts";
import type { ArchiveAccess } from "./steps/archive-file.ts";
import { localPath, openArchiveAt, readOptions } from "./steps/archive-file.ts";
import type { ImportJob } from "./steps/import-steps.ts";
import { carryOutImport, prepareImport } from "./steps/import-steps.ts";
import { memoryLocation } from "./memory/location.ts";
import type { AppliedFiles } from "./steps/open-files.ts";
import { transformsOfImport, withFiles } from "./steps/open-files.ts";
import { plannedOutcomes } from "./steps/planned-outcomes.ts";
import { validatedPlan } from "./steps/validated-plan.ts";
import { StoppedError } from "./stopped-error.ts";

/** The archive to import, and the target. */
export interface ImportArchiveOptions extends ImportSettings, ArchiveAccess {
  /** Path of a zip or folder. */
  readonly archive: string;
  readonly to: StackOptions;
}

/** The result of an import or of its dry run. */
export interface ImportArchiveResult {
  /** False if a record failed or is blocked, or (`apply`) still differs from its file; its outcome has the code and the reason. */
  readonly complete: boolean;
  readonly dryRun: boolean;
  /** One outcome per record of the archive. Those of a dry run have the status `planned`. */
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
  readonly plan: Plan;
  /** Path of the journal that records the writes, for `rollback`. Absent if nothing had to be written. */
  readonly journal?: string;
}

/**
 * Imports an archive into a stack: plans, writes, then reads the target again and compares. Running it again with the same archive
 * resumes an interrupted import and creates no duplicates.
 * @throws StackferryError `config` and `usage` (options), `archive-damaged`, `archive-unknown`, `locked` (another run is active),
 * `journal`, `incomplete` (under `onConflict: "fail"`), the errors of the stack before the first write; StoppedError, with outcomes
 * and journal, once writing has begun
 * @example
 * const { complete, outcomes, journal } = await importArchive({ archive: "backup.zip", to, map: { sources: { Logs: "Service logs" }
 * } });
 */
export async function importArchive(options: ImportArchiveOptions, run: RunOptions = {}): Promise<ImportArchiveResult> {
  const to = normaliseStack(options.to, "to");
  const archive = localPath(options.archive, "archive");
  const request = await normaliseImport(options, archive, secretsOf(to.credential));
  return withRun(run, async (context) => {
    await using reader = await openArchiveAt(archive, readOptions(options));
    await using client = openStack(to, { ...context, secrets: request.secrets });
    return await importWith({ reader, client, to }, request, context);
  });
}

/**
 * Plans an import and writes nothing: the action for each record, the references that could not be matched, the missing secrets.
 * @throws StackferryError as `importArchive` before its first write
 * @example
 * const { items, unresolved, toFill } = await planImport({ archive: "backup.zip", to });
 */
export async function planImport(options: ImportArchiveOptions, run: RunOptions = {}): Promise<Plan> {
  return (await importArchive({ ...options, dryRun: true }, run)).plan;
}

/** An archive and its target stack, both open. */
export interface OpenImport {
  readonly reader: ArchiveReader;
  readonly client: StackClient;
  readonly to: StackAccess;
  readonly early?: Promise<Inventory>;
  /** The code files, if they replace an archive. */
  readonly files?: AppliedFiles;
}

/** Prepares and plans an import and, unless it is a dry run, carries it out. */
export async function importWith(
  { reader, client, to, early, files }: OpenImport,
  request: ImportRequest,
  context: RunContext,
): Promise<ImportArchiveResult> {
  const warnings: Warning[] = [];
  const observed: RunContext = {
    ...context,
    events: (event) => {
      if (event.type === "warning") warnings.push(event.warning);
      context.events(event);
    },
  };
  const { fills, splitChannels, listLagMs } = request;
  const { namePrefix } = request.options.labels;
  const options = withFiles(request.options, files);
  if (files !== undefined)
    for (const warning of reader.manifest.warnings) observed.events({ type: "warning", warning });
  const transforms = transformsOfImport({ reader, client, transforms: request.transforms, files });
  const { journalBase: base, journalAccess: access } = request;
  const journal = { named: request.journal, base, cwd: ".", access };
  const fromFiles = files !== undefined;
  const asked = { options, fills, splitChannels, listLagMs, fromFiles, ...(transforms && { transforms }) };
  const mirror = request.mirror && { mirror: request.mirror };
  const named = { ...(namePrefix && { namePrefix }), ...(files && { files }) };
  const leftOut = files && { leftOut: files.leftOut };
  const pair = { source: reader.manifest.source, target: client.identity, ...named };
  const memory = request.state && { memory: memoryLocation(request.state, pair, request.stateAccess) };
  const job: ImportJob = {
    reader,
    client,
    settings: to,
    journal,
    ...asked,
    ...(early && { early }),
    ...leftOut,
    ...memory,
    ...mirror,
  };
  const prepared = await prepareImport(job, observed);
  const { records } = prepared;
  const basis = { ...options, now: prepared.now, records, redact: prepared.redactFilled(request.redact) };
  const { mapping } = options;
  const planned = await prepared.planWith(mapping);
  const plan = await describeUpdates(await validatedPlan(prepared, planned, { ...request, mapping }, observed), basis);
  for (const warning of plan.warnings) observed.events({ type: "warning", warning });
  const carriedOut = request.dryRun ? undefined : await carryOutImport(prepared, plan, request, observed);
  const outcomes = carriedOut?.outcomes ?? plannedOutcomes(plan);
  const written = carriedOut?.journal;
  if (carriedOut?.stopped !== undefined) throw new StoppedError(carriedOut.stopped, outcomes, written);
  const differs = !request.dryRun && options.onEdited !== undefined && outcomes.some(isKeptDiffering);
  const complete = !differs && !outcomes.some(isIncomplete) && !isMirrorIncomplete(plan.warnings);
  const where = written === undefined ? {} : { journal: written };
  return { complete, dryRun: request.dryRun, outcomes, warnings, plan, ...where };
}
