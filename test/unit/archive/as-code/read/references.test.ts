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
  const click = (type: string, target: string): string => `{onClick: {type: ${type}, target: ${target}}}`;
  const clicked = (target: JsonObject): JsonObject => ({ onClick: { target } });

  it.each<[string, string, JsonObject]>([
    ["by name", "{displayType: line, source: Logs}", { displayType: "line", sourceId: LOGS }],
    ["by name under the API's member", "{displayType: line, sourceId: Logs}", { displayType: "line", sourceId: LOGS }],
    ["by an id in braces", "{displayType: line, source: {id: x}}", { displayType: "line", sourceId: "x" }],
    ["to a connection", "{configType: sql, connection: Main}", { configType: "sql", connectionId: hexId("d", 1) }],
    ["to a dashboard", click("dashboard", "{dashboard: Board}"), clicked({ id: BOARD["id"] ?? "" })],
    ["to a source", click("search", "{source: Logs}"), clicked({ id: LOGS })],
    ["of the kind that its position declares", click("search", "{id: Traces}"), clicked({ id: hexId("c", 2) })],
    ["where none is declared, unchanged", click("url", "{dashboard: Board}"), clicked({ dashboard: "Board" })],
    ["to an empty name, unchanged", click("dashboard", "{dashboard: ''}"), clicked({ id: "" })],
    ["to null, unchanged", click("dashboard", "{dashboard: null}"), clicked({ id: null })],
  ])("is resolved %s", async (_, config, resolved) => {
    expect(await configOf(config)).toMatchObject(resolved);
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
      "dashboards/one.yaml": "name: Board\ntiles: []\n",
      "dashboards/two.yaml": "name: Board\nkey: second\ntiles: []\n",
      "dashboards/three.yaml": "name: Other\nkey: Board two\ntiles: []\n",
      "dashboards/four.yaml": "name: Board two\nkey: fourth\ntiles: []\n",
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
      "dashboards/a.yaml": "name: Pair\nkey: a\ntiles: []\n",
      "dashboards/b.yaml": "name: Pair\nkey: b\ntiles: []\n",
      "alerts/a.yaml": alertText("dashboard: Pair\ntile: 1\n"),
    };
    expect(await mistakesIn(keyed, theirs)).toEqual([
      expect.stringMatching(/^in\/alerts\/a\.yaml:6:12: 2 dashboards are called "Pair": .*\("a", "b"\)$/),
    ]);
    const many = Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [`dashboards/${at}.yaml`, `name: P\nkey: k${at}\ntiles: []\n`]),
    );
    const [told] = await mistakesIn({ ...many, "alerts/a.yaml": keyed["alerts/a.yaml"].replace("Pair", "P") }, theirs);
    expect(told).toMatch(/7 dashboards .*\("k0", "k1", "k2", "k3", "k4"\)$/);
  });

  const { "saved-searches": _none, ...unlisted } = theirs;
  const searches = (count: number) => ({
    ...theirs,
    "saved-searches": Array.from({ length: count }, (_, at) => ({ id: hexId("b", at), name: `search ${at}` })),
  });

  it.each<[string, string, Readonly<Record<string, readonly JsonObject[]>>, RegExp]>([
    ["a suggestion", "Erors", theirs, /^in\/alerts\/a\.yaml:6:14: .* "Erors": did you mean "Errors"\?$/],
    ["the only name", "Completely else", theirs, /unknown saved search "Completely else": there are "Errors"$/],
    ["the fact that there are none", "Errors", searches(0), /: neither the files nor the target have any$/],
    ["the fact that the target lists none", "Errors", unlisted, /the files do not have it, and the target cannot list/],
    ["five names", "x", searches(5), /there are "search 0", .*"search 4"$/],
    ["five of six names", "x", searches(6), /there are "search 0", .*"search 4" …$/],
  ])("that is unknown is reported with %s", async (_, name, there, mistake) => {
    expect(await inAlert(`savedSearch: ${name}\n`, there)).toEqual([expect.stringMatching(mistake)]);
  });

  it("that is unknown is reported with the names in the files", async () => {
    const texts = {
      "alerts/a.yaml": alertText("savedSearch: x\n"),
      "saved-searches/s.yaml": "name: ours\nsource: Logs\n",
    };
    expect(await mistakesIn(texts, unlisted)).toEqual([expect.stringMatching(/there are "ours"$/)]);
  });
});

describe("a reference to a tile", () => {
  const tile = (name: string, y: number): JsonObject => ({ id: `tile-${name}-${y}`, name, x: 0, y, w: 1, h: 1 });
  const tiled = { ...theirs, dashboards: [{ ...BOARD, tiles: [tile("Low", 9), tile("Same", 2), tile("Same", 4)] }] };
  const on = (which: string): string => `dashboard: Board\ntile: ${which}\n`;

  it.each<[string, typeof theirs, JsonObject]>([
    ["Requests", theirs, { dashboardId: BOARD["id"] ?? "", tileId: tileOf(BOARD) }],
    ["1", theirs, { tileId: tileOf(BOARD) }],
    ["{id: y}", theirs, { tileId: "y" }],
    ["Low", tiled, { tileId: "tile-Low-9" }],
    ["2", tiled, { tileId: "tile-Same-4" }],
    ["3", tiled, { tileId: "tile-Low-9" }],
  ])("is resolved by name, by position on the dashboard, or by id: %s", async (which, there, alert) => {
    expect(await busy(on(which), there)).toMatchObject(alert);
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
    ["a position behind the last", on("4"), 'there is no tile at position 4 in "Board": it has 3 tiles'],
    ["a name that two have", on("Same"), '2 tiles in "Board" are called "Same": write the position of one (1, 2)'],
    ["a misspelt name", on("Loww"), 'unknown tile "Loww" in "Board": did you mean "Low"?'],
    ["a name that resembles none", on("Completely"), 'unknown tile "Completely" in "Board"'],
    ["a name on an unknown dashboard", "dashboard: {id: z}\ntile: Low\n", 'unknown tile "Low" in "z"'],
  ])("that fits no tile or several tiles, as %s, is reported with the choices", async (_, text, mistake) => {
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
