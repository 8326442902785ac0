import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/core/json.ts";
import { mistakesIn, openTexts } from "../../../../support/code-folder.ts";
import { dashboard, hexId, source, tileOf, webhook } from "../../../../support/stack-records.ts";

const LOGS = hexId("c", 1);
const HOOK = hexId("e", 1);
const BOARD = dashboard(hexId("a", 1), "Board", LOGS);

/** The records of the target. */
const theirs = {
  sources: [source(LOGS, "Logs", hexId("d", 1)), source(hexId("c", 2), "Traces", hexId("d", 1), "t")],
  webhooks: [webhook(HOOK, "pager"), webhook(hexId("e", 2), "chat", "slack")],
  dashboards: [BOARD],
  connections: [{ id: hexId("d", 1), name: "Main" }],
  "saved-searches": [{ id: hexId("b", 9), name: "Errors", sourceId: LOGS }],
};

const alertText = (more: string): string =>
  `name: Busy\nsource: tile\nthresholdType: above\nthreshold: 5\ninterval: 5m\n${more}`;
const boardText = (config: string, more = ""): string =>
  `name: New\ntiles:\n  - name: T\n    x: 0\n    y: 0\n    w: 1\n    h: 1\n    config: ${config}\n${more}`;

async function busy(more: string, there: Readonly<Record<string, readonly JsonObject[]>> = theirs) {
  return (await openTexts({ "alerts/a.yaml": alertText(more) }, there)).bodies.get("alerts/Busy");
}

async function configOf(config: string): Promise<unknown> {
  const { bodies } = await openTexts({ "dashboards/a.yaml": boardText(config) }, theirs);
  const tiles = bodies.get("dashboards/New")?.["tiles"] as { config: unknown }[];
  return tiles[0]?.config;
}

const inAlert = (more: string, there: Readonly<Record<string, readonly JsonObject[]>> = theirs) =>
  mistakesIn({ "alerts/a.yaml": alertText(more) }, there);

