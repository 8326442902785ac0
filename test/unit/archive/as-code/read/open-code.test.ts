import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCode } from "../../../../../src/archive/as-code/read/open-code.ts";
import { codeFolder, mistakesIn, openTexts, targetWith } from "../../../../support/code-folder.ts";
import { alert, dashboard, hexId, source, tileOf, webhook, archiveIds } from "../../../../support/stack-records.ts";
import { recordsIn } from "../../../../support/archive-samples.ts";

const board = (name: string): string => `name: ${name}\ntiles: []\n`;
const alertText = (more: string, threshold = "5"): string =>
  `source: tile\nthresholdType: above\nthreshold: ${threshold}\ninterval: 5m\n${more}`;

describe("YAML files read as an archive", () => {
  it("give the records of their kinds in the order of paths, with ids and required members", async () => {
    const { reader, bodies } = await openTexts({ "dashboards/b.yaml": board("B"), "dashboards/a.yaml": board("A") });
    const { manifest, summary } = reader;
    expect(manifest.entries.map(({ kind, name }) => [kind, name])).toEqual([
      ["dashboards", "A"],
      ["dashboards", "B"],
    ]);
    const [first] = manifest.entries;
    expect(bodies.get("dashboards/A")).toEqual({ id: first?.id, name: "A", tiles: [] });
    expect(first?.id).toMatch(/^[0-9a-f]{24}$/);
    expect(manifest.kinds).toMatchObject({
      dashboards: { status: "complete", count: 2 },
      alerts: { status: "not-requested", count: 0 },
    });
    expect(manifest).toMatchObject({ warnings: [], redactions: [], source: { baseUrl: "http://memory.test" } });
    expect(summary).toMatchObject({ path: "in", formatVersion: 1, contentDigest: manifest.contentDigest });
    expect(summary.bytes).toBe(manifest.entries.reduce((sum, { bytes }) => sum + bytes, 0));
    expect((await recordsIn(reader)).map(({ name }) => name)).toEqual(["A", "B"]);
    const none = { ...manifest.entries[0], path: "dashboards/none.json" };
    await expect(reader.read(none as never)).rejects.toMatchObject({ code: "archive-damaged" });
    await reader[Symbol.asyncDispose]();
  });

  it("give the same ids and digest for the same content, whatever the target has", async () => {
    const texts = { "dashboards/a.yaml": board("A"), "dashboards/b.yaml": board("B") };
    const one = (await openTexts(texts)).reader.manifest;
    const again = (await openTexts(texts, { dashboards: [dashboard(hexId("a", 1), "A", "")] })).reader.manifest;
    expect(again.contentDigest).toBe(one.contentDigest);
    expect(again.entries.map(({ id }) => id)).toEqual(one.entries.map(({ id }) => id));
    const changed = (await openTexts({ ...texts, "dashboards/a.yaml": "name: A\ntags: [x]\ntiles: []\n" })).reader
      .manifest;
    expect(changed.contentDigest).not.toBe(one.contentDigest);
    expect(changed.entries.map(({ id }) => id)).toEqual(one.entries.map(({ id }) => id));
  });

  it("list redactions for the redaction marks in their texts", async () => {
    const text =
      'name: A\nsavedQuery: "«redacted:jwt» and «redacted:assigned-secret»"\ntags: ["«redacted:No»", "«redacted:»"]\ntiles: []\n';
    const { reader } = await openTexts({ "dashboards/a.yaml": text });
    const path = reader.manifest.entries[0]?.path;
    expect(reader.manifest.redactions).toEqual([
      { path, pointer: "/savedQuery", rule: "jwt" },
      { path, pointer: "/savedQuery", rule: "assigned-secret" },
    ]);
  });

  it("warn of members of an exported dashboard that the API lacks", async () => {
    const text = '{"version": "1", "name": "A", "description": "D", "tiles": []}';
    const { reader, bodies } = await openTexts({ "a.json": text });
    expect(reader.manifest.warnings).toEqual([
      { code: "left-out", message: expect.stringMatching(/^in\/a\.json:1:31: "description"/) },
    ]);
    expect([...bodies.keys()]).toEqual(["dashboards/A"]);
  });

  it("are identified in the state by their key, or by their path without its extension", async () => {
    const texts = { "v1.2/dashboards/a.b.yaml": board("A"), "dashboards/c.yaml": "name: B\nkey: mine\ntiles: []\n" };
    const { lasting, reader } = await openTexts(texts);
    const idOf = (name: string): string => reader.manifest.entries.find((entry) => entry.name === name)?.id ?? "";
    expect(Object.fromEntries(lasting)).toEqual({
      [`dashboards/${idOf("A")}`]: "dashboards/v1.2/dashboards/a.b",
      [`dashboards/${idOf("B")}`]: "dashboards/key:mine",
    });
    const root = await codeFolder({ "dashboards/x.yaml": board("A") });
    const path = join(root, "dashboards/x.yaml");
    const one = await openCode(path, path, () => Promise.resolve(targetWith()));
    expect([...one.lasting.values()]).toEqual(["dashboards/x"]);
  });

  it("are paired with the target's records of the same names", async () => {
    const texts = { "dashboards/a.yaml": board("A"), "dashboards/b.yaml": board("B"), "dashboards/c.yaml": board("C") };
    const theirs = [dashboard(hexId("a", 2), "B", ""), dashboard(hexId("a", 1), "A", "")];
    const { paired, reader } = await openTexts(texts, { dashboards: theirs });
    const [a, b] = reader.manifest.entries;
    expect(paired).toEqual({ dashboards: { [a?.id ?? ""]: hexId("a", 1), [b?.id ?? ""]: hexId("a", 2) } });
    const root = await codeFolder({ "dashboards/a.yaml": board("A") });
    const prefixed = [dashboard(hexId("a", 3), "x A", "")];
    const target = () => Promise.resolve(targetWith({ dashboards: prefixed }));
    const renamed = await openCode("in", root, target, { nameOnTarget: (_, name) => `x ${name}` });
    expect(Object.values(renamed.paired["dashboards"] ?? {})).toEqual([hexId("a", 3)]);
  });

  it("are not paired by the numbers of their labels if they are sources: the target may number them otherwise", async () => {
    const text = (more: string): string =>
      `name: Logs\n${more}\nkind: log\nconnection: {id: here}\nfrom: {databaseName: d, tableName: t}\n` +
      "timestampValueExpression: ts\ndefaultTableSelectExpression: body\n";
    const texts = { "sources/logs.yaml": text(""), "sources/logs-2.yaml": text("key: logs-2") };
    const theirs = [source(archiveIds.source, "Logs", hexId("c", 1)), source(hexId("a", 2), "Logs", hexId("c", 2))];
    const { paired, reader } = await openTexts(texts, { sources: theirs });
    expect(reader.manifest.entries).toHaveLength(2);
    expect(paired).toEqual({});
  });

  it("write an alert's channel in the members (channel, channels) that the target's record uses", async () => {
    const hook = hexId("e", 1);
    const on = dashboard(hexId("a", 1), "Board", "");
    const text = alertText("name: Busy\ndashboard: Board\ntile: 1\nchannel: {type: webhook, webhook: generic/pager}\n");
    const theirs = { dashboards: [on], webhooks: [webhook(hook, "pager")] };
    const channel = { type: "webhook", webhookId: hook };
    const bodyWith = async (alerts: Parameters<typeof targetWith>[0]) =>
      (await openTexts({ "alerts/a.yaml": text }, { ...theirs, ...alerts })).bodies.get("alerts/Busy");
    const both = await bodyWith({ alerts: [alert(hexId("b", 1), "Busy", on, hook)] });
    expect(both).toMatchObject({ channel, channels: [channel], dashboardId: on["id"], tileId: tileOf(on) });
    const single = await bodyWith({ alerts: [] });
    expect(single).toMatchObject({ channel });
    expect(single).not.toHaveProperty("channels");
  });
});

