import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, sentTo, storedRecords, writesOn } from "../support/import-stage.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, rawSql, records, source, tileOf, webhook } from "../support/stack-records.ts";
import { hook, theirHook } from "../support/usual-stacks.ts";

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

describe("references in text", () => {
  const notes = (
    letter: "a" | "b",
    number: number,
    name: string,
    markdown: string,
    more: JsonObject = {},
  ): JsonObject =>
    dashboard(hexId(letter, number), name, "", {
      tiles: [{ id: hexId("d", number), name: "Notes", config: { displayType: "markdown", markdown } }],
      ...more,
    });
  const target = (...dashboards: JsonObject[]): MemoryStack =>
    memoryStack({ dashboards, alerts: [], sources: [], webhooks: [] });
  const textOf = (stack: MemoryStack, name: string): string =>
    JSON.stringify(storedRecords(stack, "dashboards").find((body) => body["name"] === name)?.["tiles"]);

  describe("a record that a text only speaks of", () => {
    const index = notes("a", 17, "Index", `see ${hexId("a", 16)}`);

    it("makes no copy of the record that speaks of it when it is copied itself", async () => {
      const stack = target(notes("a", 16, "One", "x", { tags: ["changed"] }), index);
      const archive = records({ dashboards: [notes("a", 16, "One", "x"), index] });
      const run = await importStage(stack).run(archive, { onConflict: "duplicate" });
      expect(outcomeOf(run, "One")).toMatchObject({ action: "create" });
      expect(outcomeOf(run, "Index")).toMatchObject({ action: "unchanged" });
      expect(writesOn(stack)).toEqual(["create dashboards"]);
    });

    it("does not block what speaks of it when it is blocked itself, which keeps the id and says so", async () => {
      const twins = [notes("b", 20, "One", "1", { tags: ["1"] }), notes("b", 21, "One", "2", { tags: ["2"] })];
      const stack = target(...twins);
      const run = await importStage(stack).run(records({ dashboards: [notes("a", 16, "One", "x"), index] }));
      expect(outcomeOf(run, "One")).toMatchObject({ action: "blocked", code: "ambiguous-dashboard" });
      expect(outcomeOf(run, "Index")).toMatchObject({ action: "create", status: "done" });
      expect(textOf(stack, "Index")).toContain(hexId("a", 16));
      expect(run.plan.warnings).toMatchObject([{ code: "unmapped-id", pointer: "/tiles/0/config/markdown" }]);
    });

    it("is right as it is on the archive's own stack, which has it though the archive does not", async () => {
      const stack = target(notes("a", 16, "One", "x"), index);
      const archive = records({ dashboards: [{ ...index, tags: ["new"] }] });
      const run = await importStage(stack).run(archive, { onConflict: "update" });
      expect(outcomeOf(run, "Index")).toMatchObject({ action: "update", status: "done" });
      expect(run.plan.warnings).toEqual([]);
      expect(run.plan.items[0]?.rewrites ?? []).toEqual([]);
      expect(textOf(stack, "Index")).toContain(hexId("a", 16));
    });

    it("is followed wherever its id stands alone, in any case, and nowhere else", async () => {
      const id = hexId("a", 16);
      const text = `${id} ${id.toUpperCase()} (${id}) /d/${id}?x x${id} ${id}0 ${id}-a`;
      const stack = target();
      const archive = records({ dashboards: [notes("a", 16, "One", "x"), notes("a", 17, "Index", text)] });
      const run = await importStage(stack).run(archive);
      const one = String(outcomeOf(run, "One")?.targetId);
      expect(textOf(stack, "Index")).toContain(`"${one} ${one} (${one}) /d/${one}?x x${id} ${id}0 ${id}-a"`);
      expect(run.plan.items.find(({ name }) => name === "Index")?.rewrites).toEqual(["/tiles/0/config/markdown"]);
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

  describe("an update that would replace a link in a text by an id that no record has", () => {
    const [dead, alive] = [hexId("e", 9), hexId("b", 30)];
    const there = [notes("b", 17, "Index", `[one](/dashboards/${alive})`), notes("b", 30, "One", "x")];

    it("is warned of, with the place and the record that the target links to", async () => {
      const archive = records({ dashboards: [notes("a", 17, "Index", `[one](/dashboards/${dead})`)] });
      const { plan } = await importStage(target(...there)).run(archive, { onConflict: "update" });
      expect(plan.items).toMatchObject([{ action: "update" }]);
      expect(plan.warnings).toMatchObject([{ code: "loses-link", pointer: "/tiles/0/config/markdown" }]);
      expect(plan.warnings[0]?.message).toContain(`the dashboard "Index" links to the dashboard "One" on the target`);
      expect(plan.warnings[0]?.message).toContain(dead);
    });

    it("is warned of if the archive has the record and the run does not create it", async () => {
      const link = `[one](/dashboards/${hexId("a", 30)})`;
      const archive = records({ dashboards: [notes("a", 17, "Index", link), notes("a", 30, "Other", "y")] });
      const filter = { include: [], exclude: ["Other"] };
      const { plan } = await importStage(target(...there)).run(archive, { onConflict: "update", filter });
      expect(plan.warnings.map(({ code }) => code).toSorted()).toEqual(["loses-link", "unmapped-id"]);
      expect(plan.warnings.find(({ code }) => code === "loses-link")?.message).toContain('the dashboard "Other"');
    });

    it.each([
      ["the archive has the record", `[one](/dashboards/${hexId("a", 30)})`, [notes("a", 30, "Other", "y")]],
      ["the text around the id is another one", `[two](/dashboards/${dead})`, []],
    ])("is not warned of where %s", async (_, text, others) => {
      const archive = records({ dashboards: [notes("a", 17, "Index", text), ...others] });
      const { plan } = await importStage(target(...there)).run(archive, { onConflict: "update" });
      expect(plan.items).toContainEqual(expect.objectContaining({ name: "Index", action: "update" }));
      expect(plan.warnings).toEqual([]);
    });
  });

  describe("an id that a member references and a text mentions", () => {
    it("is named as the kind of record that the member references", async () => {
      const dead = hexId("e", 9);
      const onClick = { type: "dashboard", target: { mode: "id", id: dead } };
      const tiles = [
        { id: hexId("d", 1), name: "Notes", config: { displayType: "markdown", markdown: `see ${dead}` } },
        { id: hexId("d", 2), name: "Table", config: { displayType: "table", onClick } },
      ];
      const archive = records({ dashboards: [dashboard(hexId("a", 17), "Index", "", { tiles })] });
      const { plan } = await importStage(target()).run(archive, { whole: new Set(["dashboards"]) });
      const [unmapped] = plan.warnings.filter(({ code }) => code === "unmapped-id");
      expect(unmapped?.message).toBe(
        'the dashboard "Index" keeps the id of a dashboard that has no counterpart on the target',
      );
    });
  });

  it("names an alert without a name by its id if its text keeps an id", async () => {
    const message = `see /dashboards/${hexId("a", 30)}`;
    const one = notes("a", 16, "One", "x");
    const archive = records({
      dashboards: [one, notes("a", 30, "Other", "y")],
      alerts: [alert(hexId("a", 32), null, one, hexId("a", 2), { message })],
      webhooks: [hook],
    });
    const stack = memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [theirHook] });
    const { plan } = await importStage(stack).run(archive, { filter: { include: [], exclude: ["Other"] } });
    const unmapped = plan.warnings.filter(({ code }) => code === "unmapped-id").map((warning) => warning.message);
    expect(unmapped).toEqual([expect.stringContaining(`the alert "${hexId("a", 32)}"`)]);
  });
});
