import { expect } from "vitest";
import type { EntryOf } from "../../src/core/plan/journal.ts";
import type { RecordKey } from "../../src/core/records/record.ts";
import { recordOn } from "./on-stack.ts";
import {
  importStage,
  outcomeLines,
  type ImportStage,
  type JsonObject,
  type StackRecord,
  type StageRun,
} from "./import-stage.ts";
import { putRecord, type MemoryStack } from "./memory-stack.ts";
import { alert, hexId, records, tileWith, archiveIds, targetIds } from "./stack-records.ts";
import { board, dependencies, usualTarget } from "./import-samples.ts";

/** Options of a run that updates, and of a mirror. */
export const update = {
  onConflict: "overwrite",
  source: { variant: "self-hosted", baseUrl: "http://other.test" },
} as const;
export const mirror = { ...update, mirror: {} } as const;
export const mirrorAll = { ...update, mirror: { scope: "all" } } as const;

/** Makes a dashboard whose table links to another dashboard. */
export const linkingBoard = (number: number, to: string, more: JsonObject = {}): JsonObject => {
  const onClick = { type: "dashboard", target: { mode: "id", id: to }, whereLanguage: "sql" };
  const config = { displayType: "table", sourceId: archiveIds.source, select: [{ aggFn: "count" }], onClick };
  return board(number, { tiles: [tileWith(hexId("e", number), "Links", config)], ...more });
};
export const alertOn = (number: number): JsonObject =>
  alert(hexId("a", 1000 + number), `Alert ${number}`, board(number), archiveIds.webhook);
export const archive = (dashboards: readonly JsonObject[], alerts: readonly JsonObject[] = []): StackRecord[] =>
  records({ dashboards, alerts, ...dependencies.ours });

export interface MirrorStage {
  readonly stack: MemoryStack;
  readonly stage: ImportStage;
}

/** Imports once onto a target, and clears the target's list of requests. */
export async function stageAfterImport(
  dashboards: readonly JsonObject[],
  alerts: readonly JsonObject[] = [],
): Promise<MirrorStage> {
  return stageAfterImportOf(archive(dashboards, alerts));
}

/** Imports a whole archive once, and clears the target's list of requests. */
export async function stageAfterImportOf(imported: readonly StackRecord[]): Promise<MirrorStage> {
  const stack = usualTarget();
  const stage = importStage(stack);
  const { exitCode } = await stage.run(imported, update);
  expect(exitCode).toBe(0);
  stack.requests.length = 0;
  return { stack, stage };
}

/** Notes in the journal what a look at one record has settled, or another counterpart. */
export function noteSeen(stage: ImportStage, key: RecordKey, seen: Partial<EntryOf<"seen">>): void {
  const before = stage.bases.get(key);
  const { targetId = "", name = "" } = before ?? {};
  stage.history.push({ type: "seen", key, name, targetId, parts: {}, ...seen });
}

/** Adds an alert "Theirs" on the dashboard with this name, as another user would. */
export function addAlertOn(stack: MemoryStack, name: string): void {
  putRecord(stack, "alerts", alert(`${name} alert`, "Theirs", recordOn(stack, "dashboards", name), targetIds.webhook));
}

/** Returns a line per outcome of a changed dashboard or alert. */
export const changedOutcomes = ({ outcomes }: StageRun): string[] =>
  outcomeLines(
    outcomes.filter(({ kind, action }) => (kind === "dashboards" || kind === "alerts") && action !== "unchanged"),
    "name",
    "action",
    "code",
  );

/** Returns a line per removal of a mirror's plan. */
export const plannedRemovals = ({ plan }: StageRun): string[] =>
  outcomeLines(plan.mirror?.removals ?? [], "name", "action", "code");
