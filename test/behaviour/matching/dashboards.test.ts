import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, writesOn, type JsonObject, type RunOptions } from "../../support/import-stage.ts";
import { failOperation, memoryStack, refusalError } from "../../support/memory-stack.ts";
import { alert, archiveIds, dashboard, hexId, linkingTable, records, tileWith } from "../../support/stack-records.ts";
import { dependencies, fromOtherStack, logs, update } from "../../support/import-samples.ts";
import { shortId } from "./short-id.ts";

// The tables shorten ids to letter and number: a16 is hexId("a", 16).

const own: RunOptions = { source: undefined };

type Letter = "a" | "b";
/** Makes a dashboard with one tile on the source. */
const board = (letter: Letter, number: number, name: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId(letter, number), name, archiveIds.source, more);
/** Makes a dashboard with a tile for each dashboard in `to`; a click on the tile leads there. */
const linking = (letter: Letter, number: number, name: string, to: readonly string[]): JsonObject => {
  const tiles = to.map((id) => tileWith(`${id.slice(0, 20)}e001`, `To ${id}`, linkingTable(id, archiveIds.source)));
  return board(letter, number, name, { tiles });
};

/** Imports the dashboards `here` onto a stack with the dashboards `there`. Returns a line for each dashboard's outcome. */
async function matched(here: readonly JsonObject[], there: readonly JsonObject[], options: RunOptions = {}) {
  const stack = memoryStack({ dashboards: there, alerts: [], ...dependencies.ours });
  const given = { ...fromOtherStack, ...options };
  const run = await importStage(stack).run(records({ dashboards: here, sources: [logs] }), given);
  const lines = run.outcomes.flatMap(({ kind, sourceId, action, targetId, targetName, code }) => {
    if (kind !== "dashboards") return [];
    const parts = [shortId(sourceId), action, targetId && shortId(targetId), targetName && `(${targetName})`, code];
    return [parts.filter(Boolean).join(" ")];
  });
  expect(writesOn(stack)).toHaveLength(lines.filter((line) => /create|update/.test(line)).length);
  expect(run.exitCode).toBe(lines.some((line) => line.includes("blocked")) ? 3 : 0);
  return { lines, run };
}

const tags = (...names: string[]): JsonObject => ({ tags: names });
const tagged = (...given: [Letter, number, tag: string][]): JsonObject[] =>
  given.map(([letter, number, tag]) => board(letter, number, "One", tags(tag)));
const sameLinks = (letter: Letter): JsonObject[] => [
  linking(letter, 16, "Same", [hexId(letter, 18)]),
  linking(letter, 17, "Same", [hexId(letter, 19)]),
  linking(letter, 18, "X", []),
  linking(letter, 19, "Y", []),
];
const undecided = "a16 blocked ambiguous";

type Row = [title: string, here: JsonObject[], there: JsonObject[], options: RunOptions, lines: string[]];

describe("dashboards of one name are matched:", () => {
  it.each<Row>([
    [
      "two in the archive and one on the target are left to the user under update, too",
      tagged(["a", 16, "x"], ["a", 17, "y"]),
      tagged(["b", 20, "z"]),
      update,
      [undecided, "a17 blocked ambiguous"],
    ],
    [
      "two on each side are told apart by content, and the remaining pair is the changed dashboard",
      tagged(["a", 16, "x"], ["a", 17, "y"]),
      tagged(["b", 20, "z"], ["b", 21, "x"]),
      {},
      ["a16 unchanged b21", "a17 skip b20 exists"],
    ],
    [
      "two on each side are told apart by the dashboards that they link to",
      sameLinks("a"),
      sameLinks("b").toReversed(),
      {},
      [16, 17, 18, 19].map((number) => `a${number} unchanged b${number}`),
    ],
    [
      "one that links to a dashboard which a later pass matches is matched, too",
      [board("a", 16, "Leaf"), linking("a", 17, "Middle", [hexId("a", 16)]), linking("a", 18, "Top", [hexId("a", 17)])],
      // The target's dashboard with the same id and name leads to other dashboards; the one with equal content has another id.
      [
        board("b", 16, "Leaf"),
        board("b", 15, "Else"),
        linking("a", 17, "Middle", [hexId("b", 15)]),
        linking("b", 17, "Middle", [hexId("b", 16)]),
        linking("b", 18, "Top", [hexId("a", 17)]),
        linking("b", 19, "Top", [hexId("b", 17)]),
      ],
      {},
      ["a16 unchanged b16", "a17 unchanged b17", "a18 unchanged b19"],
    ],
    [
      "names that differ by case are two dashboards",
      tagged(["a", 16, "ours"]),
      [board("b", 20, "ONE")],
      {},
      ["a16 create new"],
    ],
  ])("%s", async (_, here, there, options, lines) => {
    expect((await matched(here, there, options)).lines).toEqual(lines);
  });
});

