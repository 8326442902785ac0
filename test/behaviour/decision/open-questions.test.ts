import { describe, expect, it } from "vitest";
import { archiveOf, board, dependencies, hook, logs, theirLogs, usualTarget } from "../../support/import-samples.ts";
import {
  importInto,
  importStage,
  outcomeLines,
  outcomeOf,
  planInto,
  type JsonObject,
} from "../../support/import-stage.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { linkingBoard } from "../../support/mirror-stage.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  records,
  source,
  sqlDashboard,
  targetIds,
  tileWith,
} from "../../support/stack-records.ts";
import { keyOf, theirs } from "./boards.ts";

const busy = alert(hexId("a", 32), "Busy", board(16), archiveIds.webhook);
const theirSource = (number: number, name: string, table?: string): JsonObject =>
  source(hexId("b", number), name, hexId("c", 2), table);

describe("a plan asks of a map file", () => {
  const twins = [theirLogs, theirSource(3, "Logs")];
  const strangers = [theirSource(3, "X", "x"), theirSource(4, "Y", "y")];
  const filters = [{ id: "f1", name: "F", expression: "E", sourceId: archiveIds.source }];

  it.each([
    {
      title: "of its name",
      sources: [...twins, theirSource(4, "Other", "t")],
      dashboards: [board(16), board(17)],
      asked: { reason: "ambiguous", candidates: twins, neededBy: 2 },
    },
    {
      title: "of the target for one that is missing",
      sources: strangers,
      dashboards: [board(16, { filters })],
      asked: { reason: "missing", candidates: strangers, neededBy: 1 },
    },
  ])("to choose among all sources $title, by id and name", async ({ sources, dashboards, asked }) => {
    const { unresolved } = await planInto(usualTarget({ sources }), archiveOf(...dashboards));
    const candidates = asked.candidates.map(({ id, name }) => ({ id, name }));
    expect(unresolved).toEqual([{ space: "sources", id: archiveIds.source, name: "Logs", ...asked, candidates }]);
  });

  it("to name a webhook that the target's alerts use, each once, with the first that uses it, where it lists none", async () => {
    const used = [
      alert(hexId("b", 32), "First", theirs(), hexId("b", 7)),
      alert(hexId("b", 33), "Second", theirs(), hexId("b", 8)),
      alert(hexId("b", 34), "Third", theirs(), hexId("b", 7)),
    ];
    const stack = memoryStack({ dashboards: [theirs()], alerts: used, sources: [theirLogs] }, "managed");
    const plan = await planInto(stack, records({ dashboards: [board(16)], alerts: [busy], sources: [logs] }));
    expect(plan.unresolved).toMatchObject([
      {
        space: "webhooks",
        id: archiveIds.webhook,
        name: archiveIds.webhook,
        reason: "missing",
        candidates: [
          { id: hexId("b", 7), name: expect.stringContaining("First") },
          { id: hexId("b", 8), name: expect.stringContaining("Second") },
        ],
      },
    ]);
  });

  it("to choose among the connections that the target's sources use", async () => {
    const [ours, used] = [hexId("c", 9), hexId("c", 2)];
    const plan = await planInto(usualTarget(), records({ dashboards: [sqlDashboard(hexId("a", 16), ours)] }));
    const candidates = [{ id: used, name: expect.stringContaining("Logs") }];
    expect(plan.unresolved).toMatchObject([{ space: "connections", id: ours, candidates }]);
  });

  it("no tile: what an alert watches is named by its dashboard", async () => {
    const there = theirs({ tiles: [tileWith(hexId("d", 1), "Else", { displayType: "line" })] });
    const archive = records({ dashboards: [board(16)], alerts: [busy], ...dependencies.ours });
    const plan = await planInto(usualTarget({ dashboards: [there] }), archive);
    expect(outcomeLines(plan.items, "name", "action", "code")).toContain("Busy blocked missing-reference");
    expect(plan.unresolved).toEqual([]);
  });
});

describe("records that are never written", () => {
  const gone = source(hexId("a", 3), "Gone", hexId("c", 1), "gone");
  const archive = records({ dashboards: [board(16)], sources: [logs, gone], webhooks: [hook] });

  it("are named with what they were matched with, or that they were not", async () => {
    const { items } = await planInto(usualTarget(), archive);
    expect(outcomeLines(items.slice(1), "kind", "name", "action", "code", "targetId")).toEqual([
      `sources Logs skip matched ${targetIds.source}`,
      "sources Gone skip unmatched",
      `webhooks oncall skip matched ${targetIds.webhook}`,
    ]);
  });

  it("are named only where their kind is asked for", async () => {
    const { items } = await planInto(usualTarget(), archive, { kinds: ["dashboards", "webhooks"] });
    expect(items.map(({ kind }) => kind)).toEqual(["dashboards", "webhooks"]);
  });
});

it.each([
  ["all of its tiles, but lacks its link", []],
  ["a tile more", [tileWith(hexId("d", 8), "Somebody's", { displayType: "line" })]],
])(
  "the only new record of the name of a create without a recorded end is kept, as nothing tells who changed it: %s",
  async (_, more) => {
    const unlinked = tileWith(hexId("d", 9), "Links", { displayType: "line" });
    const there = theirs({ tiles: [unlinked, ...more], description: "as the server keeps it" });
    const stage = importStage(usualTarget({ dashboards: [there] }));
    const at = "2026-01-01T00:00:00.000Z";
    stage.history.push({ type: "intent", at, key: keyOf(16), name: "Board 16", write: "create" });
    const run = await stage.run(archiveOf(linkingBoard(16, hexId("a", 17)), linkingBoard(17, hexId("a", 16))));
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "skip", code: "exists", targetId: hexId("b", 16) });
  },
);

it("a record with secrets taken out lists each place to fill once, with as many rules as it holds secrets", async () => {
  const MARK = "«redacted:assigned-secret»";
  const names = [`a ${MARK} b ${MARK}`, "plain", MARK];
  const tiles = names.map((name, at) => tileWith(hexId("d", at), name, { displayType: "line" }));
  const plan = await planInto(usualTarget(), archiveOf(board(16, { tiles }), board(17)));
  expect(plan.missingSecrets.map(({ name, pointer, rules }) => [name, pointer, rules.length])).toEqual([
    ["Board 16", "/tiles/0/name", 2],
    ["Board 16", "/tiles/2/name", 1],
  ]);
  expect(outcomeLines(plan.items.slice(0, 2), "action")).toEqual(["blocked", "create"]);
});

it("a dead reference is named by its own place, not by that of another of its kind", async () => {
  const goneId = hexId("e", 77);
  const tiles = [archiveIds.source, goneId].flatMap((id) => dashboard(id, "", id)["tiles"] as JsonObject[]);
  const archive = records({ sources: [logs], dashboards: [board(16, { tiles })] });
  const { outcomes, plan } = await importInto(usualTarget(), archive, { whole: new Set(["sources"]) });
  expect(plan.unresolved.map(({ id, reason }) => [id, reason])).toEqual([[goneId, "dead"]]);
  expect(outcomes.find(({ kind }) => kind === "dashboards")).toMatchObject({
    code: "dead-reference",
    message: expect.stringContaining("(/tiles/1/config/sourceId)"),
  });
});