describe("a reference in a file", () => {
  it("is resolved by name, or written as an id in braces", async () => {
    expect(await configOf("{displayType: line, source: Logs}")).toMatchObject({ sourceId: LOGS });
    expect(await configOf("{displayType: line, sourceId: Logs}")).toEqual({ displayType: "line", sourceId: LOGS });
    expect(await configOf("{displayType: line, source: {id: x}}")).toMatchObject({ sourceId: "x" });
    expect(await configOf("{configType: sql, connection: Main}")).toMatchObject({ connectionId: hexId("d", 1) });
  });

  it("is resolved as the kind that its position declares", async () => {
    const click = (type: string, target: string): string => `{onClick: {type: ${type}, target: ${target}}}`;
    const target = async (text: string) => (await configOf(text)) as { onClick: { target: unknown } };
    expect((await target(click("dashboard", "{dashboard: Board}"))).onClick.target).toEqual({ id: BOARD["id"] });
    expect((await target(click("search", "{source: Logs}"))).onClick.target).toEqual({ id: LOGS });
    expect((await target(click("search", "{id: Traces}"))).onClick.target).toEqual({ id: hexId("c", 2) });
    expect((await target(click("url", "{dashboard: Board}"))).onClick.target).toEqual({ dashboard: "Board" });
    expect((await target(click("dashboard", "{dashboard: ''}"))).onClick.target).toEqual({ id: "" });
    expect((await target(click("dashboard", "{dashboard: null}"))).onClick.target).toEqual({ id: null });
  });

  it("is resolved in a list of references", async () => {
    const filters = "filters:\n  - {type: a, name: F, expression: x, appliesToSources: [Traces, Logs], source: Logs}\n";
    const { bodies } = await openTexts({ "dashboards/a.yaml": boardText("{}", filters) }, theirs);
    const filter = (bodies.get("dashboards/New")?.["filters"] as JsonObject[] | undefined)?.[0];
    expect(filter).toMatchObject({ sourceId: LOGS, appliesToSourceIds: [hexId("c", 2), LOGS], name: "F" });
    expect(filter).not.toHaveProperty("appliesToSources");
    const wrong = filters.replace("[Traces, Logs]", "[Traces, Lgos]");
    const mistakes = await mistakesIn({ "dashboards/a.yaml": boardText("{}", wrong) }, theirs);
    expect(mistakes).toEqual([
      expect.stringMatching(/^in\/dashboards\/a\.yaml:10:66: .*"Lgos": did you mean "Logs"\?$/),
    ]);
  });

  it("names a webhook by service and name, as one text or as two members", async () => {
    const channel = (hook: string): string => `channel: {type: webhook, webhook: ${hook}}\n`;
    for (const hook of ["generic/pager", "{service: generic, name: pager}", `{id: ${HOOK}}`]) {
      expect(await busy(channel(hook))).toMatchObject({ channel: { type: "webhook", webhookId: HOOK } });
    }
    expect(await inAlert(channel("{service: slack, name: pager}"))).toEqual([
      expect.stringMatching(/^in\/alerts\/a\.yaml:6:35: unknown webhook "slack\/pager"/),
    ]);
    const two = { ...theirs, webhooks: [webhook(HOOK, "pager"), webhook(hexId("e", 3), "pager")] };
    expect(await inAlert(channel("{service: generic, name: pager}"), two)).toEqual([
      expect.stringMatching(/2 webhooks are called "generic\/pager": .*\("generic\/pager", "generic-pager-2"\)$/),
    ]);
  });

  it("with id and name is no reference by id to a name that does not exist", async () => {
    const click = `{onClick: {type: dashboard, target: {dashboard: {id: x, name: Board}}}}`;
    const mistakes = await mistakesIn({ "dashboards/a.yaml": boardText(click) }, theirs);
    expect(mistakes).toEqual([expect.stringContaining('unknown dashboard "x/Board"')]);
    const known = `{onClick: {type: dashboard, target: {dashboard: {id: ${hexId("a", 1)}, name: Board}}}}`;
    expect(await configOf(known)).toMatchObject({ onClick: { target: { id: hexId("a", 1) } } });
    const numbered = `{onClick: {type: dashboard, target: {dashboard: {id: 7}}}}`;
    expect(await mistakesIn({ "dashboards/a.yaml": boardText(numbered) }, theirs)).toEqual([
      expect.stringContaining('unknown dashboard "7"'),
    ]);
  });

  it("prefers records of the files over records of the target, and keys over names", async () => {
    const texts = {
      "dashboards/one.yaml": "name: Board\n",
      "dashboards/two.yaml": "name: Board\nkey: second\n",
      "dashboards/three.yaml": "name: Other\nkey: Board two\n",
      "dashboards/four.yaml": "name: Board two\nkey: fourth\n",
    };
    const linked = async (name: string): Promise<unknown> => {
      const more = boardText(`{onClick: {type: dashboard, target: {dashboard: ${name}}}}`);
      const { bodies, reader } = await openTexts({ ...texts, "dashboards/x.yaml": more }, theirs);
      const tiles = bodies.get("dashboards/New")?.["tiles"] as { config: { onClick: { target: { id: string } } } }[];
      const id = tiles[0]?.config.onClick.target.id;
      const found = [...reader.manifest.entries].find((entry) => entry.id === id);
      return found && reader.read(found).then(({ body }) => [body["name"], reader.manifest.entries.indexOf(found)]);
    };
    // The entries are in the order of the files' paths: four, one, three, two.
    expect(await linked("Board")).toEqual(["Board", 1]);
    expect(await linked("second")).toEqual(["Board", 3]);
    expect(await linked("Board two")).toEqual(["Other", 2]);
    expect(await linked("fourth")).toEqual(["Board two", 0]);
    expect(await linked("Other")).toEqual(["Other", 2]);
  });

  it("is resolved by key if several records have the name", async () => {
    const twins = [3, 4].map((number) => dashboard(hexId("a", number), "Twin", "", { tags: [`t${number}`] }));
    const there = { ...theirs, dashboards: twins };
    expect(await busy("dashboard: Twin\ntile: 1\n", there)).toMatchObject({ dashboardId: hexId("a", 3) });
    expect(await busy("dashboard: twin-2\ntile: 1\n", there)).toMatchObject({ dashboardId: hexId("a", 4) });
    const keyed = {
      "dashboards/a.yaml": "name: Pair\nkey: a\n",
      "dashboards/b.yaml": "name: Pair\nkey: b\n",
      "alerts/a.yaml": alertText("dashboard: Pair\ntile: 1\n"),
    };
    expect(await mistakesIn(keyed, theirs)).toEqual([
      expect.stringMatching(/^in\/alerts\/a\.yaml:6:12: 2 dashboards are called "Pair": .*\("a", "b"\)$/),
    ]);
    const many = Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [`dashboards/${at}.yaml`, `name: P\nkey: k${at}\n`]),
    );
    const [told] = await mistakesIn({ ...many, "alerts/a.yaml": keyed["alerts/a.yaml"].replace("Pair", "P") }, theirs);
    expect(told).toMatch(/7 dashboards .*\("k0", "k1", "k2", "k3", "k4"\)$/);
  });

  it("that is unknown is reported with a suggestion or with the existing names", async () => {
    const search = (name: string): string => `savedSearch: ${name}\n`;
    expect(await inAlert(search("Erors"))).toEqual([
      'in/alerts/a.yaml:6:14: unknown saved search "Erors": did you mean "Errors"?',
    ]);
    expect(await inAlert(search("Completely else"))).toEqual([
      'in/alerts/a.yaml:6:14: unknown saved search "Completely else": there are "Errors"',
    ]);
    expect(await inAlert(search("Errors"), { ...theirs, "saved-searches": [] })).toEqual([
      expect.stringMatching(/: neither the files nor the target have any$/),
    ]);
    const { "saved-searches": _none, ...without } = theirs;
    expect(await inAlert(search("Errors"), without)).toEqual([
      expect.stringMatching(/unknown saved search "Errors": the files do not have it, and the target cannot list/),
    ]);
    const named = (count: number) => ({
      ...theirs,
      "saved-searches": Array.from({ length: count }, (_, at) => ({ id: hexId("b", at), name: `search ${at}` })),
    });
    expect((await inAlert(search("x"), named(5)))[0]).toMatch(/there are "search 0", .*"search 4"$/);
    expect((await inAlert(search("x"), named(6)))[0]).toMatch(/there are "search 0", .*"search 4" …$/);
    const texts = { "alerts/a.yaml": alertText(search("x")), "saved-searches/s.yaml": "name: ours\nsource: Logs\n" };
    expect(await mistakesIn(texts, without)).toEqual([expect.stringMatching(/there are "ours"$/)]);
  });
});

