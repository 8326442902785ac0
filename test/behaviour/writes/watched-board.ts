import { expect } from "vitest";
import { logs, update, usualTarget } from "../../support/import-samples.ts";
import {
  importStage,
  outcomeLines,
  type ImportStage,
  type JsonObject,
  type Outcome,
  type RunOptions,
  type StageRun,
} from "../../support/import-stage.ts";
import { loseAlertsOnUpdate, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { alert, archiveIds, dashboard, hexId, records, targetIds } from "../../support/stack-records.ts";

// An import updates the target's dashboard "Overview", on which is the alert "Watching". The server may delete the alert with it.

export const theirs = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
export const other = dashboard(hexId("b", 17), "Other", targetIds.source);
export const watching = alert(hexId("b", 32), "Watching", theirs, targetIds.webhook, { message: "call me" });
export const watchingId = hexId("b", 32);
export const elsewhere = alert(hexId("b", 33), "Elsewhere", other, targetIds.webhook);

export const overview = dashboard(hexId("a", 16), "Overview", archiveIds.source);
export const archive = records({ dashboards: [overview], sources: [logs] });
const news = [20, 21, 22].map((number) => dashboard(hexId("a", number), `New ${number}`, archiveIds.source));
/** Dashboards that the target does not have. */
export const newBoards = records({ dashboards: news });

export const target = (more: Record<string, JsonObject[]> = {}): MemoryStack =>
  usualTarget({ dashboards: [theirs, other], alerts: [watching, elsewhere], ...more });

/** Runs an import that updates the dashboard, on a server that deletes the dashboard's alert during the update. */
export async function importWithLoss(stack = target(), all = archive, options: RunOptions = {}) {
  loseAlertsOnUpdate(stack, watchingId);
  const stage = importStage(stack);
  const run = await stage.run(all, { ...update, ...options });
  return { stack, stage, run };
}

/** Returns what the journal has of the records that updates may delete. */
export const atRiskIn = ({ history }: ImportStage) =>
  history.flatMap((entry) => (entry.type === "intent" ? (entry.dependents ?? []) : []));

/** Returns a line for each outcome of the record with this name. */
export const linesOf = ({ outcomes }: Pick<StageRun, "outcomes">, name: string): string[] =>
  outcomeLines(outcomes.filter((outcome) => outcome.name === name));

export const lossesIn = ({ outcomes }: Pick<StageRun, "outcomes">): Outcome[] =>
  outcomes.filter(({ code }) => code === "cascade-loss");

const contentOf = ({ id: _id, state: _state, ...content }: Readonly<Record<string, unknown>>): unknown => content;

/** Expects that the stack has an alert with the content of "Watching", under whatever id. */
export function expectLikeWatching(stack: MemoryStack): void {
  expect(recordsOn(stack, "alerts").map(contentOf)).toContainEqual(contentOf(watching));
}
