import { describe, expect, it } from "vitest";
import { recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  excluding,
  importStage,
  outcomeOf,
  bodiesSentTo,
  warningMessages,
  writesOn,
  type JsonObject,
  type RunOptions,
  type StageRun,
  warningsBesidesJournal,
} from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import {
  alert,
  dashboard,
  hexId,
  linkingTable,
  rawSql,
  records,
  source,
  tileOf,
  tileWith,
  webhook,
  archiveIds,
  targetIds,
} from "../../support/stack-records.ts";
import { hook, theirHook } from "../../support/import-samples.ts";

const sources = [1, 2, 3].map((number) => source(hexId("a", number), `S${number}`, hexId("c", 1), `t${number}`));
const webhooks = [4, 5].map((number) => webhook(hexId("a", number), `hook ${number}`));
const target = (seed: Readonly<Record<string, readonly JsonObject[]>> = {}): MemoryStack =>
  memoryStack({
    dashboards: [],
    alerts: [],
    sources: [1, 2, 3].map((number) => source(hexId("b", number), `S${number}`, hexId("c", 2), `t${number}`)),
    webhooks: [4, 5].map((number) => webhook(hexId("b", number), `hook ${number}`)),
    ...seed,
  });
const archiveOf = (dashboards: readonly JsonObject[], alerts: readonly JsonObject[] = []) =>
  records({ dashboards, alerts, sources, webhooks });
const board = (more: JsonObject = {}): JsonObject => dashboard(hexId("a", 16), "Board", archiveIds.source, more);
const text = (markdown: string): JsonObject => ({ displayType: "markdown", markdown });
const withTile = (config: JsonObject): JsonObject => board({ tiles: [tileWith(hexId("d", 1), "T", config)] });
const boardWithText = (markdown: string): JsonObject => withTile(text(markdown));
const filtered = (more: JsonObject): JsonObject =>
  board({ filters: [{ id: hexId("e", 1), name: "F", expression: "s", ...more }] });
/** Returns the alert "Slow" on a dashboard, with a channel for each webhook number. */
function slow(numbers: readonly number[], on = board(), more: JsonObject = {}): JsonObject {
  const channels = numbers.map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
  return alert(hexId("a", 32), "Slow", on, hexId("a", numbers[0] ?? 0), { channels, ...more });
}
/** Records of the archive that the target lacks. */
const missingRecords = records({
  sources: [source(hexId("a", 7), "Gone", hexId("c", 1), "t7")],
  webhooks: [webhook(hexId("a", 9), "gone")],
});

/** Imports these records onto the target once. */
async function imported(
  dashboards: readonly JsonObject[],
  alerts: readonly JsonObject[] = [],
  options: RunOptions = {},
  stack = target(),
): Promise<{ stack: MemoryStack; run: StageRun }> {
  const run = await importStage(stack).run([...archiveOf(dashboards, alerts), ...missingRecords], options);
  return { stack, run };
}
const theirChannels = (...numbers: number[]) => numbers.map((number) => ({ webhookId: hexId("b", number) }));
const markdownOf = (stack: MemoryStack): unknown =>
  (recordOn(stack, "dashboards", "Board") as unknown as { tiles: { config: { markdown: string } }[] }).tiles[0]?.config
    .markdown;

describe("a map file that was corrected after an import", () => {
  const archive = archiveOf([board()], [slow([4])]);
  const wrong = { mapping: { webhooks: { "hook 4": "hook 5" }, sources: { S1: "S2" } } };
  const right = { mapping: { webhooks: { "hook 4": "hook 4" }, sources: { S1: "S1" } } };
  const hookOf = (stack: MemoryStack): unknown => recordsOn(stack, "alerts")[0]?.["channel"];

  it.each([
    ["updates", "with the journal", true, {}, "update", 4],
    ["updates", "with the journal and overwrite", true, { onConflict: "overwrite" }, "update", 4],
    ["updates", "without the journal but overwrite", false, { onConflict: "overwrite" }, "update", 4],
    ["keeps", "without the journal", false, {}, "skip", 5],
  ] as const)("%s the records that are there, %s", async (_does, _with, keepsJournal, options, action, number) => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(archive, wrong);
    expect(hookOf(stack)).toMatchObject({ webhookId: hexId("b", 5) });
    if (!keepsJournal) stage.history.length = 0;
    const run = await stage.run(archive, { ...right, ...options });
    expect(["Board", "Slow"].map((name) => outcomeOf(run, name)?.action)).toEqual([action, action]);
    expect(hookOf(stack)).toMatchObject({ webhookId: hexId("b", number) });
    stack.requests.length = 0;
    await stage.run(archive, { ...right, ...options });
    expect(writesOn(stack)).toEqual([]);
  });

  it("leads to a warning for a saved search, which no import updates", async () => {
    const search = { id: hexId("a", 8), name: "Errors", sourceId: archiveIds.source, select: "", where: "" };
    const searches = records({ sources, "saved-searches": [search] });
    const stage = importStage(target({ "saved-searches": [] }));
    await stage.run(searches, { ...wrong, create: ["saved-searches"] });
    const run = await stage.run(searches, { ...right, create: ["saved-searches"] });
    expect(outcomeOf(run, "Errors")).toMatchObject({ action: "skip", code: "exists" });
  });
});

