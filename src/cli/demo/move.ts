import { join } from "node:path";
import { openArchive } from "../../archive/reader.ts";
import { formatMapDraft } from "../../config/format-map-draft.ts";
import { writePrivateFile } from "../../config/write-private-file.ts";
import type { Manifest } from "../../domain/manifest.ts";
import type { Outcome } from "../../domain/outcome.ts";
import type { ManualMapping } from "../../domain/plan.ts";
import type { ArchiveReader, ArchiveSummary } from "../../domain/ports.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import type { ImportRequest } from "../commands/import-flags.ts";
import { openClient } from "../open-stack.ts";
import { exportTo } from "../runs/export-to.ts";
import { importArchive } from "../runs/import-archive.ts";
import type { Session } from "../session.ts";
import { check, checkMove } from "./check-move.ts";
import type { Check } from "./check-move.ts";
import { readStack } from "./read-stack.ts";
import type { StackContent } from "./read-stack.ts";
import { sandboxSettings } from "./sandbox-settings.ts";

/** One move of everything from a stack to another. */
export interface Move {
  readonly title: string;
  readonly source: Sandbox;
  readonly target: Sandbox;
  /** Where the archive and the map file go. */
  readonly folder: string;
  /** What they are called there. */
  readonly name: string;
}

/** What a move came to. */
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

/** Exports, imports with the program's own code, and checks the target by asking it directly. */
export async function move(plan: Move, session: Session): Promise<Moved> {
  const { title, source, target, folder, name } = plan;
  const mapFile = join(folder, `${name}-map.yaml`);
  await writePrivateFile(mapFile, formatMapDraft([], webhooksByName(await readStack(source), target)));
  const before = { source: source.stats().total, target: target.stats().total };
  const archive = await exportAll(plan, session);
  await using reader = await openArchive(archive.path);
  const run = importer(reader, target, mapFile, session);
  const planned = await run(true);
  const outcomes = await run(false);
  const requests = { source: source.stats().total - before.source, target: target.stats().total - before.target };
  const again = await run(true);
  const writes = again.filter(({ action }) => action === "create" || action === "update");
  const checks = [
    ...checkMove(await readStack(source), await readStack(target)),
    check(
      "importing the same archive again would write nothing",
      writes.map((item) => `${item.action} ${item.name}`),
    ),
  ];
  return { title, archive, manifest: reader.manifest, planned, outcomes, checks, requests };
}

async function exportAll({ source, folder, name }: Move, session: Session): Promise<ArchiveSummary> {
  const settings = sandboxSettings(source, `the ${source.variant} stack`);
  await using client = openClient(settings, session);
  const everything = { kinds: [], filter: { include: [], exclude: [] }, pipeIds: [], allowPartial: false };
  const result = await exportTo(
    { path: join(folder, `${name}.zip`), format: "zip", ...everything },
    client,
    settings,
    session,
  );
  return result.archive;
}

/** The program's own import, for a dry run or in earnest. */
function importer(
  reader: ArchiveReader,
  target: Sandbox,
  mapFile: string,
  session: Session,
): (dryRun: boolean) => Promise<readonly Outcome[]> {
  const settings = sandboxSettings(target, `the ${target.variant} stack`);
  return async (dryRun) => {
    await using client = openClient(settings, session);
    const result = await importArchive(
      reader,
      { settings, client, journalBase: reader.summary.path },
      { ...REQUEST, mapFile, dryRun },
      session,
    );
    if (result.stopped !== undefined) throw result.stopped;
    return result.outcomes ?? [];
  };
}

const REQUEST: Omit<ImportRequest, "mapFile" | "dryRun"> = {
  kinds: [],
  filter: { include: [], exclude: [] },
  exitCode: false,
  onConflict: "skip",
  onError: "continue",
  writeMap: undefined,
  mapInteractively: false,
  report: undefined,
  defaultWebhook: undefined,
  fillFile: undefined,
  writeFill: undefined,
  namePrefix: undefined,
  tags: [],
  journal: undefined,
  verify: true,
  settleMs: 10_000,
  probe: false,
  yes: true,
};

/** A managed stack cannot list its webhooks, so which is which is said in a map file, by id. */
function webhooksByName(source: StackContent, target: Sandbox): ManualMapping {
  // A map file names nothing that the archive does not know, and of a managed stack it knows the webhooks that are used.
  const alerts = JSON.stringify(source.alerts);
  const pairs = source.webhooks.flatMap(({ id, name }) => {
    const same = target.webhooks.find((webhook) => webhook.name === name);
    return same !== undefined && typeof id === "string" && alerts.includes(id) ? [[id, same.id] as const] : [];
  });
  return { webhooks: Object.fromEntries(pairs) };
}
