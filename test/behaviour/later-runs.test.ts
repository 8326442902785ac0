import { describe, expect, it } from "vitest";
import { recordOn, recordsOn, sortedNamesOn } from "../support/on-stack.ts";
import {
  CONSISTENCY_WAIT_MS,
  importStage,
  outcomeOf,
  bodiesSentTo,
  writesOn,
  type JsonObject,
} from "../support/import-stage.ts";
import {
  lostAnswerError,
  failOperation,
  interruptionError,
  runKilled,
  spellIds,
  putRecord,
  namesOn,
  type MemoryStack,
} from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, tileOf, tileWith, archiveIds } from "../support/stack-records.ts";
import { logs, usualTarget, board, archiveOf, dependencies, update } from "../support/import-samples.ts";
import { rollBackJournal } from "../support/rollback-runs.ts";
import { programWithFiles } from "../support/program-with-archive.ts";

const target = (dashboards: readonly JsonObject[] = []): MemoryStack => usualTarget({ dashboards });
const both = archiveOf(board(16), board(17));

/** Lets the list show new dashboards only `ms` milliseconds after their create. */
function delayList(stack: MemoryStack, now: () => number, ms: number): void {
  const since = new Map<unknown, number>();
  stack.replaceStored = (_, body) => {
    since.set(body["id"], now());
    return body;
  };
  stack.replaceListed = (kind, bodies) =>
    kind === "dashboards"
      ? bodies.filter(({ id }) => now() >= (since.get(id) ?? Number.NEGATIVE_INFINITY) + ms)
      : bodies;
}

describe("a run right after another", () => {
  it("waits for the list when the run before did not read it, and creates nothing twice", async () => {
    const stack = target();
    const stage = importStage(stack);
    delayList(stack, () => stage.clock.now(), CONSISTENCY_WAIT_MS - 1);
    const controller = new AbortController();
    stack.intercept = (operation) => {
      if (operation !== "list dashboards" || writesOn(stack).length === 0) return;
      controller.abort(interruptionError());
      throw interruptionError();
    };
    expect(await stage.run(both, { signal: controller.signal })).toHaveProperty("stopped");
    stack.intercept = () => {};
    const again = await stage.run(both);
    expect(again.plan.items.slice(0, 2).map(({ action }) => action)).toEqual(["unchanged", "unchanged"]);
    expect(bodiesSentTo(stack, "create dashboards")).toHaveLength(2);
    expect(again.events.filter(({ type }) => type === "wait")).toHaveLength(1);
  });

  it("waits for the list also when the run before had another source, and creates nothing twice", async () => {
    await using program = await programWithFiles();
    expect((await program.run(program.migration())).exitCode).toBe(0);
    let lists = 0;
    program.watch = async ({ route }, proceed) =>
      route === "GET dashboards" && ++lists === 1 ? Response.json({ data: [] }) : proceed();
    const run = await program.apply();
    expect([run.exitCode, lists > 1], run.stdout).toEqual([0, true]);
    expect(await sortedNamesOn(program.to)).toEqual(["One", "Three", "Two"]);
  });
});

describe("an update without a recorded end in the journal", () => {
  const theirs = dashboard(hexId("b", 16), "Board 16", hexId("b", 1), { tags: ["theirs"] });

  it.each(["as it is", "in upper case"])(
    "is the import's own where the target shows it, its id %s",
    async (spelling) => {
      const stack = target([theirs]);
      const stage = importStage(stack);
      stack.interceptAfter = () => {
        throw new Error("killed");
      };
      await expect(stage.run(archiveOf(board(16)), { onConflict: "overwrite" })).rejects.toThrow("killed");
      stack.interceptAfter = () => {};
      if (spelling === "in upper case") spellIds(stack, "toUpperCase");
      const run = await stage.run(archiveOf(board(16)), { onConflict: "overwrite" });
      expect(outcomeOf(run, "Board 16")?.action).toBe("unchanged");
      expect(stage.history.filter(({ type }) => type === "done")).toMatchObject([{ write: "update" }]);
      expect(stage.history.filter(({ type }) => type === "intent")).toMatchObject([
        { image: { body: { tags: ["theirs"] } } },
      ]);
    },
  );

  it("is not assigned to another record of equal content", async () => {
    const stack = target([theirs]);
    const stage = importStage(stack);
    await runKilled(stack, "before", /^update dashboards$/, () =>
      stage.run(archiveOf(board(16)), { onConflict: "overwrite" }),
    );
    putRecord(stack, "dashboards", dashboard(hexId("b", 99), "Board 16", hexId("b", 1)));
    await stage.run(archiveOf(board(16)), { onConflict: "keep" });
    const done = stage.history.filter(({ type }) => type === "done");
    expect(done).toEqual([]);
  });
});

