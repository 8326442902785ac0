import { describe, expect, it } from "vitest";
import { foldJournal } from "../../../src/journal/fold.ts";
import {
  alertedOverview,
  archiveOf,
  board,
  dependencies,
  fromOtherStack,
  usualTarget,
} from "../../support/import-samples.ts";
import {
  CONSISTENCY_WAIT_MS,
  bodiesSentTo,
  importInto,
  importStage,
  outcomeLines,
  outcomeOf,
  type JournalEntry,
} from "../../support/import-stage.ts";
import { journalFull } from "../../support/journal-file.ts";
import {
  failOperation,
  interruptionError,
  lostAnswerError,
  refusalError,
  unreachableError,
} from "../../support/memory-stack.ts";
import { journalOf } from "../../support/rollback-runs.ts";
import { alert, dashboard, hexId, records, targetIds } from "../../support/stack-records.ts";

it("a run ends at the first record that surely was not written, as the stack cannot be reached: nothing more is sent", async () => {
  const stack = usualTarget();
  failOperation(stack, "create dashboards", () => unreachableError());
  const run = await importStage(stack).run(archiveOf(board(16), board(17), board(18)), { concurrency: 1 });
  expect(run.exitCode).toBe(6);
  expect(bodiesSentTo(stack, "create dashboards").length).toBeLessThan(3);
  const codes = run.outcomes.slice(0, 3).map(({ code }) => code);
  expect(codes).toEqual(["unreachable", expect.any(String), "not-started"]);
});

describe("a run that its user stops", () => {
  const archive = alertedOverview("Busy");

  it.each(["create dashboards", "create alerts"])(
    "has not begun a write that waited for its turn: %s",
    async (waiting) => {
      const stack = usualTarget();
      failOperation(stack, waiting, interruptionError);
      const stage = importStage(stack);
      const run = await stage.run(archive);
      expect(run.exitCode).toBe(130);
      expect(run.outcomes.filter(({ status }) => status === "failed")).toEqual([]);
      expect(outcomeOf(run, "Busy")).toMatchObject({ status: "planned", code: "not-started" });
      expect(foldJournal(stage.history).open).toEqual([]);
    },
  );

  it("names a create as unknown whose response was lost before", async () => {
    const stack = usualTarget();
    const stop = new AbortController();
    stack.intercept = (operation) => {
      if (stop.signal.aborted) throw interruptionError();
      if (operation !== "create dashboards") return;
      stop.abort();
      throw lostAnswerError();
    };
    const run = await importStage(stack).run(archive, { signal: stop.signal });
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "failed", code: "interrupted" });
    expect(outcomeOf(run, "Busy")).toMatchObject({ status: "planned", code: "not-started" });
  });

  it("while it checks what was written: that stays written, and the run is stopped", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    const user = new AbortController();
    stack.interceptAfter = () => {
      stack.replaceListed = (kind, bodies) => {
        if (kind !== "dashboards") return bodies;
        user.abort();
        return [];
      };
    };
    const run = await stage.run(archiveOf(board(16)), { signal: user.signal });
    expect(run.stopped?.code).toBe("interrupted");
    expect(outcomeOf(run, "Board 16")).toMatchObject({ status: "done" });
    expect(stage.history.map(({ type }) => type)).not.toContain("end");
  });
});

describe("the check of what was written", () => {
  it("reports its start, and waits for every record when the list shows some of them sooner than others", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    let listedFrom = Number.POSITIVE_INFINITY;
    stack.interceptAfter = () => {
      listedFrom = stage.clock.now() + CONSISTENCY_WAIT_MS - 1;
    };
    stack.replaceListed = (kind, bodies) =>
      kind === "dashboards" && stage.clock.now() < listedFrom
        ? bodies.filter(({ name }) => name !== "Board 17")
        : bodies;
    const { outcomes, events } = await stage.run(archiveOf(board(16), board(17)));
    expect(outcomeLines(outcomes.slice(0, 2))).toEqual(["Board 16 create done", "Board 17 create done"]);
    expect(events).toContainEqual({ type: "phase", phase: "checking what was written" });
  });

  it("reports a form in which the stack stores a record once, though the write's response has told of it already", async () => {
    const stack = usualTarget();
    stack.replaceStored = (operation, body) =>
      operation === "create dashboards" ? { ...body, name: "Cut off" } : body;
    const { warnings, events } = await importStage(stack).run(archiveOf(board(16)));
    expect(warnings).toEqual([expect.objectContaining({ code: "not-stored", pointer: "/name" })]);
    expect(events.filter(({ type }) => type === "warning")).toEqual([{ type: "warning", warning: warnings[0] }]);
  });
});