describe("an alert", () => {
  it("has the target's ids in every place: dashboard, tile, the channel and all the channels", async () => {
    const { stack } = await imported([board()], [slow([4, 5])]);
    const made = recordOn(stack, "dashboards", "Board");
    const [channel, ...others] = theirChannels(4, 5);
    const ids = { dashboardId: made.id, tileId: tileOf(made), channel, channels: [channel, ...others] };
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([ids]);
  });

  it("has them with a channel alone, or with channels alone", async () => {
    const { channels: _channels, ...single }: JsonObject = { ...slow([4]), name: "Single" };
    const { channel: _channel, ...plural }: JsonObject = { ...slow([5]), id: hexId("a", 33), name: "Plural" };
    const { stack } = await imported([board()], [single, plural]);
    const sent = new Map(bodiesSentTo(stack, "create alerts").map((body) => [body["name"], body]));
    expect(sent.get("Single")).toMatchObject({ channel: { webhookId: hexId("b", 4) } });
    expect(sent.get("Plural")).toMatchObject({ channels: theirChannels(5) });
  });

  it("watches the tile of its own dashboard, where two dashboards have tiles of one id", async () => {
    const config = { displayType: "line", sourceId: archiveIds.source };
    const tiled = (number: number, ...names: string[]): JsonObject =>
      dashboard(hexId("a", number), `Board ${number}`, "", {
        tiles: names.map((name, index) => ({ id: `tile-${index}`, name, config })),
      });
    const on = { id: hexId("a", 17), tiles: [{ id: "tile-1" }] };
    const { stack } = await imported([tiled(16, "A", "B"), tiled(17, "C", "D")], [slow([4], on)]);
    const { id, tiles } = recordOn(stack, "dashboards", "Board 17");
    const tile = (tiles as { id: string; name: string }[]).find(({ name }) => name === "D");
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ dashboardId: id, tileId: tile?.id }]);
  });

  it("is sent without the members that the server refuses when they are empty", async () => {
    const more = { thresholdMax: null, scheduleOffsetMinutes: null, message: "" };
    const { stack } = await imported([board()], [slow([4], board(), more)]);
    const [sent] = bodiesSentTo(stack, "create alerts");
    expect(Object.keys(sent ?? {}).filter((member) => member in more)).toEqual([]);
  });

  it("uses the webhook for all others only where nothing better is known", async () => {
    const { stack } = await imported([board()], [slow([4, 9])], { mapping: { webhooks: { "*": "hook 5" } } });
    const [channel, ...others] = theirChannels(4, 5);
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ channel, channels: [channel, ...others] }]);
  });
});

describe("a dashboard", () => {
  it("has the target's sources in tiles, filters, what filters apply to, and clicks", async () => {
    const click = { type: "search", target: { mode: "id", id: hexId("a", 3) } };
    const { tiles = null } = withTile({ displayType: "table", sourceId: archiveIds.source, onClick: click });
    const appliesToSourceIds = [hexId("a", 3), hexId("a", 1)];
    const { stack } = await imported([{ ...filtered({ sourceId: hexId("a", 2), appliesToSourceIds }), tiles }]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([
      {
        tiles: [{ config: { sourceId: targetIds.source, onClick: { target: { id: hexId("b", 3) } } } }],
        filters: [{ sourceId: hexId("b", 2), appliesToSourceIds: [hexId("b", 3), hexId("b", 1)] }],
      },
    ]);
    const [sent] = bodiesSentTo(stack, "create dashboards") as [{ tiles: object[]; filters: object[] }];
    expect([...sent.tiles, ...sent.filters].filter((part) => "id" in part)).toEqual([]);
  });

  it("is written though a filter applies to a source that nobody has any more, and a warning says so", async () => {
    const { run } = await imported([filtered({ appliesToSourceIds: [hexId("a", 99)] })]);
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "create", status: "done" });
    expect(run.plan.warnings).toMatchObject([{ code: "dead-link", pointer: "/filters/0/appliesToSourceIds/0" }]);
  });

  it("keeps references to records of its own stack that are not in the archive", async () => {
    const there = target({ sources: [source(hexId("a", 99), "Elsewhere", hexId("c", 1))] });
    const { stack, run } = await imported([dashboard(hexId("a", 16), "Board", hexId("a", 99))], [], {}, there);
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "create", status: "done" });
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tiles: [{ config: { sourceId: hexId("a", 99) } }] }]);
  });
});