describe("a reference to a tile", () => {
  const tile = (name: string, y: number): JsonObject => ({ id: `tile-${name}-${y}`, name, x: 0, y, w: 1, h: 1 });
  const tiled = { ...theirs, dashboards: [{ ...BOARD, tiles: [tile("Low", 9), tile("Same", 2), tile("Same", 4)] }] };
  const on = (which: string): string => `dashboard: Board\ntile: ${which}\n`;

  it("is resolved by name, by position on the dashboard, or by id", async () => {
    expect(await busy(on("Requests"))).toMatchObject({ dashboardId: BOARD["id"], tileId: tileOf(BOARD) });
    expect(await busy(on("1"))).toMatchObject({ tileId: tileOf(BOARD) });
    expect(await busy(on("{id: y}"))).toMatchObject({ tileId: "y" });
    expect(await busy(on("Low"), tiled)).toMatchObject({ tileId: "tile-Low-9" });
    expect(await busy(on("2"), tiled)).toMatchObject({ tileId: "tile-Same-4" });
    expect(await busy(on("3"), tiled)).toMatchObject({ tileId: "tile-Low-9" });
  });

  it("is resolved on a dashboard of the files", async () => {
    const texts = { "dashboards/a.yaml": boardText("{}"), "alerts/a.yaml": alertText("dashboard: New\ntile: T\n") };
    const { bodies } = await openTexts(texts, theirs);
    const tiles = bodies.get("dashboards/New")?.["tiles"] as { id: string }[] | undefined;
    expect(tiles?.[0]?.id).toMatch(/^[0-9a-f]{24}$/);
    expect(bodies.get("alerts/Busy")?.["tileId"]).toBe(tiles?.[0]?.id);
  });

  it("by position counts the tiles in the file's order, not by their coordinates", async () => {
    const tileText = (y: number): string =>
      `  - {name: "", x: 0, y: ${y}, w: 1, h: 1, config: {displayType: markdown, markdown: "${y}"}}\n`;
    const texts = {
      "dashboards/a.yaml": `name: New\ntiles:\n${tileText(9)}${tileText(2)}`,
      "alerts/a.yaml": alertText("dashboard: New\ntile: 1\n"),
    };
    const { bodies } = await openTexts(texts, theirs);
    const tiles = bodies.get("dashboards/New")?.["tiles"] as { id: string; y: number }[];
    expect(tiles.find(({ id }) => id === bodies.get("alerts/Busy")?.["tileId"])).toMatchObject({ y: 9 });
  });

  it.each([
    [on("4"), 'there is no tile at position 4 in "Board": it has 3 tiles'],
    [on("Same"), '2 tiles in "Board" are called "Same": write the position of one (1, 2)'],
    [on("Loww"), 'unknown tile "Loww" in "Board": did you mean "Low"?'],
    [on("Completely"), 'unknown tile "Completely" in "Board"'],
    ["dashboard: {id: z}\ntile: Low\n", 'unknown tile "Low" in "z"'],
  ])("that fits no tile or several tiles is reported with the choices: %j", async (text, mistake) => {
    expect(await inAlert(text, tiled)).toEqual([`in/alerts/a.yaml:7:7: ${mistake}`]);
  });

  it("is not reported as well if its dashboard is unknown", async () => {
    expect(await inAlert("dashboard: Else\ntile: Low\n", tiled)).toEqual([
      expect.stringContaining("in/alerts/a.yaml:6:12: unknown dashboard"),
    ]);
  });
});

describe("a mention in a text", () => {
  it("is replaced by the record's id, except in names", async () => {
    const config = '{markdown: "see ${stackferry:dashboards/Board}, ${stackferry:webhooks/generic/pager}"}';
    const { bodies } = await openTexts(
      { "dashboards/a.yaml": boardText(config).replace("name: New", 'name: "${stackferry:dashboards/Board}"') },
      theirs,
    );
    expect(bodies.get("dashboards/${stackferry:dashboards/Board}")).toMatchObject({
      tiles: [{ config: { markdown: `see ${hexId("a", 1)}, ${HOOK}` } }],
    });
  });

  it("is a mistake if no record has its name", async () => {
    const config = '{markdown: "${stackferry:dashboards/Borad}"}';
    expect(await mistakesIn({ "dashboards/a.yaml": boardText(config) }, theirs)).toEqual([
      'in/dashboards/a.yaml:8:24: unknown dashboard "Borad": did you mean "Board"?',
    ]);
  });
});
