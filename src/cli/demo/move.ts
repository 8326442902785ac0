import { dirname } from "node:path";
import { openArchive } from "../../archive/reader.ts";
import type { Diff } from "../../core/diff.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Outcome, Warning } from "../../core/outcome.ts";
import type { ManualMapping } from "../../core/plan/plan.ts";
import type { ArchiveSummary } from "../../core/ports.ts";
import { diff } from "../../library/diff.ts";
import { exportArchive } from "../../library/export-archive.ts";
import { importArchive, type ImportArchiveOptions, type ImportArchiveResult } from "../../library/import-archive.ts";
import type { RunOptions } from "../../library/run.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import { sandboxStackOptions } from "../wiring/stack.ts";
import { checkMove, readStackContent, type Finding, type StackContent } from "./independent-check.ts";

interface Check {
  readonly what: string;
  readonly holds: boolean;
  /** A few examples that show that the statement does not hold; empty if it holds. */
  readonly counterexamples: readonly string[];
}

export interface Move {
  readonly title: string;
  readonly source: Sandbox;
  readonly target: Sandbox;
  /** Path of the archive. */
  readonly out: string;
}

export interface MoveResult {
  readonly title: string;
  readonly archive: ArchiveSummary;
  readonly manifest: Manifest;
  readonly planned: readonly Outcome[];
  readonly outcomes: readonly Outcome[];
  readonly checks: readonly Check[];
  /** Requests that the program made, by stack: `source`, `target`. */
  readonly requests: { readonly source: number; readonly target: number };
}

/** Exports the source, imports the archive into the target, and checks the target with plain requests and with `diff`. */
export async function moveStack({ title, source, target, out }: Move, run: RunOptions): Promise<MoveResult> {
  const [from, to] = [sandboxStackOptions(source), sandboxStackOptions(target)];
  const map = webhooksByName(await readStackContent(source), target);
  const before = { source: source.stats().total, target: target.stats().total };
  await exportArchive({ from, out }, run);
  // Alerts refer to dashboards, which are always created, and to saved searches, which are created only on request.
  const imported = await planAndImport({ archive: out, to, map, create: ["saved-searches"] }, run);
  const requests = { source: source.stats().total - before.source, target: target.stats().total - before.target };
  const compared = await diff({ left: from, right: to, map, kinds: ["dashboards", "saved-searches", "alerts"] }, run);
  const checks = findingsToChecks([
    ...checkMove(await readStackContent(source), await readStackContent(target)),
    ["stackferry diff finds only differences that the plan named", unannouncedChanges(compared, imported.warnings)],
    ["importing the same archive again would write nothing", await imported.writesIfRepeated()],
  ]);
  return { title, ...(await readArchiveFacts(out)), ...imported, checks, requests };
}

export async function readArchiveFacts(path: string): Promise<Pick<MoveResult, "archive" | "manifest">> {
  await using reader = await openArchive(path);
  return { archive: reader.summary, manifest: reader.manifest };
}

/** The results of a dry run and of the import after it. */
interface Imported extends Pick<MoveResult, "planned" | "outcomes"> {
  readonly warnings: readonly Warning[];
  /** Returns the writes that a second import of the same archive would make. */
  readonly writesIfRepeated: () => Promise<string[]>;
}

export async function planAndImport(options: ImportArchiveOptions, run: RunOptions): Promise<Imported> {
  const planned = await importArchive({ ...options, dryRun: true }, run);
  const done = await importArchive({ ...options, journals: dirname(options.archive) }, run);
  return {
    planned: planned.outcomes,
    outcomes: done.outcomes,
    warnings: [...planned.warnings, ...done.warnings],
    writesIfRepeated: async () => writesIn(await importArchive({ ...options, dryRun: true }, run)),
  };
}

function writesIn({ outcomes }: ImportArchiveResult): string[] {
  const writes = outcomes.filter(({ action }) => action === "create" || action === "update");
  return writes.map(({ action, name }) => `${action} ${name}`);
}

export function findingsToChecks(findings: readonly Finding[]): Check[] {
  return findings.map(([what, against]) => ({
    what,
    holds: against.length === 0,
    counterexamples: against.slice(0, 3),
  }));
}

/** Lists the differences that no warning of the import has named. */
function unannouncedChanges({ changes, notCompared }: Diff, warnings: readonly Warning[]): string[] {
  return [
    ...changes.flatMap(({ kind, name, change, members }) => {
      const isNamed = (pointer: string): boolean =>
        warnings.some((warning) => warning.pointer === pointer && warning.message.includes(`"${name}"`));
      const pointers = members.flatMap(({ pointer }) => (isNamed(pointer) ? [] : [pointer]));
      return change === "changed" && pointers.length === 0 ? [] : [`${kind} ${name}: ${change} ${pointers.join(" ")}`];
    }),
    ...notCompared.map(({ kind, side }) => `${kind}: not compared (${side})`),
  ];
}

/**
 * Maps the id of each webhook that alerts use to the id of the target's webhook of the same name, as a map file would. A managed
 * stack cannot list its webhooks, so an import cannot match them by name.
 */
function webhooksByName(source: StackContent, target: Sandbox): ManualMapping {
  // A mapping may name only ids that the archive contains. An archive of a managed stack contains no webhooks, only the ids of those
  // that alerts use.
  const alerts = JSON.stringify(source.alerts);
  const pairs = source.webhooks.flatMap(({ id, name }) => {
    const same = target.webhooks.find((webhook) => webhook.name === name);
    return same !== undefined && typeof id === "string" && alerts.includes(id) ? [[id, same.id] as const] : [];
  });
  return { webhooks: Object.fromEntries(pairs) };
}