describe("what the server would refuse blocks the record", () => {
  const { channels: _none, ...single } = slow([9]);
  const onClick = { type: "search", target: { mode: "id", id: hexId("a", 7) } };

  it.each<[string, JsonObject, JsonObject[], string]>([
    ["a filter on a source that the target lacks", filtered({ sourceId: hexId("a", 7) }), [], "missing-reference"],
    ["a filter that applies to one", filtered({ appliesToSourceIds: [hexId("a", 7)] }), [], "missing-reference"],
    ["a click that searches one", withTile({ displayType: "table", onClick }), [], "missing-reference"],
    ["a tile's source in no archive", dashboard(hexId("a", 16), "Board", hexId("a", 99)), [], "missing-reference"],
    ["an alert whose only channel is a webhook that the target lacks", board(), [single], "missing-reference"],
    ["an alert of which the second channel is one", board(), [slow([4, 9])], "missing-reference"],
  ])("%s", async (_, body, alerts, code) => {
    const { run } = await imported([body], alerts);
    const blocked = run.outcomes.flatMap((outcome) => (outcome.action === "blocked" ? [outcome.code] : []));
    expect([blocked, run.exitCode]).toEqual([[code], 3]);
  });
});

describe("ids in a text", () => {
  const [ours, theirs] = [hexId("a", 1), hexId("b", 1)];
  it.each([
    [
      "a link",
      `[x](https://o11y.test/search?source=${ours}&q=1)`,
      `[x](https://o11y.test/search?source=${theirs}&q=1)`,
    ],
    ["two in one", `${ours} and ${hexId("a", 2)}, ${ours}.`, `${theirs} and ${hexId("b", 2)}, ${theirs}.`],
    ["in upper case", `see ${ours.toUpperCase()}`, `see ${theirs}`],
    ["of a webhook", `ask ${hexId("a", 4)}!`, `ask ${hexId("b", 4)}!`],
    ["part of a longer number", `f${ours}`, `f${ours}`],
    ["part of a word", `x-${ours}`, `x-${ours}`],
    ["nobody's", hexId("e", 77), hexId("e", 77)],
  ])("become the target's, where they are ids of records: %s", async (_, markdown, expected) => {
    const { stack } = await imported([boardWithText(markdown)]);
    expect(markdownOf(stack)).toBe(expected);
  });

  it("of a connection that a tile uses becomes the target's", async () => {
    const configs = [text(`on ${hexId("c", 1)}`), rawSql(hexId("c", 1))];
    const tiles = configs.map((config, index) => tileWith(hexId("d", index), `T${index}`, config));
    const { stack } = await imported([board({ tiles })]);
    expect(markdownOf(stack)).toBe(`on ${hexId("c", 2)}`);
  });

  it("of a tile becomes that of the same tile on the target", async () => {
    const tiles = [tileWith(hexId("d", 7), "T", { displayType: "line", sourceId: archiveIds.source })];
    const other = dashboard(hexId("a", 17), "Other", "", { tiles });
    const { stack } = await imported([boardWithText(`/dashboards/${hexId("a", 17)}?tile=${hexId("d", 7)}`), other]);
    const made = recordOn(stack, "dashboards", "Other");
    expect(markdownOf(stack)).toBe(`/dashboards/${made.id}?tile=${tileOf(made)}`);
  });

  it("that has no counterpart stays, with a warning, and blocks nothing", async () => {
    const { stack, run } = await imported([boardWithText(`see ${hexId("a", 7)}`)]);
    expect(run.plan.warnings).toMatchObject([{ code: "dead-link", pointer: "/tiles/0/config/markdown" }]);
    expect(markdownOf(stack)).toBe(`see ${hexId("a", 7)}`);
  });
});

