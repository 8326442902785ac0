import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { objectsIn, type JsonObject, type JsonValue } from "../../../src/core/json.ts";
import type { SandboxSeed } from "../../../src/sandbox/start-sandbox.ts";
import { filesBelow } from "../../support/archive-samples.ts";
import { programForOneStack, sandboxEnv, programForTwoStacks, type Program } from "../../support/program.ts";
import { source, webhook } from "../../support/stack-records.ts";

/** Files in the forms in which people have records. The ids of a file mean the same in all files. */
const answers = new URL("../../fixtures/answers/", import.meta.url);
const idOf = (letter: string): string => `0000000000000000000000${letter}1`;

/** A stack that has the source and the webhook of the answers, under the same ids, and nothing else. */
const empty: SandboxSeed = {
  connections: [{ id: idOf("f"), name: "Main", host: "http://db.test:8123", username: "u" }],
  sources: [source(idOf("b"), "Logs", idOf("f"))],
  webhooks: [webhook(idOf("c"), "pager")],
};

async function emptyStackWith(...files: readonly string[]) {
  const program = await programForOneStack({ variant: "self-hosted", seed: empty });
  for (const file of files) await put(program, file);
  return program;
}

async function put({ cwd }: Program, file: string, path = `in/${file}`): Promise<void> {
  await mkdir(join(cwd, path, ".."), { recursive: true });
  await cp(new URL(file, answers), join(cwd, path));
}

async function answer(file: string): Promise<JsonObject> {
  return JSON.parse(await readFile(new URL(file, answers), "utf8"));
}

/** Returns the codes and messages of the outcomes, by the names of their records. */
function codesOf({ outcomes }: Record<string, unknown>): Record<string, string> {
  const found = outcomes as readonly { name: string; code?: string; message?: string }[];
  return Object.fromEntries(found.flatMap(({ name, code }) => (code === undefined ? [] : [[name, code]])));
}

