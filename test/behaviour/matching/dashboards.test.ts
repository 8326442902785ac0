import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, writesOn, type JsonObject, type RunOptions } from "../../support/import-stage.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, linkingTable, records, tileWith, archiveIds } from "../../support/stack-records.ts";
import { dependencies, logs } from "../../support/import-samples.ts";

// These tests match dashboards of the archive with dashboards of the target. The tables shorten ids to letter and number: a16
// is hexId("a", 16).

const elsewhere = { variant: "self-hosted", baseUrl: "http://elsewhere.test" } as const;
const own: RunOptions = { source: undefined };
const update = { onConflict: "overwrite" } as const;
const short = (id: string): string =>
  id.startsWith("f00d") ? "new" : id.slice(0, 1) + Number.parseInt(id.slice(20), 16);

type Letter = "a" | "b";
/** Makes a dashboard with one tile on the source. */
const board = (letter: Letter, number: number, name: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId(letter, number), name, archiveIds.source, more);
/** Makes a dashboard with a tile of text for each name. */
const noted = (letter: Letter, number: number, name: string, ...tiles: string[]): JsonObject => {
  const note = (text: string, y: number): JsonObject =>
    tileWith(hexId("d", text.charCodeAt(0)), text, { displayType: "markdown", markdown: text }, { y });
  return board(letter, number, name, { tiles: tiles.map(note) });
};
/** Makes a dashboard with a tile for each dashboard in `to`; a click on the tile leads there. */
const linking = (letter: Letter, number: number, name: string, to: readonly string[]): JsonObject => {
  const tiles = to.map((id) => tileWith(`${id.slice(0, 20)}e001`, `To ${id}`, linkingTable(id, archiveIds.source)));
  return board(letter, number, name, { tiles });
};

/** Imports the dashboards `here` onto a stack with the dashboards `there`. Returns a line for each dashboard's outcome. */
async function matched(here: readonly JsonObject[], there: readonly JsonObject[], options: RunOptions = {}) {
  const stack = memoryStack({ dashboards: there, alerts: [], ...dependencies.ours });
  // The memory stack gives no ids to tiles that an update adds, so its lists cannot be read after an update.
  const given = { source: elsewhere, ...options };
  const run = await importStage(stack).run(records({ dashboards: here, sources: [logs] }), given);
  const lines = run.outcomes.flatMap(({ kind, sourceId, action, targetId, targetName, code }) => {
    if (kind !== "dashboards") return [];
    const parts = [short(sourceId ?? ""), action, targetId && short(targetId), targetName && `(${targetName})`, code];
    return [parts.filter(Boolean).join(" ")];
  });
  return { lines, run, stack };
}

const tags = (...names: string[]): JsonObject => ({ tags: names });
const one = [board("a", 16, "One", tags("ours"))];
const oneIs = (...there: [Letter, number, string][]): JsonObject[] =>
  there.map(([letter, number, tag]) => board(letter, number, "One", tags(tag)));
const payments = noted("a", 16, "Payments", "Payments of the week");
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
      "two on the target are left to the user under update, too",
      one,
      oneIs(["b", 20, "x"], ["b", 21, "y"]),
      update,
      [undecided],
    ],
    [
      "two in the archive and one on the target are left to the user",
      oneIs(["a", 16, "x"], ["a", 17, "y"]),
      oneIs(["b", 20, "z"]),
      update,
      [undecided, "a17 blocked ambiguous"],
    ],
    [
      "two on each side are told apart by content, and the remaining pair is the changed dashboard",
      oneIs(["a", 16, "x"], ["a", 17, "y"]),
      oneIs(["b", 20, "z"], ["b", 21, "x"]),
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
    ["names that differ by case are two dashboards", one, [board("b", 20, "ONE")], {}, ["a16 create new"]],
  ])("%s", async (_, here, there, options, lines) => {
    expect((await matched(here, there, options)).lines).toEqual(lines);
  });

  it("one that links to a dashboard which a later pass matches is matched, too", async () => {
    const here = [
      board("a", 16, "Leaf"),
      linking("a", 17, "Middle", [hexId("a", 16)]),
      linking("a", 18, "Top", [hexId("a", 17)]),
    ];
    // The target's dashboard with the same id and name leads to other dashboards; the one with equal content has another id.
    const there = [
      board("b", 16, "Leaf"),
      board("b", 15, "Else"),
      linking("a", 17, "Middle", [hexId("b", 15)]),
      linking("b", 17, "Middle", [hexId("b", 16)]),
      linking("b", 18, "Top", [hexId("a", 17)]),
      linking("b", 19, "Top", [hexId("b", 17)]),
    ];
    const { lines, stack } = await matched(here, there);
    expect(lines).toEqual(["a16 unchanged b16", "a17 unchanged b17", "a18 unchanged b19"]);
    expect(writesOn(stack)).toEqual([]);
  });
});

