import { describe, expect, it } from "vitest";
import { importStage } from "../support/import-stage.ts";
import { interrupt, refuse } from "../support/memory-stack.ts";
import { undo } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records } from "../support/stack-records.ts";
import { needs, usualTarget } from "../support/usual-stacks.ts";

// What a rollback calls the records that it tells of.

const [checkout, payment] = ["Checkout", "Payment"].map((name, at) =>
  dashboard(hexId("a", 16 + at), name, hexId("a", 1)),
) as [ReturnType<typeof dashboard>, ReturnType<typeof dashboard>];
const archive = records({
  dashboards: [checkout, payment],
  alerts: [alert(hexId("a", 32), "Busy", checkout, hexId("a", 2)), alert(hexId("a", 33), null, payment, hexId("a", 2))],
  ...needs.ours,
});

async function imported() {
  const stack = usualTarget();
  const stage = importStage(stack);
  expect((await stage.run(archive)).exitCode).toBe(0);
  return { stack, entries: stage.history };
}

describe("a rollback", () => {
  it("calls an alert without a name by what it watches, and one that has a name by nothing else", async () => {
    const { stack, entries } = await imported();
    const { outcomes } = await undo(stack, entries);
    const called = outcomes.map(({ name, displayName: instead }) => [name, instead] as const);
    expect(new Map(called)).toEqual(
      new Map([
        ["", "on Requests (Payment)"],
        ["Busy", undefined],
        ["Checkout", undefined],
        ["Payment", undefined],
      ]),
    );
  });

  it.each([1, 2])("says who points to a dashboard where that could not be deleted (alert %i)", async (refused) => {
    const { stack, entries } = await imported();
    let count = 0;
    stack.intercept = (operation) => {
      if (operation !== "delete alerts") return;
      count += 1;
      if (count === refused) throw refuse("rejected", "no");
    };
    const failed = (await undo(stack, entries)).outcomes.filter(({ status }) => status === "failed");
    expect(failed.map(({ kind, code }) => [kind, code])).toEqual([
      ["alerts", "rejected"],
      ["dashboards", "dependency-failed"],
    ]);
    const [name, user] = failed[0]?.name === "Busy" ? ["Checkout", 'alert "Busy"'] : ["Payment", "Requests (Payment)"];
    expect(failed[1]).toMatchObject({ name, message: expect.stringContaining(user) });
  });

  it("does not count a deletion as failed that was never sent", async () => {
    const { stack, entries } = await imported();
    stack.intercept = (operation) => {
      if (operation === "delete alerts") throw interrupt();
    };
    const { outcomes, stopped } = await undo(stack, entries);
    expect(stopped).toMatchObject({ code: "interrupted" });
    expect(outcomes.map(({ status, code }) => [status, code])).toEqual(
      ["alerts", "alerts", "dashboards", "dashboards"].map(() => ["planned", "not-started"]),
    );
  });
});