describe("apply of the API's own answers", () => {
  it("creates two lists that curl saved, with every alert on its tile, and then changes nothing", async () => {
    await using program = await emptyStackWith("list-dashboards.json", "list-alerts.json");
    const { run, json, stack } = program;
    const dry = await json("apply in --to $STACK --dry-run");
    expect(dry).toMatchObject({ ok: true, counts: { create: 3 } });
    expect(await json("apply in --to $STACK")).toMatchObject({ ok: true, counts: { create: 3 } });
    const { dashboards, alerts } = stack.stored();
    const checkout = dashboards.find(({ name }) => name === "Checkout");
    const tiles = objectsIn(checkout?.["tiles"] as JsonValue);
    expect(new Set(dashboards.map(({ name }) => name))).toEqual(new Set(["Checkout", "Payments"]));
    expect(alerts).toHaveLength(1);
    expect(alerts[0]).toMatchObject({ tileId: tiles.find(({ name }) => name === "Requests")?.["id"], threshold: 100 });
    expect((await run("apply in --to $STACK --dry-run --exit-code --journals other")).exitCode).toBe(0);
    expect((await run("export --from $STACK --format code --out code")).exitCode).toBe(0);
    const text = await readFile(join(program.cwd, "code/alerts/alert.yaml"), "utf8");
    expect(text).toMatch(/^dashboard: Checkout\ntile: Requests$/m);
    expect((await run("apply code --to $STACK --dry-run --exit-code --journals third")).exitCode).toBe(0);
  });

  it("tells the kind of a record that its members do not tell by the name of its file, and no kind of other people's files", async () => {
    await using program = await emptyStackWith("list-dashboards.json");
    const { json, cwd } = program;
    const write = (file: string, content: unknown): Promise<void> =>
      writeFile(join(cwd, file), JSON.stringify(content));
    await write("in/list-alerts.json", { data: [] });
    await write("in/deploy.json", { name: "checkout", service: "payments", replicas: 3 });
    await write("in/saved-search.json", { id: idOf("e"), name: "Errors", sourceId: idOf("b"), tags: [], filters: [] });
    const { outcomes, error } = await json("apply in --to $STACK --dry-run --create saved-searches");
    expect(error).toBeUndefined();
    expect(
      (outcomes as JsonObject[]).map(({ kind, action }) => `${String(kind)} ${String(action)}`).toSorted(),
    ).toEqual(["dashboards create", "dashboards create", "saved-searches create"]);
    const { data } = (await answer("list-dashboards.json")) as { data: JsonObject[] };
    const [{ tiles: _tiles, ...broken } = {}, whole = {}] = data;
    await write("in/list-dashboards.json", { data: [broken, whole] });
    const run = await program.run("apply in --to $STACK --mirror --yes");
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringMatching(/list-dashboards\.json:\d+:\d+: .*tiles/)]);
  });

  it.each([
    ["dashboard.json", "in/dashboard.json"],
    ["dashboard.json", "in/dashboards/any-name.json"],
    ["dashboard-in-data.json", "in/saved.json"],
  ])("creates the same dashboard from %s as %s", async (file, path) => {
    await using program = await emptyStackWith();
    await put(program, file, path);
    for (const what of ["in", path]) {
      const { counts } = (await program.json(`apply ${what} --to $STACK`)) as { counts: JsonObject };
      expect(counts).toMatchObject(what === "in" ? { create: 1 } : { unchanged: 1 });
    }
    expect(program.stack.stored().dashboards.map(({ name }) => name)).toEqual(["Checkout"]);
  });

  it("calls an alert without a name after its file, if the files lack its dashboard, and not by an invented id", async () => {
    await using program = await emptyStackWith("list-alerts.json");
    const run = await program.run("apply in --to $STACK --dry-run");
    expect(run.exitCode).toBe(3);
    expect(run.stdout).toMatch(/in in\/list-alerts\.json#data\/0/);
    const { outcomes, items = outcomes } = await program.json("apply in --to $STACK --dry-run");
    expect(items).toMatchObject([
      { displayName: expect.stringContaining("list-alerts.json"), code: "missing-reference" },
    ]);
  });

  it("takes a bare array, an envelope of a managed stack, and request bodies without an id", async () => {
    await using program = await emptyStackWith();
    const { cwd, json } = program;
    const { id: _id, ...body } = await answer("dashboard.json");
    const write = (path: string, value: unknown) => writeFile(join(cwd, "in", path), JSON.stringify(value));
    await mkdir(join(cwd, "in"));
    await write("a.json", [{ ...body, name: "A" }]);
    await write("b.json", { status: 200, requestId: "r", result: [{ ...body, name: "B" }] });
    await write("c.json", { ...body, name: "C" });
    expect(await json("apply in --to $STACK")).toMatchObject({ ok: true, counts: { create: 3 } });
    const names = program.stack.stored().dashboards.map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(["A", "B", "C"]));
  });

  it("takes a list that is larger than any record may be", async () => {
    await using program = await emptyStackWith("list-alerts.json");
    const one = await answer("dashboard.json");
    const [, notes = {}] = objectsIn(one["tiles"]);
    const text = "x".repeat(40_000);
    const tiles = Array.from({ length: 100 }, (_, at) => ({
      ...notes,
      id: `t${at}`,
      y: 4 * at,
      config: { displayType: "markdown", markdown: text },
    }));
    const data = ["A", "B", "C", "D", "E"].map((name, at) => ({
      ...one,
      id: `${idOf("e").slice(0, 23)}${at}`,
      name,
      tiles,
    }));
    await writeFile(join(program.cwd, "in/dashboards.json"), JSON.stringify({ data: [one, ...data] }));
    expect(await program.json("apply in --to $STACK --dry-run")).toMatchObject({ ok: true, counts: { create: 7 } });
  });

  it("takes one record that lies in several files once, and refuses a copy with other content", async () => {
    await using program = await emptyStackWith("list-dashboards.json", "dashboard.json", "dashboard-in-data.json");
    expect(await program.json("apply in --to $STACK --dry-run")).toMatchObject({ ok: true, counts: { create: 2 } });
    const other = { ...(await answer("dashboard.json")), tags: ["other"] };
    await writeFile(join(program.cwd, "in/zz.json"), JSON.stringify(other));
    const refused = await program.json("apply in --to $STACK --dry-run");
    expect(refused).toMatchObject({ exitCode: 3, counts: { create: 2, blocked: 1 } });
    expect(codesOf(refused)).toMatchObject({ Checkout: "bad-file" });
  });

  it("names in the plan what the target lacks, and a drafted map file settles it", async () => {
    const elsewhere: SandboxSeed = {
      connections: [{ id: "0000000000000000000000a9", name: "Main", host: "http://db.test:8123", username: "u" }],
      sources: [source("0000000000000000000000b9", "Logs", "0000000000000000000000a9")],
      webhooks: [webhook("0000000000000000000000c9", "pager")],
    };
    await using program = await programForOneStack({ variant: "self-hosted", seed: elsewhere });
    await put(program, "list-dashboards.json");
    await put(program, "list-alerts.json");
    const blocked = await program.json("apply in --to $STACK --dry-run --draft-map map.yaml");
    expect(blocked).toMatchObject({ exitCode: 3, counts: { create: 1, blocked: 2 } });
    expect(codesOf(blocked)).toMatchObject({ Checkout: "missing-reference" });
    expect(JSON.stringify(blocked["outcomes"])).toContain("import it, too, or name its counterpart in a map file");
    const map = `sources: { ${idOf("b")}: Logs }\nwebhooks: { ${idOf("c")}: pager }\n`;
    await writeFile(join(program.cwd, "map.yaml"), map.replaceAll(/0{20}\w+/g, '"$&"'));
    expect(await program.json("apply in --to $STACK --map map.yaml")).toMatchObject({
      ok: true,
      counts: { create: 3 },
    });
  });

  it("makes of all lists of a stack what an import of its archive makes", async () => {
    await using program = await programForTwoStacks(
      { variant: "self-hosted", seed: "sample" },
      { variant: "self-hosted", seed: "none" },
    );
    const { cwd, from, run } = program;
    await mkdir(join(cwd, "in"));
    for (const kind of ["connections", "sources", "webhooks", "saved-searches", "dashboards", "alerts"]) {
      const headers = { authorization: `Bearer ${from.apiKey}` };
      const response = await fetch(`${from.stack}/api/v2/${kind}`, { headers });
      await writeFile(join(cwd, `in/${kind}.json`), await response.text());
    }
    // No answer holds the secrets of connections and webhooks; the sample's webhooks have no headers.
    const { missingSecrets } = await program.json("apply in --to $TO --create all --dry-run");
    const secrets: Record<string, JsonObject> = {};
    for (const { key, pointer, context } of missingSecrets as readonly Record<"key" | "pointer" | "context", string>[])
      secrets[key] = { ...secrets[key], [pointer]: { context, value: null } };
    await writeFile(join(cwd, "secrets.yaml"), JSON.stringify(secrets), { mode: 0o600 });
    const applied = await run("apply in --to $TO --create all --secrets secrets.yaml --yes");
    expect(applied.exitCode, applied.stderr + applied.stdout).toBe(0);
    // The files are in reading order, which means nothing to a stack, so the files of both stacks are compared.
    await run("export --from $FROM --format code --out from");
    await run("export --from $TO --format code --out to", { env: sandboxEnv(program.to) });
    expect(await filesBelow(join(cwd, "to"))).toEqual(await filesBelow(join(cwd, "from")));
  });
});