describe("a dashboard of the same id as one of the archive", () => {
  const ours = board("a", 16, "Ours");

  it.each<Row>([
    ["is left to the user under update, too, if nothing else is equal", [ours], [payments], update, [undecided]],
    [
      "is the counterpart on its own stack though nothing else is equal",
      [ours],
      [payments],
      { ...own, ...update },
      ["a16 update a16 (Payments)"],
    ],
    [
      "gives way to another one that has the name",
      [ours],
      [payments, board("b", 9, "Ours", tags("theirs"))],
      update,
      ["a16 update b9"],
    ],
    [
      "is left to the user if two others have the name",
      [ours],
      [payments, board("b", 8, "Ours", tags("x")), board("b", 9, "Ours", tags("y"))],
      {},
      [undecided],
    ],
    [
      "is the counterpart, whatever its content, if another one has the name, too",
      [ours],
      [board("b", 9, "Ours", tags("x")), { ...payments, name: "Ours" }],
      update,
      ["a16 update a16"],
    ],
    [
      "is the counterpart on its own stack though it was renamed, and another one has the name",
      [ours],
      [board("a", 16, "Renamed"), board("b", 18, "Ours", tags("someone's"))],
      { ...own, ...update },
      ["a16 update a16 (Renamed)"],
    ],
  ])("%s", async (_, here, there, options, lines) => {
    const { run, stack, ...made } = await matched(here, there, options);
    expect(made.lines).toEqual(lines);
    expect(run.exitCode).toBe(lines.includes(undecided) ? 3 : 0);
    if (lines.includes(undecided)) expect(writesOn(stack)).toEqual([]);
  });

  it("is named among the candidates in the message that leaves it to the user", async () => {
    const twins = [8, 9].map((number) => board("b", number, "Ours", tags(String(number))));
    const [byId, byName] = [await matched([ours], [payments]), await matched([ours], [payments, ...twins])];
    for (const part of ['"Payments"', hexId("a", 16), "map file"])
      expect(outcomeOf(byId.run, "Ours")?.message).toContain(part);
    for (const part of [hexId("b", 8), hexId("b", 9)]) expect(outcomeOf(byName.run, "Ours")?.message).toContain(part);
    expect(outcomeOf(byName.run, "Ours")?.message).not.toContain("Payments");
  });

  it("is on another stack if that is another service at the same address", async () => {
    const service = { variant: "managed", baseUrl: "http://memory.test", organizationId: "o", serviceId: "s" } as const;
    const { serviceId: _id, organizationId: _organization, ...same } = service;
    for (const [source, action] of [
      [service, "blocked"],
      [same, "update"],
    ] as const) {
      const stack = memoryStack({ dashboards: [payments], alerts: [], sources: [logs] }, "managed");
      const archive = records({ dashboards: [ours], sources: [logs] });
      const run = await importStage(stack).run(archive, { ...update, source });
      expect(outcomeOf(run, "Ours")).toMatchObject({ action });
    }
  });

  it("does not stand on another stack for what an alert references, if the archive lacks it", async () => {
    const archive = records({
      alerts: [alert(hexId("a", 32), "Busy", ours, archiveIds.webhook)],
      ...dependencies.ours,
    });
    const stack = memoryStack({ dashboards: [ours], alerts: [], ...dependencies.ours });
    const far = await importStage(stack).run(archive, { source: elsewhere });
    expect(outcomeOf(far, "Busy")).toMatchObject({ action: "blocked", code: "missing-reference" });
    expect(outcomeOf(await importStage(stack).run(archive), "Busy")).toMatchObject({
      action: "create",
      status: "done",
    });
  });
});

it("no alert is doubled where nothing tells which of several equal dashboards of the target is the one with the alert", async () => {
  const [ours, copy, watched] = [board("a", 16, "CPU"), board("b", 8, "CPU"), board("b", 9, "CPU")];
  const on = (owner: JsonObject, id: string): JsonObject => alert(id, "Busy", owner, archiveIds.webhook);
  const there = { dashboards: [copy, watched], alerts: [on(watched, hexId("b", 32))], ...dependencies.ours };
  const stack = memoryStack(there);
  const here = records({ dashboards: [ours], alerts: [on(ours, hexId("a", 32))], ...dependencies.ours });
  const run = await importStage(stack).run(here, { source: elsewhere });
  expect(outcomeOf(run, "CPU")).toMatchObject({ action: "blocked", code: "ambiguous" });
  expect(outcomeOf(run, "Busy")).toMatchObject({ action: "blocked" });
  expect(writesOn(stack)).toEqual([]);
  const mapping = { dashboards: { [hexId("a", 16)]: hexId("b", 9) } };
  expect((await importStage(stack).run(here, { source: elsewhere, mapping })).exitCode).toBe(0);
  expect(writesOn(stack)).toEqual([]);
});
