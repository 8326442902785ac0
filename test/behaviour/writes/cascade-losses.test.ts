import { describe, expect, it } from "vitest";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  CONSISTENCY_WAIT_MS,
  importStage,
  outcomeOf,
  outcomeLines,
  warningMessages,
  writesOn,
  type ImportStage,
  type JsonObject,
  type Outcome,
  type RunOptions,
  type StageRun,
} from "../../support/import-stage.ts";
import {
  failOperation,
  interruptionError,
  loseAlertsOnUpdate,
  putRecord,
  refusalError,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { rollBackJournal, importOnce } from "../../support/rollback-runs.ts";
import { alert, dashboard, hexId, records, tileWith, targetIds, archiveIds } from "../../support/stack-records.ts";
import { hook, logs, usualTarget, update } from "../../support/import-samples.ts";

const theirs = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
const other = dashboard(hexId("b", 17), "Other", targetIds.source);
const watching = alert(hexId("b", 32), "Watching", theirs, targetIds.webhook, { message: "call me" });
const elsewhere = alert(hexId("b", 33), "Elsewhere", other, targetIds.webhook);
const archive = records({ dashboards: [dashboard(hexId("a", 16), "Overview", archiveIds.source)], sources: [logs] });

const news = [20, 21, 22].map((number) => dashboard(hexId("a", number), `New ${number}`, archiveIds.source));

const target = (more: Record<string, JsonObject[]> = {}): MemoryStack =>
  usualTarget({ dashboards: [theirs, other], alerts: [watching, elsewhere], ...more });

const contentOf = ({ id: _id, state: _state, ...content }: Readonly<Record<string, unknown>>): unknown => content;
/** Runs an import that updates the dashboard, on a server that deletes the dashboard's alert during the update. */
async function importWithLoss(stack = target(), all = archive, options: RunOptions = {}) {
  loseAlertsOnUpdate(stack, hexId("b", 32));
  const stage = importStage(stack);
  const run = await stage.run(all, { ...update, ...options });
  return { stack, stage, run };
}

/** Returns the bodies that the journal has of what updates may delete. */
const atRiskIn = ({ history }: ImportStage) =>
  history.flatMap((entry) => (entry.type === "intent" ? (entry.dependents ?? []) : []));

const linesOf = (items: readonly Outcome[], name: string): string[] =>
  outcomeLines(items.filter((item) => item.name === name));
const lossesIn = ({ outcomes }: Pick<StageRun, "outcomes">): Outcome[] =>
  outcomes.filter(({ code }) => code === "cascade-loss");

describe("an import in which the server takes an alert away with its dashboard's update", () => {
  const ours = (more: JsonObject): JsonObject =>
    alert(hexId("a", 32), "Watching", dashboard(hexId("a", 16), "Overview", ""), archiveIds.webhook, more);
  const withAlert = (more: JsonObject) => [...archive, ...records({ alerts: [ours(more)], webhooks: [hook] })];
  const withNew = [...archive, ...records({ dashboards: [dashboard(hexId("a", 20), "New", archiveIds.source)] })];

  it("reports an outcome of the lost alert (exit 3), and keeps its body in the journal", async () => {
    const { stage, run } = await importWithLoss(target(), archive);
    expect(linesOf(run.outcomes, "Overview")).toEqual(["Overview update done"]);
    expect(run.outcomes.filter(({ kind }) => kind === "alerts")).toEqual(lossesIn(run));
    expect(lossesIn(run)).toMatchObject([{ name: "Watching", targetId: hexId("b", 32), status: "failed" }]);
    expect(run.exitCode).toBe(3);
    expect(atRiskIn(stage)).toMatchObject([{ key: `alerts/${hexId("b", 32)}`, name: "Watching", body: watching }]);
    expect(stage.history).toContainEqual(expect.objectContaining({ write: "delete", targetId: hexId("b", 32) }));
    expect(stage.history.at(-1)).toMatchObject({ type: "end" });
  });

  it("reports the loss as the only outcome of the archive's alert", async () => {
    const { run } = await importWithLoss(target(), withAlert({ message: "call me" }));
    expect(run.outcomes.filter(({ kind }) => kind === "alerts")).toEqual(lossesIn(run));
    expect(lossesIn(run)).toMatchObject([{ sourceId: hexId("a", 32), status: "failed" }]);
  });

  it("names the lost alert though another one of equal content is still there", async () => {
    const { run } = await importWithLoss(
      target({ alerts: [watching, { ...watching, id: hexId("b", 34) }, elsewhere] }),
    );
    expect(lossesIn(run)).toMatchObject([{ targetId: hexId("b", 32) }]);
    expect(run.exitCode).toBe(3);
  });

  it("has the lost alert created again by a rollback, once, after its dashboard is restored", async () => {
    const { stack, stage } = await importWithLoss();
    const { outcomes, entries } = await rollBackJournal(stack, stage.history);
    expect(outcomeLines(outcomes)).toEqual(["Overview update done", "Watching create done"]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([theirs, other]);
    expect(recordsOn(stack, "alerts").map(contentOf)).toContainEqual(contentOf(watching));
    const again = await rollBackJournal(stack, entries);
    expect(again.outcomes.filter(({ action }) => action !== "skip")).toEqual([]);
    expect(recordsOn(stack, "alerts")).toHaveLength(2);
  });

  it("does not have the lost alert created by a rollback without the secret that it held", async () => {
    const secret = { ...watching, message: "token=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB" };
    const { stack, stage } = await importWithLoss(target({ alerts: [secret] }));
    expect(JSON.stringify(stage.history)).not.toContain("ghp_0123456789");
    const { outcomes } = await rollBackJournal(stack, stage.history);
    expect(linesOf(outcomes, "Watching")).toEqual(["Watching skip done redacted"]);
  });

  it("has no secret of the alert's name in its journal", async () => {
    const secret = { ...watching, name: "Watching ghp_0123456789abcdefghijklmnopqrstuvwxyzAB" };
    const { run, stage } = await importWithLoss(target({ alerts: [secret] }));
    expect(run.outcomes.map(({ code }) => code)).toContain("cascade-loss");
    expect(JSON.stringify([stage.history, run.outcomes])).not.toContain("ghp_0123456789");
  });

  it("names the lost alert though the run fails half way", async () => {
    const stack = target();
    failOperation(stack, "create dashboards", () => refusalError("unauthorized", "no"));
    const { run } = await importWithLoss(stack, withNew, { concurrency: 1 });
    expect(run.stopped).toBeDefined();
    expect(outcomeOf(run, "Watching")).toMatchObject({ code: "cascade-loss" });
  });

  it("reports the error that ended it first where the list of alerts cannot be read", async () => {
    const stack = target();
    stack.intercept = (operation) => {
      if (operation === "create dashboards") throw refusalError("unauthorized", "no");
      if (operation === "list alerts" && writesOn(stack).length > 0) throw refusalError("rejected", "no list");
    };
    const run = await importStage(stack).run(withNew, { ...update, concurrency: 1 });
    expect(run.stopped).toMatchObject({ code: "unauthorized" });
  });

  describe("an alert that a rollback's update deletes", () => {
    it.each([
      ["of the last run", {}],
      ["of a chosen run", { run: 1 }],
    ])("is named, and created again by the next rollback %s", async (_which, chosen) => {
      const stack = target();
      const { entries } = await importOnce(archive, stack, update);
      loseAlertsOnUpdate(stack, hexId("b", 32));
      const first = await rollBackJournal(stack, entries, chosen);
      expect(outcomeOf(first, "Watching")).toMatchObject({ status: "failed", code: "cascade-loss" });
      const second = await rollBackJournal(stack, first.entries, chosen);
      expect(linesOf(second.outcomes, "Watching")).toEqual(["Watching create done"]);
      expect(recordsOn(stack, "alerts").map(contentOf)).toContainEqual(contentOf(watching));
    });

    it("is named if the rollback also restores the alert", async () => {
      const stack = target();
      const { entries } = await importOnce(withAlert({}), stack, update);
      const written = new Set<string>();
      stack.interceptAfter = (operation) => {
        written.add(operation);
        const isLast = written.has("update alerts") && written.has("update dashboards");
        if (isLast) stack.records.get("alerts")?.delete(hexId("b", 32));
      };
      expect(outcomeLines((await rollBackJournal(stack, entries)).outcomes)).toEqual([
        "Overview update done",
        "Watching skip failed cascade-loss",
      ]);
    });

    it("is not named if the rollback leaves the alert's dashboard alone", async () => {
      const stack = target();
      const { entries } = await importOnce(archive, stack, update);
      changeOn(stack, "dashboards", { tags: ["changed since"] }, "Overview");
      const between = (): void => void stack.records.get("alerts")?.delete(hexId("b", 32));
      expect(outcomeLines((await rollBackJournal(stack, entries, { between })).outcomes)).toEqual([
        "Overview skip done changed-since",
      ]);
    });

    it.each([true, false])("is on the tile's new id once it is created again (answered: %s)", async (answered) => {
      const { stack, stage } = await importWithLoss();
      stack.replaceStored = (operation, { tiles, ...body }) => ({
        ...body,
        ...(operation === "update dashboards" && {
          tiles: (tiles as JsonObject[]).map((tile) => ({ ...tile, id: hexId("e", 1) })),
        }),
      });
      const write = stack.client.update.bind(stack.client);
      stack.client.update = async (...args) => {
        const { id, ...rest } = await write(...args);
        return { ...(answered && { id: id ?? null }), ...rest };
      };
      expect(outcomeLines((await rollBackJournal(stack, stage.history)).outcomes)).toEqual([
        "Overview update done",
        "Watching create done",
      ]);
      expect(recordOn(stack, "alerts", "Watching")).toMatchObject({
        dashboardId: hexId("b", 16),
        tileId: hexId("e", 1),
      });
    });
  });
});

describe("a run that its user stops after the update that took an alert away", () => {
  const several = [...archive, ...records({ dashboards: news })];
  /** Returns a signal that stops the run as soon as the dashboard is updated. */
  function stopAfterUpdate(stack: MemoryStack): AbortSignal {
    const controller = new AbortController();
    const before = stack.interceptAfter;
    stack.interceptAfter = (operation) => {
      before(operation);
      if (operation === "update dashboards") controller.abort(interruptionError());
    };
    return controller.signal;
  }
  /**
   * Stops a run after its update. Afterwards the server deletes no more alerts.
   * @param isLost whether the server deletes an alert during the update
   * @param isBlind whether alerts cannot be listed after the stop
   */
  async function stoppedRun(isLost: boolean, isBlind = false) {
    const stack = target();
    if (isLost) loseAlertsOnUpdate(stack, hexId("b", 32));
    const stage = importStage(stack);
    const signal = stopAfterUpdate(stack);
    stack.intercept = (operation) => {
      if (isBlind && operation === "list alerts" && signal.aborted) throw refusalError("unauthorized", "no");
    };
    const run = await stage.run(several, { ...update, concurrency: 1, signal });
    expect(run.stopped).toMatchObject({ code: "interrupted" });
    stack.intercept = () => {};
    stack.interceptAfter = () => {};
    return { stack, stage, run };
  }

  it("does not name an alert that is still there, nor does the next run, and the one after it does not look again", async () => {
    const { stack, stage, run } = await stoppedRun(false);
    expect(outcomeOf(run, "Watching")).toBeUndefined();
    expect(outcomeOf(await stage.run(several, update), "Watching")).toBeUndefined();
    stack.records.get("alerts")?.delete(hexId("b", 32));
    expect(outcomeOf(await stage.run(several, update), "Watching")).toBeUndefined();
    const { outcomes } = await rollBackJournal(stack, stage.history, { run: 1 });
    expect(outcomes.map(({ name }) => name)).not.toContain("Watching");
  });

  it("has the alert's body in the journal, from which a rollback right after the stop creates it again", async () => {
    const { stack, stage, run } = await stoppedRun(true);
    expect(outcomeOf(run, "New 22")).toMatchObject({ code: "not-started" });
    expect(atRiskIn(stage)).toMatchObject([{ body: watching }]);
    const { outcomes } = await rollBackJournal(stack, stage.history);
    expect(outcomeLines(outcomes)).toEqual(expect.arrayContaining(["Overview update done", "Watching create done"]));
    expect(recordsOn(stack, "alerts").map(contentOf)).toContainEqual(contentOf(watching));
  });

  it("leaves the search for the alert to the next run, which searches only once", async () => {
    const { stage } = await stoppedRun(true);
    const next = await stage.run(several, update);
    expect(outcomeOf(next, "Watching")).toMatchObject({ status: "failed", code: "cascade-loss" });
    const last = await stage.run(several, update);
    expect([next.exitCode, outcomeOf(last, "Watching"), last.exitCode]).toEqual([3, undefined, 0]);
  });

  it("ignores a journal entry of a kind that this version does not support", async () => {
    const stage = importStage(target());
    const at = "2026-01-01T00:00:00.000Z";
    const dependents = [{ key: "widgets/a", name: "Widget", body: { id: "a" }, digest: "aa" }] as const;
    const write = { at, key: "widgets/b", write: "update", targetId: "b" } as const;
    stage.history.push({ type: "begin", at, run: 1 }, { ...write, type: "intent", name: "Other", dependents });
    const run = await stage.run(archive, update);
    expect([outcomeOf(run, "Widget"), run.exitCode]).toEqual([undefined, 0]);
  });

  it.each([hexId("b", 32), hexId("b", 60)])(
    "lets the next run find the alert under its old or a new id: %s",
    async (id) => {
      const { stack, stage } = await stoppedRun(true, true);
      putRecord(stack, "alerts", { ...watching, id });
      const next = await stage.run(several, update);
      expect([outcomeOf(next, "Watching"), next.exitCode]).toEqual([undefined, 0]);
    },
  );

  it("does not make a rollback name the alert if it is still on the stack", async () => {
    const { stack, stage } = await stoppedRun(false, true);
    const { outcomes } = await rollBackJournal(stack, stage.history);
    expect(outcomes.map(({ name }) => name)).not.toContain("Watching");
    expect(recordsOn(stack, "alerts")).toHaveLength(2);
  });

  it("leaves the search to the next run if the stop comes during the search", async () => {
    const stack = target();
    const controller = new AbortController();
    stack.intercept = (operation) => {
      if (operation !== "list alerts" || writesOn(stack).length === 0 || controller.signal.aborted) return;
      controller.abort(interruptionError());
      throw interruptionError();
    };
    const { run, stage } = await importWithLoss(stack, archive, { signal: controller.signal });
    expect(run.stopped).toMatchObject({ code: "interrupted" });
    expect(outcomeOf(await stage.run(archive, update), "Watching")).toMatchObject({ code: "cascade-loss" });
  });
});

describe("no report of a lost alert", () => {
  it("is raised for an alert on a dashboard whose update was never begun", async () => {
    const stack = target();
    stack.intercept = (operation) => {
      if (operation !== "create dashboards") return;
      stack.records.get("alerts")?.delete(hexId("b", 32));
      throw refusalError("unauthorized", "no");
    };
    const all = [...records({ dashboards: news }), ...archive];
    const run = await importStage(stack).run(all, { ...update, concurrency: 1 });
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "planned", code: "not-started" });
    expect(outcomeOf(run, "Watching")).toBeUndefined();
  });

  it("is raised for an alert on a dashboard that the run did not touch", async () => {
    const stack = target();
    loseAlertsOnUpdate(stack, hexId("b", 33));
    const run = await importStage(stack).run(archive, update);
    expect(run.exitCode).toBe(0);
  });

  it.each([
    ["lags", CONSISTENCY_WAIT_MS - 1, undefined],
    ["lags for longer than the consistency wait", CONSISTENCY_WAIT_MS + 1, "cascade-loss"],
  ])("is raised before the consistency wait is over, if the list %s", async (_, ms, code) => {
    const stack = target();
    const stage = importStage(stack);
    stack.interceptAfter = () => {
      const until = stage.clock.now() + ms;
      stack.replaceListed = (kind, bodies) => (kind === "alerts" && stage.clock.now() < until ? [] : bodies);
    };
    const run = await stage.run(archive, { ...update });
    expect(outcomeOf(run, "Watching")?.code).toBe(code);
  });

  it("costs one more request if a dashboard with alerts was updated, and none otherwise", async () => {
    const stack = target();
    const lists = async (onConflict: "overwrite" | "keep"): Promise<number> => {
      stack.requests.length = 0;
      await importStage(stack).run(archive, { onConflict });
      return stack.requests.filter(({ operation }) => operation === "list alerts").length;
    };
    expect([await lists("overwrite"), await lists("keep")]).toEqual([2, 1]);
  });
});