describe("an answer that says less than the stack has", () => {
  it("is named if the stack counts more records than the files hold", async () => {
    await using program = await emptyStackWith("list-dashboards.json");
    const list = await answer("list-alerts.json");
    const write = (value: unknown) => writeFile(join(program.cwd, "in/alerts.json"), JSON.stringify(value));
    const told = async (): Promise<string[]> => {
      const { warnings } = await program.json("apply in --to $STACK --dry-run");
      return (warnings as readonly { code: string; message: string }[])
        .filter(({ code }) => code === "left-out")
        .map(({ message }) => message);
    };
    await write({ ...list, meta: { total: 1500, limit: 1000, offset: 0 } });
    expect(await told()).toEqual([expect.stringContaining("1500 alerts")]);
    await write({ ...list, meta: { total: 1, limit: 1000, offset: 0 } });
    expect(await told()).toEqual([]);
  });

  it("is refused if a list leaves out what a record needs", async () => {
    await using program = await emptyStackWith("list-dashboards.json");
    const list = await answer("list-dashboards.json");
    const [first = {}, ...others] = objectsIn(list["data"]);
    const tiles = objectsIn(first["tiles"]).map((tile) => ({ ...tile, containerId: "c" }));
    const text = JSON.stringify({ data: [{ ...first, tiles }, ...others] });
    await writeFile(join(program.cwd, "in/list-dashboards.json"), text);
    const plan = await program.json("apply in --to $STACK --dry-run");
    expect(codesOf(plan)).toEqual({ Checkout: "bad-file" });
    expect(plan).toMatchObject({ counts: { create: 1, blocked: 1 } });
  });
});

