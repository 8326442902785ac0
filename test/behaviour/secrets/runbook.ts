import { draftedFor, type Values } from "../../support/drafted-secrets.ts";
import {
  importStage,
  outcomeLines,
  writesOn,
  type JsonObject,
  type RunOptions,
  type StackRecord,
  type StageRun,
} from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { dashboard, hexId, records } from "../../support/stack-records.ts";

// A dashboard whose text holds a password, which the export has taken out.

export const MARK = "«redacted:assigned-secret»";
export const RUNBOOK = `dashboards/${hexId("a", 16)}`;
export const TEXT = "/tiles/0/config/markdown";

export const note = (markdown: string, config: JsonObject = {}): JsonObject => ({
  id: hexId("d", 1),
  name: "Notes",
  config: { displayType: "markdown", markdown, ...config },
});
export const runbook = (markdown: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", 16), "Runbook", "", { tiles: [note(markdown)], ...more });
export const archiveOf = (...dashboards: JsonObject[]): StackRecord[] => records({ dashboards });
export const targetWith = (...dashboards: JsonObject[]): MemoryStack =>
  memoryStack({ dashboards, connections: [], alerts: [], sources: [], webhooks: [], "saved-searches": [] });

/** The result of an import, and all that it shows as text. */
export interface Filled {
  readonly stack: MemoryStack;
  readonly run: StageRun;
  readonly shown: string;
}

/**
 * Imports an archive with answers, and creates connections and webhooks on request.
 * @param drafted the archive for which the secrets file was drafted
 */
export async function importWith(
  archive: readonly StackRecord[],
  values: Values,
  { drafted = archive, stack = targetWith(), ...options }: RunOptions & FillOptions = {},
): Promise<Filled> {
  const secrets = draftedFor(drafted, values);
  const run = await importStage(stack).run(archive, { secrets, create: ["connections", "webhooks"], ...options });
  return { stack, run, shown: JSON.stringify([run.plan, run.outcomes, run.events]) };
}

interface FillOptions {
  readonly drafted?: readonly StackRecord[];
  readonly stack?: MemoryStack;
}

/** Returns whether the only record was written: its action and code, the exit code, and the writes. */
export function resultOf({ run, stack }: Filled): readonly unknown[] {
  return [...outcomeLines(run.outcomes, "action", "code"), run.exitCode, writesOn(stack)];
}
