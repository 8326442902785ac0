import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, sentTo, storedRecords } from "../support/import-stage.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, rawSql, records, source, tileOf, webhook } from "../support/stack-records.ts";

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
const board = (more: JsonObject = {}): JsonObject => dashboard(hexId("a", 16), "Board", hexId("a", 1), more);
const noted = (markdown: string): JsonObject =>
  board({ tiles: [{ id: hexId("d", 1), name: "Notes", config: { displayType: "markdown", markdown } }] });
const markdownOf = (stack: MemoryStack): unknown =>
  (storedRecords(stack, "dashboards")[0] as { tiles: { config: { markdown: string } }[] }).tiles[0]?.config.markdown;

describe("an alert", () => {
  it("has the target's ids in every place: dashboard, tile, the channel and all the channels", async () => {
    const channels = [4, 5].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
    const slow = alert(hexId("a", 32), "Slow", board(), hexId("a", 4), { channels });
    const stack = target();
    await importStage(stack).run(archiveOf([board()], [slow]));
    const [made] = storedRecords(stack, "dashboards") as [JsonObject];
    expect(sentTo(stack, "create alerts")).toMatchObject([
      {
        dashboardId: made["id"],
        tileId: tileOf(made),
        channel: { webhookId: hexId("b", 4) },
        channels: [{ webhookId: hexId("b", 4) }, { webhookId: hexId("b", 5) }],
      },
    ]);
  });

  it("has them with a channel alone, or with channels alone", async () => {
    const { channels, ...single } = alert(hexId("a", 32), "Single", board(), hexId("a", 4));
    const { channel: _channel, ...plural } = { ...alert(hexId("a", 33), "Plural", board(), hexId("a", 5)) };
    expect(channels).toHaveLength(1);
    const stack = target();
    await importStage(stack).run(archiveOf([board()], [single, plural]));
    const sent = new Map(sentTo(stack, "create alerts").map((body) => [body["name"], body]));
    expect(sent.get("Single")).toMatchObject({ channel: { webhookId: hexId("b", 4) } });
    expect(sent.get("Plural")).toMatchObject({ channels: [{ webhookId: hexId("b", 5) }] });
  });

  it("is blocked by a webhook of its second channel that the target has not", async () => {
    const channels = [4, 9].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
    const run = await importStage(target()).run(
      archiveOf([board()], [alert(hexId("a", 32), "Slow", board(), hexId("a", 4), { channels })]),
    );
    expect(outcomeOf(run, "Slow")).toMatchObject({ action: "blocked", code: "missing-webhook" });
    expect(run.exitCode).toBe(3);
  });

  it("watches the tile of its own dashboard, where two dashboards have tiles of one id", async () => {
    const config = { displayType: "line", sourceId: hexId("a", 1) };
    const tiled = (number: number, names: readonly string[]): JsonObject =>
      dashboard(hexId("a", number), `Board ${number}`, "", {
        tiles: names.map((name, index) => ({ id: `tile-${index}`, name, config })),
      });
    const on = { id: hexId("a", 17), tiles: [{ id: "tile-1" }] };
    const stack = target();
    const archive = archiveOf(
      [tiled(16, ["A", "B"]), tiled(17, ["C", "D"])],
      [alert(hexId("a", 32), "Slow", on, hexId("a", 4))],
    );
    await importStage(stack).run(archive);
    const made = storedRecords(stack, "dashboards").find(({ name }) => name === "Board 17") as unknown as {
      id: string;
      tiles: { id: string; name: string }[];
    };
    expect(sentTo(stack, "create alerts")).toMatchObject([
      { dashboardId: made.id, tileId: made.tiles.find(({ name }) => name === "D")?.id },
    ]);
  });

  it("is sent without the members that the server refuses when they are empty", async () => {
    const more = { thresholdMax: null, scheduleOffsetMinutes: null, message: "" };
    const stack = target();
    await importStage(stack).run(archiveOf([board()], [alert(hexId("a", 32), "Slow", board(), hexId("a", 4), more)]));
    const [sent] = sentTo(stack, "create alerts");
    expect(Object.keys(sent ?? {}).filter((member) => member in more)).toEqual([]);
  });

  it("uses the default webhook only where nothing better is known", async () => {
    const channels = [4, 9].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
    const stack = target();
    await importStage(stack).run(
      archiveOf([board()], [alert(hexId("a", 32), "Slow", board(), hexId("a", 4), { channels })]),
      { defaults: { webhooks: "hook 5" } },
    );
    expect(sentTo(stack, "create alerts")).toMatchObject([
      { channel: { webhookId: hexId("b", 4) }, channels: [{ webhookId: hexId("b", 4) }, { webhookId: hexId("b", 5) }] },
    ]);
  });
});