describe("an update that is known to lose an alert, as its tile is of a type that keeps none", () => {
  const shown = (id: string, tags: string[], config: JsonObject): JsonObject => ({
    ...dashboard(id, "Notes", ""),
    tags,
    tiles: [tileWith(hexId("d", 90), "Tile", config)],
  });
  const text = { displayType: "markdown", markdown: "x" };
  const there = (config: JsonObject = text): JsonObject => shown(hexId("b", 18), ["theirs"], config);
  const wanted = (config: JsonObject = text) => records({ dashboards: [shown(hexId("a", 18), ["ours"], config)] });
  const onTile = alert(hexId("b", 34), "On tile", there(), targetIds.webhook);
  const chart = (displayType: string): JsonObject => ({ displayType, select: [{ aggFn: "count" }] });
  const rawSql = (displayType: string): JsonObject => ({ displayType, configType: "sql", sqlTemplate: "SELECT 1" });

  it.each(["markdown", "table", "pie", "bar", "heatmap", "search", "event_patterns"])(
    "is blocked: %s",
    async (type) => {
      const stack = target({ dashboards: [there(chart(type))], alerts: [onTile] });
      const run = await importStage(stack).run(wanted(chart(type)), update);
      expect(outcomeOf(run, "Notes")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
      expect(outcomeOf(run, "Notes")?.message).toContain("On tile");
      expect(writesOn(stack)).toEqual([]);
    },
  );

  it.each<[string, string, JsonObject, JsonObject]>([
    ["is blocked", "line to table", chart("line"), chart("table")],
    ["is blocked", "line to raw SQL table", chart("line"), rawSql("table")],
    ["is done", "line to number", chart("line"), chart("number")],
    ["is done", "line to raw SQL line", chart("line"), rawSql("line")],
    ["is done", "table to stacked bar", chart("table"), chart("stacked_bar")],
  ])("%s where the tile changes its type: %s", async (end, _types, before, after) => {
    const stack = target({ dashboards: [], alerts: [] });
    // The state of an earlier import tells which tile this is, although its type is another one now.
    const stage = importStage(stack);
    await stage.run(wanted(before));
    const made = recordsOn(stack, "dashboards")[0] as JsonObject;
    putRecord(stack, "alerts", alert(hexId("b", 34), "On tile", made, targetIds.webhook));
    const run = await stage.run(wanted(after), update);
    expect(outcomeOf(run, "Notes")).toMatchObject({ action: end === "is done" ? "update" : "blocked" });
  });

  it.each([false, true])("is left alone by a rollback (force: %s)", async (force) => {
    const stack = target({ dashboards: [there()], alerts: [] });
    const stage = importStage(stack);
    await stage.run(wanted(), update);
    putRecord(stack, "alerts", onTile);
    const kept = await rollBackJournal(stack, stage.history, { force });
    expect(kept.outcomes).toMatchObject([{ action: "blocked", code: "would-delete-alerts" }]);
  });
});

it("an import warns of an alert that it makes on such a tile: the next update of its dashboard deletes it", async () => {
  const tiles = ["line", "table"].map((displayType, index) => {
    const config = { displayType, sourceId: archiveIds.source, select: [{ aggFn: "count" }] };
    return tileWith(hexId("d", 90 + index), displayType, config);
  });
  const both = dashboard(hexId("a", 19), "Both", archiveIds.source, { tiles });
  const alerts = tiles.map(({ id, name }, index) =>
    alert(hexId("a", 40 + index), `On ${String(name)}`, both, archiveIds.webhook, { tileId: id ?? null }),
  );
  const made = records({ dashboards: [both], alerts, webhooks: [hook] });
  const run = await importStage(target()).run([...made, ...archive.filter(({ kind }) => kind === "sources")]);
  expect(warningMessages(run.plan, "would-delete-alerts")).toEqual([expect.stringContaining("On table")]);
});
