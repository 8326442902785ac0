import { describe, expect, it } from "vitest";
import { importStage, outcomeOf } from "../support/import-stage.ts";
import { interrupt, loseAnswer } from "../support/memory-stack.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { stateOf, undo } from "../support/resume-into.ts";
import { usualTarget, watchedOverview } from "../support/usual-stacks.ts";

const archive = watchedOverview("Busy");

/** The requests of this operation wait for their turn when the user stops the run. */
function stopAt(stack: MemoryStack, wanted: string): void {
  stack.intercept = (operation) => {
    if (operation === wanted) throw interrupt();
  };
}

describe("a write that was never sent because the run was stopped", () => {
  it.each(["create dashboards", "create alerts"])("was not begun: %s", async (operation) => {
    const stack = usualTarget();
    stopAt(stack, operation);
    const stage = importStage(stack);
    const run = await stage.run(archive);
    expect(run.exitCode).toBe(130);
    expect(run.outcomes.filter(({ status }) => status === "failed")).toEqual([]);
    expect(outcomeOf(run, "Busy")).toMatchObject({ status: "planned", code: "not-started" });
    expect(stateOf(stage.history).pendingWrites).toEqual([]);
  });

  it("was not begun by a rollback either", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(archive);
    stopAt(stack, "delete alerts");
    const { outcomes, stopped } = await undo(stack, stage.history);
    expect(stopped).toMatchObject({ code: "interrupted" });
    expect(outcomes.map(({ status, code }) => `${status} ${code}`)).toEqual([
      "planned not-started",
      "planned not-started",
    ]);
  });
});

it("a create whose answer was lost before the run was stopped is named: nobody knows what became of it", async () => {
  const stack = usualTarget();
  const stop = new AbortController();
  stack.intercept = (operation) => {
    if (operation === "create dashboards") {
      stop.abort();
      throw loseAnswer();
    }
    if (stop.signal.aborted) throw interrupt();
  };
  const run = await importStage(stack).run(archive, { signal: stop.signal });
  expect(outcomeOf(run, "Overview")).toMatchObject({ status: "failed", code: "interrupted" });
  expect(outcomeOf(run, "Busy")).toMatchObject({ status: "planned", code: "not-started" });
});
