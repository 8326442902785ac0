import { describe, expect, it } from "vitest";
import { usualTarget } from "../../support/import-samples.ts";
import { writesOn, type JournalEntry, type JsonObject } from "../../support/import-stage.ts";
import { instantClock } from "../../support/instant-clock.ts";
import {
  failOperation,
  interruptionError,
  namesOn,
  putRecord,
  refusalError,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  deletionEntries,
  killRollback,
  planLines,
  planRollbackOf,
  readAfter,
  rollBackJournal,
  timeOf,
  type ImportedStack,
} from "../../support/rollback-runs.ts";
import { alert, dashboard, hexId, targetIds } from "../../support/stack-records.ts";
import { BOTH, afterDeletion, linking, namesInPart, notes, pairOf, table, textOn, undoTwice } from "./deleted-pair.ts";

describe("a rollback that creates linked dashboards again", () => {
  const [one, two] = pairOf(linking);
  const three = [one, two, dashboard(hexId("b", 22), "Plain", targetIds.source)];

  it("brings their links back, with a second write where one closes a cycle", async () => {
    const { stack, entries } = afterDeletion(three);
    expect(await undoTwice(stack, entries)).toEqual(["One create done", "Two create done", "Plain create done"]);
    expect(namesInPart(stack, "onClick")).toMatchObject(BOTH);
    expect(writesOn(stack).toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => "create dashboards"),
      "update dashboards",
    ]);
  });

  it.each([
    ["refused", () => refusalError("rejected", "no"), "failed rejected"],
    ["never sent", interruptionError, "done link-failed"],
  ] as const)("reports a link that cannot be written, as %s, and nothing else fails", async (_, error, end) => {
    const { stack, entries } = afterDeletion(three);
    failOperation(stack, "update dashboards", error);
    const ends = ["One create done", `Two create ${end}`, "Plain create done"];
    expect((await rollBackJournal(stack, entries)).lines).toEqual(ends);
  });

  it("leaves a dashboard to whoever edits it before its link is written", async () => {
    const { stack, entries } = afterDeletion([one, two]);
    failOperation(stack, "update dashboards", () => new Error("nobody may overwrite the edit"));
    stack.interceptAfter = () => changeOn(stack, "dashboards", { tags: ["theirs"] });
    const ends = ["One create done", "Two create failed changed-since"];
    expect((await rollBackJournal(stack, entries)).lines).toEqual(ends);
  });
});

describe("a rollback that was killed while it made dashboards again", () => {
  /** Returns a dashboard that links to another dashboard and mentions it in its text. */
  const both = (number: number, name: string, to: number): JsonObject =>
    dashboard(hexId("b", number), name, "", { tiles: [table(number, to), notes(number, textOn(to))] });
  const [one, two] = pairOf(both);
  const message = `See /dashboards/${hexId("b", 21)}`;
  const watching = alert(hexId("b", 32), "Watching", one, targetIds.webhook, { message });
  const entries = [...deletionEntries("alerts", watching), ...afterDeletion([one, two]).entries];

  it.each([1, 2, 3, 4].flatMap((at) => [["before", at] as const, ["after", at] as const]))(
    "%s write %i is finished by the next one: nothing is doubled or left out",
    async (moment, at) => {
      const stack = usualTarget();
      await undoTwice(stack, await killRollback({ stack, entries }, moment, at));
      expect(namesInPart(stack, "onClick")).toEqual(BOTH);
      expect(namesInPart(stack, "markdown")).toEqual(BOTH);
      expect(recordsOn(stack, "alerts")).toMatchObject([
        {
          name: "Watching",
          dashboardId: recordOn(stack, "dashboards", "One").id,
          message: `See /dashboards/${recordOn(stack, "dashboards", "Two").id}`,
        },
      ]);
    },
  );

  const linked = async (at: number, deleted = afterDeletion(pairOf(linking))): Promise<ImportedStack> => {
    const history = await killRollback(deleted, "before", at, { fitLimits: true });
    return { stack: deleted.stack, entries: history };
  };
  const finishing = ["Two update"];

  it("has its links added by the next one to the form that --fit-limits gave the dashboards", async () => {
    const wide = pairOf((number, name, to) => {
      return dashboard(hexId("b", number), name, "", { tiles: [{ ...table(number, to), w: 36 }] });
    });
    const { stack, entries: history } = await linked(3, afterDeletion(wide));
    const refused = ["Two blocked failed needs-fitting"];
    expect((await rollBackJournal(stack, history)).lines).toEqual(refused);
    expect((await rollBackJournal(stack, history, { fitLimits: true })).lines).toEqual(["Two update done"]);
    expect(namesInPart(stack, "onClick")).toEqual(BOTH);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tiles: [{ w: 24 }] }, { tiles: [{ w: 24 }] }]);
  });

  it("has both dashboards linked by the next one where it had made only one", async () => {
    const { stack, entries: history } = await linked(2);
    expect(await planLines(stack, history)).toEqual(["One create", "Two update"]);
  });

  it("leaves a dashboard that somebody has changed since to them", async () => {
    const { stack, entries: history } = await linked(3);
    changeOn(stack, "dashboards", { tags: ["mine"] }, "Two");
    expect(await planLines(stack, history)).toEqual(["Two skip changed-since"]);
  });

  it("loses what it made when it is undone itself; only a rollback of the deleting run finishes the links", async () => {
    const { stack, entries: history } = await linked(3);
    expect(await planLines(stack, history, false, 2)).toEqual(["Two delete", "One delete"]);
    expect(await planLines(stack, history, false, 1)).toEqual(finishing);
  });

  it("is not confused with a complete one: links that somebody took out after that stay out", async () => {
    const { stack, entries: all } = afterDeletion(pairOf(linking));
    const { entries: after } = await rollBackJournal(stack, all);
    for (const body of recordsOn(stack, "dashboards")) {
      const tiles = (body["tiles"] as { config: JsonObject }[]).map((tile) => {
        const { onClick: _, ...config } = tile.config;
        return { ...tile, config };
      });
      putRecord(stack, "dashboards", { ...(body as JsonObject), tiles });
    }
    expect(await planRollbackOf(stack, after)).toEqual([]);
  });

  it("has the second of two equal dashboards created by the next one after it made the first", async () => {
    const twin = dashboard(hexId("b", 40), "Twin", targetIds.source);
    const deleted = afterDeletion([twin, { ...twin, id: hexId("b", 41) }]);
    await rollBackJournal(deleted.stack, await killRollback(deleted, "before", 2));
    expect(namesOn(deleted.stack)).toEqual(["Twin", "Twin"]);
  });

  it("lists that lag are waited for: for what it began, what it made, and what had been deleted", async () => {
    const waitOf = async (stack: MemoryStack, history: readonly JournalEntry[], at: string): Promise<number> =>
      (await readAfter(stack, history, instantClock(Date.parse(at)))).waitedMs;
    const stack = usualTarget();
    const history = await killRollback({ stack, entries }, "after", 1);
    expect(await waitOf(stack, history, timeOf(history))).toBe(10_000);
    const { entries: after } = await rollBackJournal(stack, history);
    const at = timeOf(after);
    expect(await waitOf(stack, after, at)).toBe(0);
    stack.replaceListed = () => [];
    expect(await waitOf(stack, after, at)).toBe(10_000);
    const begun = "2026-01-01T00:00:00.000Z";
    const deleted = [...entries, { type: "end", at: begun } as const];
    expect(await waitOf(usualTarget({ dashboards: [one, two] }), deleted, begun)).toBe(10_000);
  });
});