describe("a mistake in files", () => {
  it.each([
    ["a misspelt member", "tilez: []\n", "in/dashboards/a.yaml:2:1: "],
    [
      "a misspelt member of a tile",
      "tiles:\n  - {x: 0, y: 0, w: 1, h: 1}\n  - {namx: A, x: 0, y: 0, w: 1, h: 1}\n",
      "in/dashboards/a.yaml:4:6: ",
    ],
    [
      "a misspelt member beside the right one",
      "filters:\n  - {type: a, name: F, expresion: x, expression: y}\ntiles: []\n",
      "in/dashboards/a.yaml:3:24: ",
    ],
    ["a text in the place of a list", "tags: many\ntiles: []\n", "in/dashboards/a.yaml:2:7: tags: "],
    [
      "a text in the place of a number",
      "tiles:\n  - {x: A, y: 0, w: 1, h: 1}\n",
      "in/dashboards/a.yaml:3:9: tiles.0.x: ",
    ],
    ["a missing member of a tile", "tiles:\n  - {x: 0, y: 0, h: 1}\n", "in/dashboards/a.yaml:3:5: tiles.0.w: "],
  ])("such as %s is told with its place", async (_, more, place) => {
    const mistakes = await mistakesIn({ "dashboards/a.yaml": `name: A\n${more}` });
    expect(mistakes).toEqual([expect.stringContaining(place)]);
  });

  it("is told once, though two checks find it in the place of a required member", async () => {
    const texts = {
      "dashboards/b.yaml": board("B"),
      "alerts/a.yaml": alertText("name: A\n").replace("threshold:", "treshold:"),
    };
    const told = 'in/alerts/a.yaml:3:1: there is no member "treshold": did you mean "threshold"?';
    expect(await mistakesIn(texts)).toEqual([told]);
  });

  it("is no member that resembles none, or that the target's own records have", async () => {
    const passes = { "dashboards/a.yaml": "name: A\ntilzz: []\ntiles:\n  - {nbmx: A, x: 0, y: 0, w: 1, h: 1}\n" };
    expect((await openTexts(passes)).bodies.get("dashboards/A")).toMatchObject({ tilzz: [], tiles: [{ nbmx: "A" }] });
    const newer = { "dashboards/a.yaml": "name: A\ntilez: []\ntiles:\n  - {namx: A, x: 0, y: 0, w: 1, h: 1}\n" };
    const theirs = dashboard(hexId("a", 1), "B", "", { tilez: [], tiles: [{ id: "t", name: "T", namx: "N" }, "none"] });
    expect((await openTexts(newer, { dashboards: [theirs] })).bodies.get("dashboards/A")).toMatchObject({ tilez: [] });
    // The members of another kind's records prove nothing.
    const other = { ...source(hexId("a", 2), "S", "c"), tilez: [], namx: "N" };
    expect(await mistakesIn(newer, { sources: [other] })).toHaveLength(2);
  });

  it("is two records of one kind that are called the same", async () => {
    const twice = { "dashboards/a.yaml": board("A"), "dashboards/b.yaml": "tags: []\nname: A\ntiles: []\n" };
    expect(await mistakesIn(twice)).toEqual([
      expect.stringMatching(/^in\/dashboards\/b\.yaml:2:7: .*in\/dashboards\/a/),
    ]);
    const keyed = {
      "dashboards/a.yaml": "name: A\nkey: k\ntiles: []\n",
      "dashboards/b.yaml": "name: B\nkey:   k\ntiles: []\n",
    };
    expect(await mistakesIn(keyed)).toEqual([expect.stringMatching(/^in\/dashboards\/b\.yaml:2:8: .*key/)]);
    const apart = { "dashboards/a.yaml": board("A"), "dashboards/b.yaml": "name: A\nkey: k\ntiles: []\n" };
    expect((await openTexts(apart)).reader.manifest.entries).toHaveLength(2);
    const nameless = { "alerts/x/a.b.yaml": alertText(""), "alerts/y/a.b.yaml": alertText("name: ' '\n") };
    expect(await mistakesIn(nameless)).toEqual([expect.stringContaining('is also called "a.b"')]);
    const others = { "alerts/a.b.yaml": alertText(""), "alerts/a.yaml": alertText("name: ' '\n") };
    expect((await openTexts(others)).reader.manifest.entries).toHaveLength(2);
  });

  it("is a record that no stack would take", async () => {
    const text = alertText("name: A\nchannel: {type: email, emailRecipients: 7}\n");
    expect(await mistakesIn({ "alerts/a.yaml": text })).toEqual([expect.stringMatching(/^in\/alerts\/a\.yaml:1:1: /)]);
  });

  it("is told before the target is asked for anything, and all of them at once", async () => {
    const root = await codeFolder({ "alerts/a.yaml": alertText("", "many"), "alerts/b.yaml": "name: [" });
    const target = () => Promise.reject(new Error("asked"));
    await expect(openCode("in", root, target)).rejects.toMatchObject({
      code: "config",
      hint: expect.any(String),
      message: "2 mistakes in the files",
      faults: [
        expect.stringContaining("in/alerts/b.yaml:"),
        expect.stringContaining("in/alerts/a.yaml:3:12: threshold: "),
      ],
    });
  });

  it("is one of ten that are shown; of the others, how many there are", async () => {
    const count = async (files: number): Promise<readonly string[]> =>
      mistakesIn(Object.fromEntries(Array.from({ length: files }, (_, at) => [`alerts/${at + 10}.yaml`, "name: ["])));
    expect(await count(10)).toEqual(
      Array.from({ length: 10 }, (_, at) => expect.stringContaining(`alerts/${at + 10}.`)),
    );
    expect((await count(12)).slice(10)).toEqual(["and 2 more"]);
    const root = await codeFolder({ "alerts/a.yaml": "name: [" });
    const one = openCode("in", root, () => Promise.resolve(targetWith()));
    await expect(one).rejects.toMatchObject({ code: "config", hint: expect.any(String), faults: [] });
  });

  it("is a folder without such files", async () => {
    const opened = openTexts({ "README.md": "ours" });
    await expect(opened).rejects.toMatchObject({ code: "usage", hint: expect.any(String) });
  });
});