describe("apply of older forms", () => {
  it("writes tiles with series as the API answers them, and finds no difference afterwards", async () => {
    await using program = await emptyStackWith("series.json");
    expect(await program.json("apply in --to $STACK")).toMatchObject({ ok: true, counts: { create: 1 } });
    const [stored] = program.stack.stored().dashboards;
    const [tile] = objectsIn(stored?.["tiles"] as JsonValue);
    expect(tile?.["config"]).toMatchObject({
      displayType: "line",
      sourceId: idOf("b"),
      select: [{ aggFn: "quantile", level: 0.95, valueExpression: "Duration" }],
    });
    expect((await program.run("apply in --to $STACK --dry-run --exit-code --journals other")).exitCode).toBe(0);
  });

  it.each([
    ["a type that the API lacks", { type: "histogram" }],
    ["a level that the API lacks", { level: 0.75 }],
    ["no aggFn", { aggFn: undefined }],
  ])("refuses series with %s in the plan, by the name of the tile", async (_, change) => {
    await using program = await emptyStackWith("dashboard.json");
    const { tiles, ...rest } = await answer("series.json");
    const [tile = {}] = objectsIn(tiles);
    const [item] = objectsIn(tile["series"]);
    const body = { ...rest, tiles: [{ ...tile, series: [{ ...item, ...change }] }] };
    await writeFile(join(program.cwd, "in/series.json"), JSON.stringify(body));
    const plan = await program.json("apply in --to $STACK --dry-run");
    expect(codesOf(plan)).toEqual({ Latency: "bad-file" });
    expect(JSON.stringify(plan)).toContain('tile \\"p95\\"');
  });

  it("refuses a dashboard of charts, and any dashboard without tiles, in the plan", async () => {
    await using program = await emptyStackWith("dashboard.json", "charts.json");
    await mkdir(join(program.cwd, "in/dashboards"));
    await writeFile(join(program.cwd, "in/dashboards/none.yaml"), "name: None\n");
    const applied = await program.json("apply in --to $STACK");
    expect(applied).toMatchObject({ exitCode: 3, counts: { create: 1, blocked: 2 } });
    expect(codesOf(applied)).toEqual({ Errors: "bad-file", None: "bad-file" });
    expect(program.stack.stored().dashboards.map(({ name }) => name)).toEqual(["Checkout"]);
  });
});

describe("apply of forms that only the web interface has", () => {
  const board = (config: JsonObject, more: JsonObject = {}): JsonObject => ({
    name: "Metrics",
    tiles: [
      { id: "t", x: 0, y: 0, w: 6, h: 3, config: { name: "CPU", displayType: "line", source: "Logs", ...config } },
    ],
    ...more,
  });
  const metric = { aggFn: "avg", metricType: "gauge", metricName: "cpu.load", valueExpression: "" };

  async function applied(body: JsonObject) {
    const program = await emptyStackWith("list-dashboards.json");
    await writeFile(join(program.cwd, "in/board.json"), JSON.stringify(body));
    return { ...program, document: await program.json("apply in --to $STACK") };
  }

  it.each([
    ["an export, with names", board({ select: [metric] }, { version: "0.1.0" })],
    ["a record, with ids", board({ select: [metric], source: idOf("b") }, { _id: idOf("d"), team: idOf("f") })],
  ])("writes the tile of a metric with the column that a write needs: %s", async (_, body) => {
    await using program = await applied(body);
    expect(program.document).toMatchObject({ ok: true, counts: { create: 3 } });
    const stored = program.stack.stored().dashboards.find(({ name }) => name === "Metrics");
    const [tile] = objectsIn(stored?.["tiles"] as JsonValue);
    expect(tile).toMatchObject({
      name: "CPU",
      config: { sourceId: idOf("b"), select: [{ metricName: "cpu.load", valueExpression: "Value" }] },
    });
  });

  it.each([
    ["a display type", { displayType: "sankey" }],
    ["an aggregate", { select: [{ ...metric, aggFn: "increase" }] }],
    ["a level", { select: [{ ...metric, aggFn: "quantile", level: 0.7 }] }],
    ["a metric named by SQL", { select: [{ ...metric, metricName: "", metricNameSql: "x" }] }],
    ["a condition of the whole chart", { select: [metric], where: "a:1" }],
  ])("refuses %s that the API lacks, in the plan, by the name of the tile", async (_, config) => {
    await using program = await applied(board({ select: [metric], ...config }, { version: "0.1.0" }));
    expect(codesOf(program.document)).toEqual({ Metrics: "bad-file" });
    expect(JSON.stringify(program.document["outcomes"])).toContain('tile \\"CPU\\": ');
  });

  it("writes a tile without a name, and names a tile of which the target refuses a member", async () => {
    const markdown = { displayType: "markdown", markdown: "x" };
    const tile = { x: 0, y: 0, w: 6, h: 3, config: markdown };
    await using program = await applied({ name: "Nameless", tiles: [tile] });
    expect(program.document).toMatchObject({ ok: true });
    const format = { numberFormat: { output: "stars" } };
    const refused = { displayType: "line", sourceId: idOf("b"), select: [{ aggFn: "count" }], ...format };
    const body = { name: "Refused", tiles: [{ ...tile, name: "Stars", config: refused }] };
    await writeFile(join(program.cwd, "in/board.json"), JSON.stringify(body));
    const plan = await program.json("apply in --to $STACK --dry-run --journals other");
    expect(codesOf(plan)).toMatchObject({ Refused: "would-be-refused" });
    expect(JSON.stringify(plan["outcomes"])).toContain('tile \\"Stars\\": config.numberFormat');
  });
});
