import { expect, it } from "vitest";
import { importStage, outcomeOf, storedRecords } from "../support/import-stage.ts";
import { undo } from "../support/resume-into.ts";
import { dashboard, hexId, records } from "../support/stack-records.ts";
import { logs, usualTarget } from "../support/usual-stacks.ts";

const board = (name: string, number: number, from: "a" | "b" = "a") =>
  dashboard(hexId(from, number), name, hexId(from, 1));
const archive = records({ dashboards: [board("One", 16), board("Two", 17)], sources: [logs] });
const target = (dashboards = [board("Old", 40, "b")]) => usualTarget({ dashboards });

it("of two imports at once from two machines, the one that ends last says that all is there twice (exit 3)", async () => {
  const stack = target();
  const [first, second] = [importStage(stack), importStage(stack)];
  const runs = await Promise.all([first.run(archive), second.run(archive)]);
  expect(storedRecords(stack, "dashboards").map(({ name }) => name)).toHaveLength(5);
  const told = runs.filter(({ exitCode }) => exitCode === 3);
  expect(told.length).toBeGreaterThan(0);
  for (const run of told) {
    const doubled = run.outcomes.filter(({ code }) => code === "doubled");
    expect(doubled.map(({ name, status }) => [name, status])).toEqual([
      ["One", "failed"],
      ["Two", "failed"],
    ]);
  }
  await undo(stack, (runs[1]?.exitCode === 3 ? second : first).history);
  expect(storedRecords(stack, "dashboards").map(({ name }) => name)).toEqual(
    expect.arrayContaining(["Old", "One", "Two"]),
  );
  expect(storedRecords(stack, "dashboards")).toHaveLength(3);
});

it("what was there before, and two of one name in the archive, are no doubles", async () => {
  const stack = target([board("One", 40, "b")]);
  const twins = records({ dashboards: [board("Twin", 16), board("Twin", 17), board("One", 18)], sources: [logs] });
  const run = await importStage(stack).run(twins, { onConflict: "duplicate" });
  expect(run.exitCode).toBe(0);
  expect(outcomeOf(run, "Twin")).toMatchObject({ action: "create", status: "done" });
});