describe("a dashboard", () => {
  it("has the target's sources in tiles, filters, what filters apply to, and clicks", async () => {
    const click = { type: "search", target: { mode: "id", id: hexId("a", 3) } };
    const config = { displayType: "table", sourceId: hexId("a", 1), onClick: click };
    const filter = {
      id: hexId("e", 1),
      name: "Service",
      expression: "s",
      sourceId: hexId("a", 2),
      appliesToSourceIds: [hexId("a", 3), hexId("a", 1)],
    };
    const stack = target();
    await importStage(stack).run(
      archiveOf([board({ tiles: [{ id: hexId("d", 1), name: "T", config }], filters: [filter] })]),
    );
    expect(storedRecords(stack, "dashboards")).toMatchObject([
      {
        tiles: [{ config: { sourceId: hexId("b", 1), onClick: { target: { id: hexId("b", 3) } } } }],
        filters: [{ sourceId: hexId("b", 2), appliesToSourceIds: [hexId("b", 3), hexId("b", 1)] }],
      },
    ]);
    const [sent] = sentTo(stack, "create dashboards") as [{ tiles: object[]; filters: object[] }];
    expect([...sent.tiles, ...sent.filters].filter((part) => "id" in part)).toEqual([]);
  });

  it("is written though a filter applies to a source that nobody has any more, and a warning says so", async () => {
    const filter = { id: hexId("e", 1), name: "F", expression: "s", appliesToSourceIds: [hexId("a", 99)] };
    const run = await importStage(target()).run(archiveOf([board({ filters: [filter] })]));
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "create", status: "done" });
    expect(run.plan.warnings).toMatchObject([{ code: "unmapped-id", pointer: "/filters/0/appliesToSourceIds/0" }]);
  });

  it("is blocked where a filter applies to a source of the archive that the target lacks", async () => {
    const filter = { id: hexId("e", 1), name: "F", expression: "s", appliesToSourceIds: [hexId("a", 7)] };
    const archive = [
      ...archiveOf([board({ filters: [filter] })]),
      ...records({ sources: [source(hexId("a", 7), "Gone", hexId("c", 1), "t7")] }),
    ];
    const run = await importStage(target()).run(archive);
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "blocked", code: "missing-source" });
  });

  it("is blocked by a tile's source that is in no archive: the server would refuse it", async () => {
    const run = await importStage(target()).run(archiveOf([dashboard(hexId("a", 16), "Board", hexId("a", 99))]));
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "blocked", code: "missing-source" });
  });

  it("keeps what its own stack still has, though it is not in the archive", async () => {
    const stack = target({ sources: [source(hexId("a", 99), "Elsewhere", hexId("c", 1))] });
    const run = await importStage(stack).run(archiveOf([dashboard(hexId("a", 16), "Board", hexId("a", 99))]));
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "create", status: "done" });
    expect(storedRecords(stack, "dashboards")).toMatchObject([{ tiles: [{ config: { sourceId: hexId("a", 99) } }] }]);
  });
});

describe("what the server would refuse blocks the record", () => {
  const blockedBy = async (body: JsonObject, alerts: readonly JsonObject[] = []): Promise<unknown[]> => {
    const gone = records({
      sources: [source(hexId("a", 7), "Gone", hexId("c", 1), "t7")],
      webhooks: [webhook(hexId("a", 9), "gone")],
    });
    const run = await importStage(target()).run([...archiveOf([body], alerts), ...gone]);
    return run.outcomes.flatMap(({ action, code }) => (action === "blocked" ? [code] : []));
  };

  it("where a filter is on a source that the target lacks", async () => {
    const filter = { id: hexId("e", 1), name: "F", expression: "s", sourceId: hexId("a", 7) };
    expect(await blockedBy(board({ filters: [filter] }))).toEqual(["missing-source"]);
  });

  it("where a click searches a source that the target lacks", async () => {
    const onClick = { type: "search", target: { mode: "id", id: hexId("a", 7) } };
    const tiles = [{ id: hexId("d", 1), name: "T", config: { displayType: "table", onClick } }];
    expect(await blockedBy(board({ tiles }))).toEqual(["missing-source"]);
  });

  it("where the only channel of an alert is a webhook that the target lacks", async () => {
    const { channels: _none, ...single } = alert(hexId("a", 32), "Single", board(), hexId("a", 9));
    expect(await blockedBy(board(), [single])).toEqual(["missing-webhook"]);
  });
});