describe("a dashboard of the same id as one of the archive", () => {
  const ours = board("a", 16, "Ours");
  const text = tileWith(hexId("d", 1), "Text", { displayType: "markdown", markdown: "Payments of the week" });
  const payments = board("a", 16, "Payments", { tiles: [text] });
  const twins = [8, 9].map((number) => board("b", number, "Ours", tags(String(number))));

  it.each<Row>([
    ["is left to the user under update, too, if nothing else is equal", [ours], [payments], update, [undecided]],
    [
      "gives way to another one that has the name",
      [ours],
      [payments, board("b", 9, "Ours", tags("theirs"))],
      update,
      ["a16 update b9"],
    ],
    [
      "is the counterpart on its own stack though it was renamed, and another one has the name",
      [ours],
      [board("a", 16, "Renamed"), board("b", 18, "Ours", tags("someone's"))],
      { ...own, ...update },
      ["a16 update a16 (Renamed)"],
    ],
  ])("%s", async (_, here, there, options, lines) => {
    expect((await matched(here, there, options)).lines).toEqual(lines);
  });

  it("is the only candidate that the message names, with the way to decide", async () => {
    const { run } = await matched([ours], [payments]);
    for (const part of ['"Payments"', hexId("a", 16), "map file"])
      expect(outcomeOf(run, "Ours")?.message).toContain(part);
  });

  it("is no candidate where two others have the name", async () => {
    const { lines, run } = await matched([ours], [payments, ...twins]);
    expect(lines).toEqual([undecided]);
    const message = outcomeOf(run, "Ours")?.message;
    for (const { id } of twins) expect(message).toContain(id);
    expect(message).not.toContain("Payments");
  });

  const address = { variant: "managed", baseUrl: "http://memory.test" } as const;

  it.each([
    ["another service at the same address", { ...address, organizationId: "o", serviceId: "s" }, "blocked"],
    ["the stack of this address", address, "update"],
  ])("is the counterpart only if the archive is of this stack: %s", async (_, source, action) => {
    const stack = memoryStack({ dashboards: [payments], alerts: [], sources: [logs] }, "managed");
    const run = await importStage(stack).run(records({ dashboards: [ours], sources: [logs] }), { ...update, source });
    expect(outcomeOf(run, "Ours")).toMatchObject({ action });
  });

  it("does not stand on another stack for what an alert references, if the archive lacks it", async () => {
    const archive = records({
      alerts: [alert(hexId("a", 32), "Busy", ours, archiveIds.webhook)],
      ...dependencies.ours,
    });
    const stack = memoryStack({ dashboards: [ours], alerts: [], ...dependencies.ours });
    const far = await importStage(stack).run(archive, fromOtherStack);
    expect(outcomeOf(far, "Busy")).toMatchObject({ action: "blocked", code: "missing-reference" });
    const near = await importStage(stack).run(archive);
    expect(outcomeOf(near, "Busy")).toMatchObject({ action: "create", status: "done" });
  });
});

it("no alert is doubled where nothing tells which of several equal dashboards of the target is the one with the alert", async () => {
  const [ours, copy, watched] = [board("a", 16, "CPU"), board("b", 8, "CPU"), board("b", 9, "CPU")];
  const on = (owner: JsonObject, id: string): JsonObject => alert(id, "Busy", owner, archiveIds.webhook);
  const there = { dashboards: [copy, watched], alerts: [on(watched, hexId("b", 32))], ...dependencies.ours };
  const stack = memoryStack(there);
  const here = records({ dashboards: [ours], alerts: [on(ours, hexId("a", 32))], ...dependencies.ours });
  const run = await importStage(stack).run(here, fromOtherStack);
  expect(outcomeOf(run, "CPU")).toMatchObject({ action: "blocked", code: "ambiguous" });
  expect(outcomeOf(run, "Busy")).toMatchObject({ action: "blocked" });
  const mapping = { dashboards: { [hexId("a", 16)]: hexId("b", 9) } };
  expect((await importStage(stack).run(here, { ...fromOtherStack, mapping })).exitCode).toBe(0);
  expect(writesOn(stack)).toEqual([]);
});

it("an import plans nothing if the dashboards of the target cannot be listed", async () => {
  const stack = memoryStack({ dashboards: [], alerts: [], ...dependencies.ours });
  failOperation(stack, "list dashboards", () => refusalError("unauthorized", "no"));
  const run = importStage(stack).run(records({ dashboards: [board("a", 16, "One")], sources: [logs] }));
  await expect(run).rejects.toMatchObject({ code: "unauthorized" });
  expect(writesOn(stack)).toEqual([]);
});
