import { importStage } from "../support/import-stage.ts";
import {
  changeRecords,
  interruptionError,
  runKilled,
  storedRecord,
  putRecord,
  type MemoryStack,
} from "../support/memory-stack.ts";
import { addAlertOn } from "../support/mirror-stage.ts";
import {
  importOnce,
  deletionEntries,
  rollBack,
  rollBackJournal,
  type ImportedStack,
} from "../support/rollback-runs.ts";
import { hexId } from "../support/stack-records.ts";
import { usualTarget } from "../support/import-samples.ts";
import {
  scenarioFor,
  failing,
  isThere,
  isWatched,
  testOutcomeCodes,
  linkedPair,
  onlyOverview,
  theirs,
  unreadableAfter,
  type Bodies,
  type Scenario,
} from "../support/outcome-scenarios.ts";

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
  importOnce(onlyOverview, usualTarget(there), { onConflict: "dashboards" in there ? "update" : "skip" });

/** The journal entries of a mirror that deletes two dashboards, which link to each other. */
const removedPair = (linkedPair["dashboards"] ?? []).flatMap((body) => deletionEntries("dashboards", body));

const rollbacks: Readonly<Record<string, Scenario>> = {
  gone: undone((stack) => stack.records.get("dashboards")?.clear()),
  "put-back": undone((stack) => putRecord(stack, "dashboards", theirs), isThere),
  "changed-since": undone((stack) => changeRecords(stack, "dashboards", { tags: ["since"] })),
  "in-use": undone((stack) => addAlertOn(stack, "Overview")),
  ambiguous: scenarioFor("Overview", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await runKilled(stack, "after", /^create/, () => stage.run(onlyOverview));
    putRecord(stack, "dashboards", { ...storedRecord(stack, "dashboards", "Overview"), id: hexId("b", 50) });
    return rollBack(stack, stage.history);
  }),
  "later-run": scenarioFor("Overview", async () => {
    const { stack, entries } = await overviewImported();
    const end = { type: "end", at: entries[0]?.at ?? "", result: "complete" } as const;
    const { id: targetId } = storedRecord(stack, "dashboards", "Overview");
    const write = { at: end.at, key: `dashboards/${hexId("a", 16)}`, write: "update", targetId } as const;
    const intent = { ...write, type: "intent", name: "Overview", previous: {}, content: "later" } as const;
    const later = [end, intent, { ...write, type: "done", content: "later" } as const];
    return rollBack(stack, [...entries, ...later], false, [1]);
  }),
  unproven: undone((stack) => changeRecords(stack, "dashboards", { createdAt: "2025-01-01T00:00:00.000Z" }), {}, true),
  "finish-links": scenarioFor("Linked 17", async () => {
    const stack = failing(usualTarget(), "update dashboards", interruptionError);
    const { entries } = await rollBackJournal(stack, removedPair);
    stack.intercept = () => {};
    return rollBack(stack, entries);
  }),
  exists: scenarioFor("Linked 17", async () => {
    const stack = failing(usualTarget(), "update dashboards", interruptionError);
    const { entries } = await rollBackJournal(stack, removedPair);
    changeRecords(stack, "dashboards", { tags: ["theirs"] });
    return rollBack(stack, entries);
  }),
  "cascade-delete": undone((stack) => addAlertOn(stack, "Overview"), {}, true, "Theirs"),
  "cascade-loss": undone(
    (stack) => (stack.interceptAfter = () => stack.records.get("alerts")?.clear()),
    isWatched,
    false,
    "Watching",
  ),
  "not-checked": undone((stack) => unreadableAfter(stack, "update dashboards"), isWatched, false, "Watching"),
  redacted: undone(() => {}, { dashboards: [{ ...theirs, savedQuery: "The password: hunter2hunter2hunter2x9Q" }] }),
  "no-previous": scenarioFor("Overview", async () => {
    const { stack, entries } = await overviewImported(isThere);
    const without = JSON.parse(
      JSON.stringify(entries, (key: string, value: unknown) => (key === "previous" ? undefined : value)),
    ) as typeof entries;
    return rollBack(stack, without);
  }),
};

testOutcomeCodes("a rollback", "## Outcomes of a rollback", rollbacks, 14);
