import { changeOn, recordOn } from "../../support/on-stack.ts";
import { importStage } from "../../support/import-stage.ts";
import { runKilled, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import { addAlertOn } from "../../support/mirror-stage.ts";
import { importOnce, rollBack, type ImportedStack } from "../../support/rollback-runs.ts";
import { hexId } from "../../support/stack-records.ts";
import { usualTarget } from "../../support/import-samples.ts";
import {
  scenarioFor,
  isThere,
  isWatched,
  testOutcomeCodes,
  onlyOverview,
  theirs,
  type Bodies,
  type Scenario,
} from "../../support/outcome-scenarios.ts";

/**
 * Imports the overview, changes the target with `act`, and rolls the import back.
 * @param there the target's records before the import
 */
function undone(
  act: (stack: MemoryStack) => unknown,
  there?: Bodies,
  force = false,
  recordName = "Overview",
): Scenario {
  return scenarioFor(recordName, async () => {
    const { stack, entries } = await overviewImported(there);
    act(stack);
    return rollBack(stack, entries, force);
  });
}

const overviewImported = (there: Bodies = {}): Promise<ImportedStack> =>
  importOnce(onlyOverview, usualTarget(there), { onConflict: "dashboards" in there ? "overwrite" : "keep" });

const rollbacks: Readonly<Record<string, Scenario>> = {
  gone: undone((stack) => stack.records.get("dashboards")?.clear()),
  "put-back": undone((stack) => putRecord(stack, "dashboards", theirs), isThere),
  "changed-since": undone((stack) => changeOn(stack, "dashboards", { tags: ["since"] })),
  "in-use": undone((stack) => addAlertOn(stack, "Overview")),
  "ambiguous: several": scenarioFor("Overview", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await runKilled(stack, "after", /^create/, () => stage.run(onlyOverview));
    putRecord(stack, "dashboards", { ...recordOn(stack, "dashboards", "Overview"), id: hexId("b", 50) });
    return rollBack(stack, stage.history);
  }),
  "later-run": scenarioFor("Overview", async () => {
    const { stack, entries } = await overviewImported();
    const at = "2026-01-01T00:00:01.000Z";
    const { id: targetId } = recordOn(stack, "dashboards", "Overview");
    const write = { at, key: `dashboards/${hexId("a", 16)}`, write: "update", targetId } as const;
    const begin = { type: "begin", at, run: 2 } as const;
    const intent = { ...write, type: "intent", name: "Overview", content: "later" } as const;
    const later = [begin, intent, { ...write, type: "done", content: "later" } as const];
    return rollBack(stack, [...entries, ...later], false, 1);
  }),
  "ambiguous: proves": undone(
    (stack) => changeOn(stack, "dashboards", { createdAt: "2025-01-01T00:00:00.000Z" }),
    {},
    true,
  ),
  "cascade-loss": undone(
    (stack) => (stack.interceptAfter = () => stack.records.get("alerts")?.clear()),
    isWatched,
    false,
    "Watching",
  ),
  redacted: undone(() => {}, { dashboards: [{ ...theirs, savedQuery: "The password: hunter2hunter2hunter2x9Q" }] }),
  "no-previous": scenarioFor("Overview", async () => {
    const { stack, entries } = await overviewImported(isThere);
    const without = JSON.parse(
      JSON.stringify(entries, (key: string, value: unknown) => (key === "image" ? undefined : value)),
    ) as typeof entries;
    return rollBack(stack, without);
  }),
};

testOutcomeCodes("a rollback", "## Outcomes of a rollback", rollbacks, 9);