describe("ids in a text", () => {
  it.each([
    ["a link", `[x](https://o11y.example.com/search?source=${hexId("a", 1)}&q=1)`],
    ["two in one", `${hexId("a", 1)} and ${hexId("a", 2)}, ${hexId("a", 1)}.`],
    ["in upper case", `see ${hexId("a", 1).toUpperCase()}`],
    ["of a webhook", `ask ${hexId("a", 4)}!`],
    ["of a connection", `on ${hexId("c", 1)}`],
  ])("become the target's: %s", async (_, text) => {
    const stack = target();
    const archive = archiveOf([noted(text)]);
    const run = await importStage(stack).run(archive);
    const expected = text
      .replaceAll(/a{20}([0-9a-f]{4})/gi, (_all, rest: string) => `${"b".repeat(20)}${rest}`)
      .replaceAll(hexId("c", 1), hexId("c", 1));
    if (text.includes(hexId("c", 1))) expect(run.plan.items[0]?.rewrites.length).toBeLessThanOrEqual(1);
    else expect(markdownOf(stack)).toBe(expected);
  });

  it("of a connection that a tile uses becomes the target's", async () => {
    const sql = rawSql(hexId("c", 1));
    const notes = { displayType: "markdown", markdown: `on ${hexId("c", 1)}` };
    const tiles = [notes, sql].map((config, index) => ({ id: hexId("d", index), name: `T${index}`, config }));
    const stack = target();
    await importStage(stack).run(archiveOf([board({ tiles })]));
    expect(markdownOf(stack)).toBe(`on ${hexId("c", 2)}`);
  });

  it.each([
    ["part of a longer number", `f${hexId("a", 1)}`],
    ["part of a word", `x-${hexId("a", 1)}`],
    ["nobody's", hexId("e", 77)],
  ])("stay as they are: %s", async (_, text) => {
    const stack = target();
    await importStage(stack).run(archiveOf([noted(text)]));
    expect(markdownOf(stack)).toBe(text);
  });

  it("of a tile becomes that of the same tile on the target", async () => {
    const config = { displayType: "line", sourceId: hexId("a", 1) };
    const other = dashboard(hexId("a", 17), "Other", "", { tiles: [{ id: hexId("d", 7), name: "T", config }] });
    const stack = target();
    await importStage(stack).run(archiveOf([noted(`/dashboards/${hexId("a", 17)}?tile=${hexId("d", 7)}`), other]));
    const made = storedRecords(stack, "dashboards").find(({ name }) => name === "Other") as JsonObject;
    const text = (
      storedRecords(stack, "dashboards").find(({ name }) => name === "Board") as unknown as {
        tiles: { config: { markdown: string } }[];
      }
    ).tiles[0]?.config.markdown;
    expect(text).toBe(`/dashboards/${String(made["id"])}?tile=${tileOf(made)}`);
  });

  it("that has no counterpart stays, with a warning, and blocks nothing", async () => {
    const archive = [
      ...archiveOf([noted(`see ${hexId("a", 7)}`)]),
      ...records({ sources: [source(hexId("a", 7), "Gone", hexId("c", 1), "t7")] }),
    ];
    const stack = target();
    const run = await importStage(stack).run(archive);
    expect(run.plan.warnings).toMatchObject([{ code: "unmapped-id", pointer: "/tiles/0/config/markdown" }]);
    expect(markdownOf(stack)).toBe(`see ${hexId("a", 7)}`);
  });
});

describe("a name prefix and tags", () => {
  it("keep the tags that there are", async () => {
    const stack = target();
    await importStage(stack).run(archiveOf([board({ tags: ["ours", "seeded"] })]), {
      naming: { namePrefix: "x ", tags: ["seeded", "new"] },
    });
    expect(storedRecords(stack, "dashboards")).toMatchObject([{ name: "x Board", tags: ["ours", "seeded", "new"] }]);
  });
});
