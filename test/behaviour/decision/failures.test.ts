import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import {
  CONSISTENCY_WAIT_MS,
  importInto,
  importStage,
  outcomeOf,
  bodiesSentTo,
  type JournalEntry,
  type JsonObject,
} from "../../support/import-stage.ts";
import { journalFull } from "../../support/journal-file.ts";
import {
  lostAnswerError,
  refusalError,
  unreachableError,
  failOperation,
  interruptionError,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { foldJournal } from "../../../src/journal/fold.ts";
import { journalOf } from "../../support/rollback-runs.ts";
import { dashboard, hexId, records, alert, archiveIds, targetIds } from "../../support/stack-records.ts";
import { usualTarget, dependencies, alertedOverview, board, archiveOf } from "../../support/import-samples.ts";

const target = (): MemoryStack => usualTarget();

describe("a stack that cannot be reached", () => {
  it("ends the run at the first record that surely was not written (exit 6), and nothing more is sent", async () => {
    const stack = target();
    failOperation(stack, "create dashboards", () => unreachableError());
    const boards = [16, 17, 18].map((number) => board(number));
    const run = await importStage(stack).run(archiveOf(...boards), { concurrency: 1 });
    expect(run.exitCode).toBe(6);
    expect(bodiesSentTo(stack, "create dashboards").length).toBeLessThan(3);
    expect(run.outcomes.slice(0, 3).map(({ code }) => code)).toEqual([
      "unreachable",
      expect.any(String),
      "not-started",
    ]);
  });

  it("does not end the run when the stack refuses a single record", async () => {
    const stack = target();
    failOperation(stack, "create dashboards", () => refusalError("rejected", "no"), 1);
    const run = await importStage(stack).run(archiveOf(board(16), board(17)), { concurrency: 1 });
    expect(run.outcomes.slice(0, 2).map(({ status }) => status)).toEqual(["failed", "done"]);
  });
});

describe("the check after an import", () => {
  it("waits for every written record when the list shows some of them sooner than others", async () => {
    const stack = target();
    const stage = importStage(stack);
    let listedFrom = Number.POSITIVE_INFINITY;
    stack.interceptAfter = () => {
      listedFrom = stage.clock.now() + CONSISTENCY_WAIT_MS - 1;
    };
    stack.replaceListed = (kind, bodies) =>
      kind === "dashboards" && stage.clock.now() < listedFrom
        ? bodies.filter(({ name }) => name !== "Board 17")
        : bodies;
    const run = await stage.run(archiveOf(board(16), board(17)));
    expect(run.outcomes.slice(0, 2).map(({ status, code }) => [status, code])).toEqual([
      ["done", undefined],
      ["done", undefined],
    ]);
  });

  it("ends where the user interrupts the wait: what was written stays written, and the run is stopped", async () => {
    const stack = target();
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

describe("a record that the stack stores in another form than it was sent", () => {
  it("is reported once, from the response to the write, though the check after the import finds it as well", async () => {
    const stack = target();
    stack.replaceStored = (operation, body) =>
      operation === "create dashboards" ? { ...body, name: "Cut off" } : body;
    const run = await importStage(stack).run(archiveOf(board(16)));
    expect(run.warnings).toEqual([expect.objectContaining({ code: "not-stored", pointer: "/name" })]);
    expect(run.events.filter(({ type }) => type === "warning")).toEqual([
      { type: "warning", warning: run.warnings[0] },
    ]);
  });
});

describe("a run whose last journal entry cannot be written", () => {
  const endless = (error: () => Error): ReturnType<typeof importInto> => {
    const append = async ({ type }: JournalEntry): Promise<void> => {
      if (type === "end") throw error();
    };
    return importInto(target(), archiveOf(board(16)), {}, { ...journalOf(), append });
  };

  it("reports the outcome of each record", async () => {
    const { outcomes, stopped } = await endless(journalFull);
    expect(stopped).toMatchObject({ code: "journal" });
    expect(outcomes[0]).toMatchObject({ name: "Board 16", status: "done" });
  });

  it("does not hide an unexpected error of the program", async () => {
    await expect(endless(() => new TypeError("a bug"))).rejects.toThrow("a bug");
  });
});

describe("the check of what was written", () => {
  it("reports its start", async () => {
    const { events } = await importStage(target()).run(archiveOf(board(16), board(17)));
    expect(events).toContainEqual({ type: "phase", phase: "checking what was written" });
  });

  it.each([
    [
      "ends the run with what is known where the list cannot be read",
      refusalError("unauthorized", "no"),
      "unauthorized",
    ],
    ["is no place where a bug is hidden", new TypeError("a bug"), undefined],
  ])("%s", async (_, error, code) => {
    const stack = target();
    stack.interceptAfter = () => {
      stack.intercept = (operation) => {
        if (operation === "list dashboards") throw error;
      };
    };
    const run = importStage(stack).run(archiveOf(board(16)));
    if (code === undefined) return expect(run).rejects.toBe(error);
    const { stopped, outcomes } = await run;
    expect(stopped).toMatchObject({ code });
    return expect(outcomes[0]).toMatchObject({ name: "Board 16", status: "done" });
  });
});

it("a refused create is written to the journal, so the next run does not look for a lost create", async () => {
  const stack = target();
  const stage = importStage(stack);
  failOperation(stack, "create dashboards", () => refusalError("rejected", "no"));
  await stage.run(archiveOf(board(16)));
  expect(stage.history).toContainEqual(
    expect.objectContaining({ type: "refused", key: `dashboards/${hexId("a", 16)}` }),
  );
  const before = stage.clock.now();
  stack.intercept = () => {};
  const run = await stage.run(archiveOf(board(16)));
  expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "create", status: "done" });
  expect(stage.clock.now() - before).toBeLessThan(CONSISTENCY_WAIT_MS);
});

describe("unusual responses", () => {
  // Responses that lack a member, and a journal that fails at the same time.

  const overview = dashboard(hexId("a", 16), "Overview", archiveIds.source);
  const others = { ...dependencies.ours };
  const theirs = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
  const target = (more: Record<string, JsonObject[]> = {}): MemoryStack =>
    usualTarget({ dashboards: [theirs], ...more });

  /** Makes the stack's responses to updates lack the record's id. */
  function omitIdsFromUpdates(stack: MemoryStack): MemoryStack {
    const update = stack.client.update.bind(stack.client);
    stack.client.update = async (...args) => {
      const { id: _id, ...rest } = await update(...args);
      return rest;
    };
    return stack;
  }

  describe("an update that is answered without an id", () => {
    it("counts for the target's record, and links to the record get its id", async () => {
      const stack = omitIdsFromUpdates(target());
      const ours = alert(hexId("a", 32), "Busy", overview, archiveIds.webhook);
      const run = await importStage(stack).run(records({ dashboards: [overview], alerts: [ours], ...others }), {
        onConflict: "overwrite",
      });
      expect(run.exitCode).toBe(0);
      expect(outcomeOf(run, "Overview")).toMatchObject({ status: "done", targetId: hexId("b", 16) });
      expect(recordsOn(stack, "alerts")).toMatchObject([{ name: "Busy", dashboardId: hexId("b", 16) }]);
    });

    it("keeps the id of a dashboard created before its deferred links", async () => {
      const linking = (number: number, name: string, to: number): JsonObject => {
        const onClick = { type: "dashboard", target: { mode: "id", id: hexId("a", to) } };
        const config = { displayType: "table", sourceId: archiveIds.source, onClick };
        return dashboard(hexId("a", number), name, "", { tiles: [{ id: hexId("d", number), name: "Table", config }] });
      };
      const stack = omitIdsFromUpdates(target({ dashboards: [] }));
      const stage = importStage(stack);
      const run = await stage.run(records({ dashboards: [linking(16, "One", 17), linking(17, "Two", 16)], ...others }));
      expect(run.exitCode).toBe(0);
      const ids = recordsOn(stack, "dashboards").map(({ id }) => id);
      expect(run.outcomes.filter(({ kind }) => kind === "dashboards").map(({ targetId }) => targetId)).toEqual(
        expect.arrayContaining(ids),
      );
      expect([...stage.bases.values()].map(({ targetId }) => targetId)).toEqual(expect.arrayContaining(ids));
    });
  });

  describe("a run that cannot find out, or not note, that an update has deleted an alert", () => {
    const watching = alert(hexId("b", 32), "Watching", theirs, targetIds.webhook);
    const archive = records({ dashboards: [overview], ...others });
    const overwriting = { onConflict: "overwrite" } as const;

    /** Imports an update of the dashboard onto a stack that then deletes the alert. Afterwards this operation fails. */
    async function importWithoutCheck(failing: "list alerts" | "note the loss", error: () => Error) {
      const stack = target({ alerts: [watching] });
      stack.interceptAfter = (operation) => {
        if (operation !== "update dashboards") return;
        stack.records.get("alerts")?.clear();
        stack.intercept = (next) => {
          if (next === failing) throw error();
        };
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
    ] as const)("ends with the error (%s), and the next run names the alert", async (failing, error, code) => {
      const { run, stage } = await importWithoutCheck(failing, error);
      expect(run.stopped).toMatchObject({ code });
      expect(outcomeOf(run, "Overview")).toMatchObject({ status: "done" });
      const next = await stage.run(archive, overwriting);
      expect(outcomeOf(next, "Watching")).toMatchObject({ status: "failed", code: "cascade-loss" });
      expect(next.exitCode).toBe(3);
      expect((await stage.run(archive, overwriting)).exitCode).toBe(0);
    });

    it.each(["list alerts", "note the loss"] as const)("does not hide a bug of the program (%s)", async (failing) => {
      await expect(importWithoutCheck(failing, () => new TypeError("a bug"))).rejects.toThrow("a bug");
    });
  });
});

const archive = alertedOverview("Busy");

/** Interrupts every request of this operation, as if the user stopped the run while the request waited for its turn. */
function interruptRequests(stack: MemoryStack, wanted: string): void {
  stack.intercept = (operation) => {
    if (operation === wanted) throw interruptionError();
  };
}

describe("a write that was never sent because the run was stopped", () => {
  it.each(["create dashboards", "create alerts"])("was not begun: %s", async (operation) => {
    const stack = usualTarget();
    interruptRequests(stack, operation);
    const stage = importStage(stack);
    const run = await stage.run(archive);
    expect(run.exitCode).toBe(130);
    expect(run.outcomes.filter(({ status }) => status === "failed")).toEqual([]);
    expect(outcomeOf(run, "Busy")).toMatchObject({ status: "planned", code: "not-started" });
    expect(foldJournal(stage.history).open).toEqual([]);
  });
});

it("a create whose response was lost before the run was stopped is named as unknown", async () => {
  const stack = usualTarget();
  const stop = new AbortController();
  stack.intercept = (operation) => {
    if (operation === "create dashboards") {
      stop.abort();
      throw lostAnswerError();
    }
    if (stop.signal.aborted) throw interruptionError();
  };
  const run = await importStage(stack).run(archive, { signal: stop.signal });
  expect(outcomeOf(run, "Overview")).toMatchObject({ status: "failed", code: "interrupted" });
  expect(outcomeOf(run, "Busy")).toMatchObject({ status: "planned", code: "not-started" });
});