describe("references in text", () => {
  const notes = (
    letter: "a" | "b",
    number: number,
    name: string,
    markdown: string,
    more: JsonObject = {},
  ): JsonObject =>
    dashboard(hexId(letter, number), name, "", {
      tiles: [tileWith(hexId("d", number), "Notes", text(markdown))],
      ...more,
    });
  const target = (...dashboards: JsonObject[]): MemoryStack =>
    memoryStack({ dashboards, alerts: [], sources: [], webhooks: [] });
  const textOf = (stack: MemoryStack, name: string): string =>
    JSON.stringify(recordOn(stack, "dashboards", name)["tiles"]);

  describe("a record that a text mentions", () => {
    const index = notes("a", 17, "Index", `see ${hexId("a", 16)}`);

    it("does not block the record whose text mentions it when it is blocked: the id stays, with a warning", async () => {
      const twins = [notes("b", 20, "One", "1", { tags: ["1"] }), notes("b", 21, "One", "2", { tags: ["2"] })];
      const stack = target(...twins);
      const run = await importStage(stack).run(records({ dashboards: [notes("a", 16, "One", "x"), index] }));
      expect(outcomeOf(run, "One")).toMatchObject({ action: "blocked", code: "ambiguous" });
      expect(outcomeOf(run, "Index")).toMatchObject({ action: "create", status: "done" });
      expect(textOf(stack, "Index")).toContain(hexId("a", 16));
      expect(run.plan.warnings).toMatchObject([{ code: "dead-link", pointer: "/tiles/0/config/markdown" }]);
    });

    it("is right as it is on the archive's own stack, which has it though the archive does not", async () => {
      const stack = target(notes("a", 16, "One", "x"), index);
      const archive = records({ dashboards: [{ ...index, tags: ["new"] }] });
      const run = await importStage(stack).run(archive, { onConflict: "overwrite" });
      expect(outcomeOf(run, "Index")).toMatchObject({ action: "update", status: "done" });
      expect(warningsBesidesJournal(run.plan)).toEqual([]);
      expect(textOf(stack, "Index")).toContain(hexId("a", 16));
    });

    it("is followed wherever its id stands alone, in any case, and nowhere else", async () => {
      const id = hexId("a", 16);
      const names = `${id} ${id.toUpperCase()} (${id}) /d/${id}?x x${id} ${id}0 ${id}-a`;
      const stack = target();
      const archive = records({ dashboards: [notes("a", 16, "One", "x"), notes("a", 17, "Index", names)] });
      const run = await importStage(stack).run(archive);
      const one = String(outcomeOf(run, "One")?.targetId);
      expect(textOf(stack, "Index")).toContain(`"${one} ${one} (${one}) /d/${one}?x x${id} ${id}0 ${id}-a"`);
    });

    it("stands beside an id that nobody knows: that one stays as it is, and nothing is said of it", async () => {
      const [id, unknown] = [hexId("a", 16), hexId("e", 9)];
      const stack = target();
      const archive = records({
        dashboards: [notes("a", 16, "One", "x"), notes("a", 17, "Index", `${unknown} ${id}`)],
      });
      const run = await importStage(stack).run(archive);
      expect(textOf(stack, "Index")).toContain(`"${unknown} ${String(outcomeOf(run, "One")?.targetId)}"`);
      expect(run.plan.warnings).toEqual([]);
      expect(run.plan.unresolved).toEqual([]);
    });
  });

  it("is named as the kind of record that a member references, where a text mentions the same id", async () => {
    const dead = hexId("e", 9);
    const tiles = [
      tileWith(hexId("d", 1), "Notes", text(`see ${dead}`)),
      tileWith(hexId("d", 2), "Table", linkingTable(dead)),
    ];
    const archive = records({ dashboards: [dashboard(hexId("a", 17), "Index", "", { tiles })] });
    const { plan } = await importStage(target()).run(archive, { whole: new Set(["dashboards"]) });
    const [unmapped] = warningMessages(plan, "dead-link");
    expect(unmapped).toMatch(/"Index" keeps its link to the dashboard/);
  });

  it("names an alert without a name by what it watches if its text keeps an id", async () => {
    const message = `see /dashboards/${hexId("a", 30)}`;
    const one = notes("a", 16, "One", "x");
    const archive = records({
      dashboards: [one, notes("a", 30, "Other", "y")],
      alerts: [alert(hexId("a", 32), null, one, archiveIds.webhook, { message })],
      webhooks: [hook],
    });
    const stack = memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [theirHook] });
    const { plan } = await importStage(stack).run(archive, { filter: excluding("Other") });
    expect(warningMessages(plan, "dead-link")).toEqual([expect.stringContaining(`the alert "on Notes (One)"`)]);
  });
});
