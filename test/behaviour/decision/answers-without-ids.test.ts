import { describe, expect, it } from "vitest";
import { board, dependencies, usualTarget } from "../../support/import-samples.ts";
import { importStage, outcomeOf, type JsonObject } from "../../support/import-stage.ts";
import type { MemoryStack } from "../../support/memory-stack.ts";
import { linkingBoard } from "../../support/mirror-stage.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { alert, archiveIds, hexId, records } from "../../support/stack-records.ts";
import { theirs } from "./boards.ts";

/** Makes a stack whose responses to updates lack the record's id. */
function stackWithoutIds(...dashboards: readonly JsonObject[]): MemoryStack {
  const stack = usualTarget({ dashboards });
  const update = stack.client.update.bind(stack.client);
  stack.client.update = async (...args) => {
    const { id: _id, ...rest } = await update(...args);
    return rest;
  };
  return stack;
}

describe("an update that is answered without an id", () => {
  it("counts for the target's record, and links to the record get its id", async () => {
    const stack = stackWithoutIds(theirs({ tags: ["theirs"] }));
    const busy = alert(hexId("a", 32), "Busy", board(16), archiveIds.webhook);
    const archive = records({ dashboards: [board(16)], alerts: [busy], ...dependencies.ours });
    const run = await importStage(stack).run(archive, { onConflict: "overwrite" });
    expect(run.exitCode).toBe(0);
    expect(outcomeOf(run, "Board 16")).toMatchObject({ status: "done", targetId: hexId("b", 16) });
    expect(recordsOn(stack, "alerts")).toMatchObject([{ name: "Busy", dashboardId: hexId("b", 16) }]);
  });

  it("keeps the id of a dashboard that was created before its deferred links", async () => {
    const stack = stackWithoutIds();
    const stage = importStage(stack);
    const pair = [linkingBoard(16, hexId("a", 17)), linkingBoard(17, hexId("a", 16))];
    const run = await stage.run(records({ dashboards: pair, ...dependencies.ours }));
    expect(run.exitCode).toBe(0);
    const ids = recordsOn(stack, "dashboards").map(({ id }) => id);
    const reported = run.outcomes.filter(({ kind }) => kind === "dashboards").map(({ targetId }) => targetId);
    expect(reported).toEqual(expect.arrayContaining(ids));
    expect([...stage.bases.values()].map(({ targetId }) => targetId)).toEqual(expect.arrayContaining(ids));
  });
});
