import { join } from "node:path";
import { openArchive } from "../../archive/reader.ts";
import { formatMapDraft } from "../../config/map-file.ts";
import { writePrivateFile } from "../../files/atomic-write.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Outcome, Warning } from "../../core/outcome.ts";
import type { ManualMapping } from "../../core/plan/plan.ts";
import type { ArchiveReader, ArchiveSummary } from "../../core/ports.ts";
import { diffStacks } from "../../diff/diff-stacks.ts";
import { sideOfStack } from "../../diff/side.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import type { ImportRequest } from "../flags/import.ts";
import { WHOLE_STACK, exportToArchive } from "../../library/export-archive.ts";
import { importArchive } from "../import/import-archive.ts";
import type { CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { redactorOfRun } from "../wiring/redactor.ts";
import { sandboxSettings } from "../wiring/sandbox-settings.ts";
import { openClient } from "../wiring/stack.ts";
import type { Finding, StackContent } from "./independent-check.ts";
import { checkMove, readStack } from "./independent-check.ts";

/** A statement that must be true after a move. */
interface Check {
  readonly what: string;
  readonly holds: boolean;
  /** A few examples of evidence against it. */
  readonly found: readonly string[];
}

/** One move of all records from a stack to another. */
export interface Move {
  readonly title: string;
  readonly source: Sandbox;
  readonly target: Sandbox;
  /** The folder for the archive and the map file. */
  readonly folder: string;
  /** The base name of these files. */
  readonly name: string;
}

/** The result of a move. */
export interface Moved {
  readonly title: string;
  readonly archive: ArchiveSummary;
  readonly manifest: Manifest;
  readonly planned: readonly Outcome[];
  readonly outcomes: readonly Outcome[];
  readonly checks: readonly Check[];
  /** Requests that the program made, by stack: `source`, `target`. */
  readonly requests: { readonly source: number; readonly target: number };
}

/** Exports and imports with the program's own code, then checks the target with plain requests and with the program's `diff`. */
export async function move(plan: Move, session: Session): Promise<Moved> {
  const { title, source, target, folder, name } = plan;
  const mapFile = join(folder, `${name}-map.yaml`);
  const mapping = webhooksByName(await readStack(source), target);
  await writePrivateFile(mapFile, formatMapDraft([], mapping));
  const before = { source: source.stats().total, target: target.stats().total };
  const archive = await exportAll(plan, session);
  await using reader = await openArchive(archive.path);
  const warnings: Warning[] = [];
  const events: Session["events"] = (event) => {
    if (event.type === "warning") warnings.push(event.warning);
    session.events(event);
  };
  // Alerts refer to dashboards and saved searches; dashboards are always created, saved searches only on request.
  const run = importer(reader, target, { mapFile, create: ["saved-searches"] }, { ...session, events });
  const { outcomes: planned = [] } = await run(true);
  const { outcomes = [] } = await run(false);
  const requests = { source: source.stats().total - before.source, target: target.stats().total - before.target };
  const again = await run(true);
  const findings: Finding[] = [
    ...checkMove(await readStack(source), await readStack(target)),
    [
      "stackferry diff finds no difference in dashboards, saved searches and alerts but what the plan named",
      await differences(plan, mapping, warnings, session),
    ],
    ["importing the same archive again would write nothing", writesIn(again)],
  ];
  return { title, archive, manifest: reader.manifest, planned, outcomes, checks: asChecks(findings), requests };
}

/** Converts findings into checks with a few examples of the evidence. */
export function asChecks(findings: readonly Finding[]): Check[] {
  return findings.map(([what, against]) => ({ what, holds: against.length === 0, found: against.slice(0, 3) }));
}

/** The writes of a run, or those that a dry run plans. */
export function writesIn({ outcomes = [] }: CommandResult): string[] {
  const writes = outcomes.filter(({ action }) => action === "create" || action === "update");
  return writes.map(({ action, name }) => `${action} ${name}`);
}

async function exportAll({ source, folder, name }: Move, session: Session): Promise<ArchiveSummary> {
  const settings = settingsOf(source);
  await using client = openClient(settings, session);
  const redact = await redactorOfRun(session);
  const job = { ...WHOLE_STACK, path: join(folder, `${name}.zip`), client, settings, redact, now: session.io.now() };
  const result = await exportToArchive(job, session);
  return result.archive;
}

/** Returns the program's own import, for a dry run or a real one. */
export function importer(
  reader: ArchiveReader,
  target: Sandbox,
  request: Partial<ImportRequest>,
  session: Session,
): (dryRun: boolean) => Promise<CommandResult> {
  const settings = settingsOf(target);
  return async (dryRun) => {
    await using client = openClient(settings, session);
    const result = await importArchive(
      reader,
      { settings, client, journalBase: reader.summary.path },
      { ...REQUEST, ...request, dryRun },
      session,
    );
    if (result.stopped !== undefined) throw result.stopped;
    return result;
  };
}

/** The differences that `stackferry diff` finds between the two stacks and that the plan did not announce. */
async function differences(
  { source, target }: Move,
  mapping: ManualMapping,
  planned: readonly Warning[],
  session: Session,
): Promise<string[]> {
  const redact = await redactorOfRun(session);
  const sideOf = async (sandbox: Sandbox) => {
    await using client = openClient(settingsOf(sandbox), session);
    return await sideOfStack(client, [], redact, session);
  };
  const request = { kinds: ["dashboards", "saved-searches", "alerts"], filter: ALL, mapping };
  const { changes, notCompared } = await diffStacks(await sideOf(source), await sideOf(target), request);
  return [
    ...changes.flatMap(({ kind, name, change, members }) => {
      const isNamed = (pointer: string): boolean =>
        planned.some((warning) => warning.pointer === pointer && warning.message.includes(`"${name}"`));
      const open = members.flatMap(({ pointer }) => (isNamed(pointer) ? [] : [pointer]));
      return change === "changed" && open.length === 0 ? [] : [`${kind} ${name}: ${change} ${open.join(" ")}`];
    }),
    ...notCompared.map(({ kind, side }) => `${kind}: not compared (${side})`),
  ];
}

const ALL = { include: [], exclude: [] };

const REQUEST: Omit<ImportRequest, "dryRun"> = {
  mapFile: undefined,
  kinds: [],
  create: [],
  filter: ALL,
  exitCode: false,
  splitChannels: false,
  fitLimits: false,
  acceptHiddenLoss: false,
  validate: "auto",
  onConflict: "skip",
  onError: "continue",
  draftMap: undefined,
  mapInteractively: false,
  report: undefined,
  markdown: false,
  defaultWebhook: undefined,
  secretsFile: undefined,
  draftSecrets: undefined,
  namePrefix: undefined,
  tags: [],
  journal: undefined,
  acceptForeignJournal: false,
  mirror: undefined,
  confirmDelete: undefined,
  state: "none",
  acceptForeignState: false,
  verify: true,
  consistencyWaitMs: 10_000,
  checkData: false,
  yes: true,
};

/** Matches webhooks by id in a map file, because a managed stack cannot list its webhooks. */
function webhooksByName(source: StackContent, target: Sandbox): ManualMapping {
  // A map file may name only ids that the archive has; an archive of a managed stack has only the webhooks in use.
  const alerts = JSON.stringify(source.alerts);
  const pairs = source.webhooks.flatMap(({ id, name }) => {
    const same = target.webhooks.find((webhook) => webhook.name === name);
    return same !== undefined && typeof id === "string" && alerts.includes(id) ? [[id, same.id] as const] : [];
  });
  return { webhooks: Object.fromEntries(pairs) };
}

function settingsOf(sandbox: Sandbox): StackSettings {
  return sandboxSettings(sandbox, `the ${sandbox.variant} stack`);
}
