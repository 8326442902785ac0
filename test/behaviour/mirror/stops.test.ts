import { describe, expect, it } from "vitest";
import { recordOn, sortedNamesOn } from "../../support/on-stack.ts";
import { outcomeOf, writesOn, type ImportStage } from "../../support/import-stage.ts";
import {
  interruptionError,
  lostAnswerError,
  refusalError,
  unreachableError,
  failOperation,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { alertOn, archive, changedOutcomes, stageAfterImport, mirror } from "../../support/mirror-stage.ts";
import { board } from "../../support/import-samples.ts";
import { hexId } from "../../support/stack-records.ts";

// In these tests a mirror's deletions fail, or the checks before them.

const remaining = archive([board(18)]);
const stage3 = (): Promise<{ stack: MemoryStack; stage: ImportStage }> =>
  stageAfterImport([board(16), board(17), board(18)], [alertOn(16)]);

const linesOf = ({ history }: ImportStage): unknown[] =>
  history.flatMap((entry) =>
    "write" in entry && entry.write === "delete" ? [[entry.type, entry.type === "refused" ? entry.code : ""]] : [],
  );

describe("a record that somebody has deleted after the plan was made", () => {
  it("counts as deleted, and the journal knows it no longer", async () => {
    const { stack, stage } = await stage3();
    stack.intercept = (operation) => {
      if (operation === "get alerts") stack.records.get("alerts")?.clear();
    };
    const run = await stage.run(remaining, mirror);
    expect(run.exitCode).toBe(0);
    expect(changedOutcomes(run)).toEqual(["Alert 16 delete", "Board 16 delete", "Board 17 delete"]);
    expect([...stage.bases.values()].map(({ name }) => name)).not.toContain("Alert 16");
  });
});

describe("the journal of a deletion", () => {
  it("has an entry before and after the delete, with the record's body", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(18)]);
    const [id, content] = [recordOn(stack, "dashboards", "Board 16").id, expect.stringMatching(/^[0-9a-f]+$/)];
    await stage.run(remaining, mirror);
    expect(linesOf(stage)).toEqual([
      ["intent", ""],
      ["done", ""],
    ]);
    const image = { key: `dashboards/${id}`, name: "Board 16", body: { name: "Board 16" }, digest: content };
    expect(stage.history.find((entry) => entry.type === "intent" && entry.write === "delete")).toMatchObject({
      key: `dashboards/${hexId("a", 16)}`,
      name: "Board 16",
      targetId: id,
      image,
    });
  });

  it.each([
    ["a refusal", () => refusalError("rejected", "no"), [["refused", "rejected"]], "rejected"],
    ["a stack that was not reached", unreachableError, [["refused", "unreachable"]], "unreachable"],
    ["a stop before it was sent", interruptionError, [["refused", "interrupted"]], "not-started"],
    ["an answer that was lost: nobody knows the end", lostAnswerError, [], "unreachable"],
  ] as const)("says of %s what is known", async (_, error, ended, code) => {
    const { stack, stage } = await stageAfterImport([board(16), board(18)]);
    failOperation(stack, "delete dashboards", error, 1);
    const run = await stage.run(remaining, mirror);
    expect(linesOf(stage)).toEqual([["intent", ""], ...ended]);
    expect(outcomeOf(run, "Board 16")).toMatchObject({
      action: "delete",
      status: code === "not-started" ? "planned" : "failed",
      code,
    });
    expect([...stage.bases.values()].map(({ name }) => name)).toContain("Board 16");
  });
});

describe("a mirror that cannot read who uses the records to delete", () => {
  it("deletes nothing more, and the next mirror does the rest", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(18)]);
    failOperation(stack, "list alerts", () => unreachableError(), 2);
    const run = await stage.run(remaining, mirror);
    expect(run.stopped).toMatchObject({ code: "unreachable" });
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "delete", status: "failed", code: "unreachable" });
    expect(writesOn(stack)).toEqual([]);
    stack.intercept = () => {};
    expect((await stage.run(remaining, mirror)).exitCode).toBe(0);
    expect(sortedNamesOn(stack)).toEqual(["Board 18"]);
  });

  it("ends with an error that is no response of the stack", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(18)]);
    failOperation(stack, "list alerts", () => new TypeError("a bug"), 2);
    await expect(stage.run(remaining, mirror)).rejects.toThrow("a bug");
  });

  it("does not look at all once the run has stopped, be it by its user", async () => {
    for (const end of ["refused", "stopped"]) {
      const { stack, stage } = await stage3();
      const control = new AbortController();
      stack.intercept = (operation) => {
        if (operation !== "delete alerts") return;
        if (end === "refused") throw refusalError("unauthorized", "no");
        control.abort();
      };
      const run = await stage.run(remaining, { ...mirror, signal: control.signal });
      expect(run.stopped?.code).toBe(end === "refused" ? "unauthorized" : "interrupted");
      expect(stack.requests.filter(({ operation }) => operation === "list dashboards")).toHaveLength(1);
      expect(writesOn(stack)).toEqual(["delete alerts"]);
      expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17", "Board 18"]);
    }
  });
});

describe("deletes of a mirror", () => {
  it("a failed delete blocks only the deletes that depend on it", async () => {
    const { stack, stage } = await stage3();
    failOperation(stack, "delete alerts", () => refusalError("rejected", "no"), 1);
    const run = await stage.run(remaining, mirror);
    expect(run.exitCode).toBe(3);
    expect(changedOutcomes(run)).toEqual(["Alert 16 delete rejected", "Board 16 blocked in-use", "Board 17 delete"]);
    expect(sortedNamesOn(stack, "alerts")).toEqual(["Alert 16"]);
  });

  it("are not blocked by a lagging list that still shows a deleted alert", async () => {
    const { stack, stage } = await stage3();
    const alerts = [...(stack.records.get("alerts")?.values() ?? [])];
    stack.replaceListed = (kind, bodies) => (kind === "alerts" ? alerts : bodies);
    const run = await stage.run(remaining, mirror);
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "delete", status: "done" });
    expect(sortedNamesOn(stack)).toEqual(["Board 18"]);
  });
});

it("each delete is reported as soon as it has ended", async () => {
  const { stage } = await stage3();
  const { events } = await stage.run(remaining, mirror);
  const outcomes = events.flatMap((event) => (event.type === "outcome" ? [event.outcome] : []));
  expect(outcomes.filter(({ action }) => action === "delete").map(({ name }) => name)).toEqual([
    "Alert 16",
    "Board 16",
    "Board 17",
  ]);
});
