import { expect } from "vitest";
import type { RecordState } from "../../src/core/plan/state.ts";
import type { RecordKey } from "../../src/core/records/record.ts";
import type { ImportStage, JsonObject, StackRecord, StageRun } from "./import-stage.ts";
import { rememberingStage, told } from "./import-stage.ts";
import type { MemoryStack } from "./memory-stack.ts";
import { named, namesOn, put } from "./memory-stack.ts";
import { alert, hexId, records, tileWith } from "./stack-records.ts";
import { board, needs, usualTarget } from "./usual-stacks.ts";

/** How a run and a mirror are asked for. */
export const update = {
  onConflict: "update",
  source: { variant: "self-hosted", baseUrl: "http://other.test" },
} as const;
export const mirror = { ...update, mirror: {} } as const;
export const mirrorAll = { ...update, mirror: { scope: "all" } } as const;

/** A board whose table links to another dashboard. */
export const linkingBoard = (number: number, to: string, more: JsonObject = {}): JsonObject => {
  const onClick = { type: "dashboard", target: { mode: "id", id: to }, whereLanguage: "sql" };
  const config = { displayType: "table", sourceId: hexId("a", 1), select: [{ aggFn: "count" }], onClick };
  return board(number, { tiles: [tileWith(hexId("e", number), "Links", config)], ...more });
};
export const alertOn = (number: number): JsonObject =>
  alert(hexId("a", 1000 + number), `Alert ${number}`, board(number), hexId("a", 2));
export const archive = (dashboards: readonly JsonObject[], alerts: readonly JsonObject[] = []): StackRecord[] =>
  records({ dashboards, alerts, ...needs.ours });

export interface MirrorStage {
  readonly stack: MemoryStack;
  readonly stage: ImportStage;
}

/** A target that was imported to once, and what has been asked of it forgotten. */
export async function importedStage(
  dashboards: readonly JsonObject[],
  alerts: readonly JsonObject[] = [],
): Promise<MirrorStage> {
  return stageAfter(archive(dashboards, alerts));
}

/** The same of a whole archive. */
export async function stageAfter(imported: readonly StackRecord[]): Promise<MirrorStage> {
  const stack = usualTarget();
  const stage = rememberingStage(stack);
  const { exitCode } = await stage.run(imported, update);
  expect(exitCode).toBe(0);
  stack.requests.length = 0;
  return { stack, stage };
}

/** Adds members to the state of one record, or replaces them. */
export function remember(stage: ImportStage, key: RecordKey, known: Partial<RecordState>): void {
  const before = stage.memory.get(key) ?? { targetId: "", name: "", written: true };
  stage.memory = new Map([...stage.memory, [key, { ...before, ...known }]]);
}

/** Somebody hangs an alert "Theirs" on the dashboard of that name. */
export function hang(stack: MemoryStack, name: string): void {
  put(stack, "alerts", alert(`${name} alert`, "Theirs", named(stack, "dashboards", name), hexId("b", 2)));
}

export const names = (stack: MemoryStack, kind = "dashboards"): string[] => namesOn(stack, kind).toSorted();
/** The outcomes of changed dashboards and alerts, a line each. */
export const ends = ({ outcomes }: StageRun): string[] =>
  told(
    outcomes.filter(({ kind, action }) => (kind === "dashboards" || kind === "alerts") && action !== "unchanged"),
    "name",
    "action",
    "code",
  );