describe("a create whose response was lost three times", () => {
  it("is not sent a fourth time, and the next run takes its record if it appears in the list", async () => {
    const stack = target();
    const stage = importStage(stack);
    failOperation(stack, "create dashboards", () => lostAnswerError());
    const first = await stage.run(archiveOf(board(16)));
    expect(outcomeOf(first, "Board 16")).toMatchObject({ status: "failed", code: "unreachable" });
    expect(bodiesSentTo(stack, "create dashboards")).toHaveLength(3);
    expect(stage.history.filter(({ type }) => type === "refused" || type === "done")).toEqual([]);
    stack.intercept = () => {};
    putRecord(stack, "dashboards", dashboard(hexId("b", 16), "Board 16", hexId("b", 1)));
    const second = await stage.run(archiveOf(board(16)));
    expect(outcomeOf(second, "Board 16")).toMatchObject({ action: "unchanged", targetId: hexId("b", 16) });
    expect(stage.history.filter(({ type }) => type === "done")).toMatchObject([{ targetId: hexId("b", 16) }]);
    expect(writesOn(stack)).toHaveLength(3);
  });
});

describe("an alert that an import moves to another tile of its dashboard, whose tile it removes", () => {
  const configOf = (name: string): JsonObject => {
    return { displayType: name === "Brand new" ? "number" : "line", sourceId: archiveIds.source };
  };
  const boardWith = (...names: readonly string[]): JsonObject =>
    board(18, { tiles: names.map((name) => tileWith(hexId("e", name.length), name, configOf(name))) });
  const busyOn = (on: JsonObject, name: string): JsonObject =>
    alert(hexId("a", 20), "Busy", on, archiveIds.webhook, { tileId: hexId("e", name.length) });
  const run = async (before: readonly string[], after: readonly string[], to: string) => {
    const stack = usualTarget();
    const stage = importStage(stack);
    const [first, second] = [boardWith(...before), boardWith(...after)];
    const archive = (on: JsonObject, tile: string) =>
      records({ dashboards: [on], alerts: [busyOn(on, tile)], ...dependencies.ours });
    await stage.run(archive(first, before[0] ?? ""), update);
    stack.requests.length = 0;
    const again = () => stage.run(archive(second, to), update);
    return { stack, moved: await again(), again };
  };

  it("is moved, and the next run removes the tile", async () => {
    const { stack, moved, again } = await run(["Old", "Kept"], ["Kept"], "Kept");
    expect(outcomeOf(moved, "Board 18")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
    expect([moved.exitCode, writesOn(stack)]).toEqual([3, ["update alerts"]]);
    expect([(await again()).exitCode, writesOn(stack)]).toEqual([0, ["update alerts", "update dashboards"]]);
    expect(recordOn(stack, "alerts", "Busy")).toMatchObject({
      tileId: tileOf(recordOn(stack, "dashboards", "Board 18")),
    });
  });

  it("is not moved to a tile that the same update adds: the update is blocked", async () => {
    const { stack, moved } = await run(["Old", "Kept"], ["Kept", "Brand new"], "Brand new");
    expect(outcomeOf(moved, "Board 18")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
    expect([moved.exitCode, writesOn(stack)]).toEqual([3, []]);
  });
});

describe("two imports", () => {
  const board = (name: string, number: number, from: "a" | "b" = "a") =>
    dashboard(hexId(from, number), name, hexId(from, 1));
  const archive = records({ dashboards: [board("One", 16), board("Two", 17)], sources: [logs] });
  const target = (dashboards = [board("Old", 40, "b")]) => usualTarget({ dashboards });

  it("of two imports at once from two machines, the one that ends last says that all is there twice (exit 3)", async () => {
    const stack = target();
    const [first, second] = [importStage(stack), importStage(stack)];
    const runs = await Promise.all([first.run(archive), second.run(archive)]);
    expect(namesOn(stack)).toHaveLength(5);
    const overtaken = runs.filter(({ exitCode }) => exitCode === 3);
    expect(overtaken.length).toBeGreaterThan(0);
    for (const run of overtaken) {
      const doubled = run.outcomes.filter(({ code }) => code === "doubled");
      expect(doubled.map(({ name, status }) => [name, status])).toEqual([
        ["One", "failed"],
        ["Two", "failed"],
      ]);
    }
    await rollBackJournal(stack, (runs[1]?.exitCode === 3 ? second : first).history);
    expect(namesOn(stack)).toEqual(expect.arrayContaining(["Old", "One", "Two"]));
    expect(recordsOn(stack, "dashboards")).toHaveLength(3);
  });

  it("records from before the import, and two of one name in the archive, are not reported as doubles", async () => {
    const stack = target([board("One", 40, "b")]);
    const twins = records({ dashboards: [board("Twin", 16), board("Twin", 17), board("One", 18)], sources: [logs] });
    const run = await importStage(stack).run(twins, { namePrefix: "x ", onConflict: "keep" });
    expect(run.exitCode).toBe(0);
    expect(outcomeOf(run, hexId("a", 16))).toMatchObject({ action: "create", status: "done" });
  });
});