/** An error that ends a run in the end, with its code; a bug of the program has none, and is never hidden. */
type Failure = [what: string, error: () => Error, code: string | undefined];
const bug = new TypeError("a bug");

it.each<Failure>([
  ["the list cannot be read", () => refusalError("unauthorized", "no"), "unauthorized"],
  ["the list is not read because of a bug", () => bug, undefined],
  ["the last journal entry cannot be written", journalFull, "journal"],
  ["the last journal entry is not written because of a bug", () => bug, undefined],
])("a run whose records are written ends with the outcome of each where %s", async (what, error, code) => {
  const stack = usualTarget();
  stack.interceptAfter = () => {
    if (what.startsWith("the list")) failOperation(stack, "list dashboards", error);
  };
  const append = async ({ type }: JournalEntry): Promise<void> => {
    if (what.startsWith("the last") && type === "end") throw error();
  };
  const run = importInto(stack, archiveOf(board(16)), {}, { ...journalOf(), append });
  if (code === undefined) return expect(run).rejects.toBe(bug);
  const { stopped, outcomes } = await run;
  expect(stopped).toMatchObject({ code });
  return expect(outcomes[0]).toMatchObject({ name: "Board 16", status: "done" });
});

describe("an update that has deleted an alert, which the run cannot find out or not note,", () => {
  const theirs = dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] });
  const watching = alert(hexId("b", 32), "Watching", theirs, targetIds.webhook);
  const archive = records({ dashboards: [board(16)], ...dependencies.ours });
  const overwriting = { ...fromOtherStack, onConflict: "overwrite" } as const;

  /** Imports an update of the dashboard onto a stack that then deletes the alert. Afterwards this operation fails. */
  async function importWithoutCheck(failing: "list alerts" | "note the loss", error: () => Error) {
    const stack = usualTarget({ dashboards: [theirs], alerts: [watching] });
    stack.interceptAfter = (operation) => {
      if (operation !== "update dashboards") return;
      stack.records.get("alerts")?.clear();
      failOperation(stack, failing, error);
    };
    const stage = importStage(stack);
    const append = async (entry: JournalEntry): Promise<void> => {
      if (failing === "note the loss" && entry.type === "done" && entry.write === "delete") throw error();
      stage.history.push(entry);
    };
    const run = await stage.run(archive, { ...overwriting, journal: { ...journalOf(), append } });
    stack.intercept = () => {};
    return { run, stage };
  }

  it.each([
    ["list alerts", () => refusalError("rejected", "no list"), "rejected"],
    ["note the loss", journalFull, "journal"],
  ] as const)("ends the run with the error (%s), and the next run names the alert", async (failing, error, code) => {
    const { run, stage } = await importWithoutCheck(failing, error);
    expect(run.stopped).toMatchObject({ code });
    expect(outcomeOf(run, "Board 16")).toMatchObject({ status: "done" });
    const next = await stage.run(archive, overwriting);
    expect(outcomeOf(next, "Watching")).toMatchObject({ status: "failed", code: "cascade-loss" });
    expect(next.exitCode).toBe(3);
    expect((await stage.run(archive, overwriting)).exitCode).toBe(0);
  });

  it.each(["list alerts", "note the loss"] as const)("hides no bug of the program (%s)", async (failing) => {
    await expect(importWithoutCheck(failing, () => bug)).rejects.toBe(bug);
  });
});
