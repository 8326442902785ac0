import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { hexId, source, webhook } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LOGS = source(hexId("b", 1), "Logs", hexId("c", 1));
const tiles =
  "tiles:\n  - name: T\n    x: 0\n    y: 0\n    w: 6\n    h: 3\n    config: {displayType: markdown, markdown: Hi}\n";
const board = (name: string, more = ""): string => `name: ${name}\n${more}${tiles}`;
const alertOn = (name: string): string =>
  `name: On ${name}\nsource: tile\ndashboard: ${name}\ntile: T\nthresholdType: above\nthreshold: 1\ninterval: 5m\nchannel: {type: webhook, webhook: generic/pager}\n`;
const linkTo = (name: string): string =>
  `name: Linked\ntiles:\n  - {name: L, x: 0, y: 0, w: 6, h: 3, config: {displayType: table, source: Logs, select: [{aggFn: count, whereLanguage: lucene}], onClick: {type: dashboard, target: {mode: id, dashboard: ${name}}, whereLanguage: sql}}}\n`;

const BAD: readonly (readonly [string, string, string])[] = [
  ["broken YAML", "name: Bad\ntags: [\n", "stack/dashboards/bad.yaml:3:1: "],
  ["a wrong type", board("Bad", "tags: many\n"), "stack/dashboards/bad.yaml:2:7: tags: "],
  ["a misspelt member", board("Bad", "tagz: []\n"), "stack/dashboards/bad.yaml:2:1: "],
  [
    "an unknown name",
    linkTo("Nowhere").replace("Linked", "Bad").replace("name: L,", "name: T,"),
    "stack/dashboards/bad.yaml:3:",
  ],
];

async function stage(texts: Readonly<Record<string, string>>, options: Partial<SandboxOptions> = {}) {
  const cwd = temporaryFolder();
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  };
  for (const [path, text] of Object.entries(texts)) await write(`stack/${path}`, text);
  const seed = { sources: [LOGS], webhooks: [webhook(hexId("b", 2), "pager")] };
  const sandbox = await startSandbox({ variant: "self-hosted", seed, ...options });
  const env = sandboxEnv(sandbox);
  const run = async (...args: readonly string[]) => documentOf(await runCli([...args, "--json"], { env, cwd }));
  return {
    write,
    remove: (path: string) => rm(join(cwd, path)),
    apply: (...flags: readonly string[]) =>
      run("apply", "stack", "--to", sandbox.stack, "--yes", "--consistency-wait", "1ms", ...flags),
    diff: () => run("diff", "./stack", sandbox.stack, "--exit-code"),
    names: (kind: "dashboards" | "alerts") => sandbox.stored()[kind].map(({ name }) => name),
    writes: () => Object.entries(sandbox.stats().byRoute).filter(([route]) => /^(?:POST|PUT|DELETE)/.test(route)),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

const outcomesOf = (document: Readonly<Record<string, unknown>>) =>
  new Map(
    (document["outcomes"] as readonly { name: string; code?: string; message?: string; action: string }[]).map(
      (outcome) => [outcome.name, outcome],
    ),
  );

describe("a file with a mistake", () => {
  it.each(BAD)("(%s) blocks itself alone, and what refers to it", async (_, text, place) => {
    await using stack = await stage({
      "dashboards/bad.yaml": text,
      "dashboards/good.yaml": board("Good"),
      "dashboards/linked.yaml": linkTo("Bad"),
      "alerts/bad.yaml": alertOn("Bad"),
      "alerts/good.yaml": alertOn("Good"),
    });
    const dry = await stack.apply("--dry-run");
    expect([dry["exitCode"], outcomesOf(dry).get("Bad")]).toMatchObject([3, { action: "blocked", code: "bad-file" }]);
    const run = await stack.apply();
    expect(run).toMatchObject({ exitCode: 3, counts: { create: 2, blocked: 3 } });
    const outcomes = outcomesOf(run);
    expect(outcomes.get("Bad")).toMatchObject({ code: "bad-file", message: expect.stringContaining(place) });
    for (const name of ["Linked", "On Bad"]) {
      expect(outcomes.get(name)).toMatchObject({ action: "blocked", code: "dependency-blocked" });
    }
    expect([stack.names("dashboards"), stack.names("alerts")]).toEqual([["Good"], ["On Good"]]);
    await stack.write("stack/dashboards/bad.yaml", board("Bad"));
    expect(await stack.apply()).toMatchObject({ exitCode: 0, counts: { create: 3, unchanged: 2 } });
  });

  it("leaves what the target has of that name, and what hangs on it, as it was", async () => {
    const texts = {
      "dashboards/bad.yaml": board("Bad"),
      "alerts/bad.yaml": alertOn("Bad"),
      "dashboards/g.yaml": board("Good"),
    };
    await using stack = await stage(texts);
    await stack.apply();
    for (const text of [board("Bad", "tags: many\n"), "name: Bad\ntags: [\n"]) {
      await stack.write("stack/dashboards/bad.yaml", text);
      await stack.write("stack/alerts/bad.yaml", alertOn("Bad").replace("threshold: 1", "threshold: 900"));
      const before = stack.writes();
      expect(await stack.apply()).toMatchObject({ exitCode: 3, counts: { blocked: 2, unchanged: 1 } });
      expect(stack.writes()).toEqual(before);
    }
  });

  it("of a source that the target has keeps no dashboard from being written", async () => {
    const texts = { "sources/logs.yaml": "name: Logs\nkind: 7\n", "dashboards/good.yaml": linkTo("Linked") };
    await using stack = await stage(texts);
    const run = await stack.apply();
    expect(run).toMatchObject({ exitCode: 3, counts: { create: 1, blocked: 1 } });
    expect(stack.names("dashboards")).toEqual(["Linked"]);
  });

  it("is named by diff, which says nothing of its record and ends with 3", async () => {
    await using stack = await stage({ "dashboards/bad.yaml": board("Bad"), "dashboards/good.yaml": board("Good") });
    await stack.apply();
    await stack.write("stack/dashboards/bad.yaml", board("Bad", "tags: many\n"));
    await stack.write("stack/dashboards/good.yaml", board("Good", "tags: [new]\n"));
    const { exitCode, warnings, diff } = await stack.diff();
    expect([exitCode, warnings]).toMatchObject([3, [{ code: "bad-file" }]]);
    const { changes } = diff as { changes: readonly { kind: string; name: string }[] };
    expect(changes.filter(({ kind }) => kind === "dashboards").map(({ name }) => name)).toEqual(["Good"]);
  });
});

describe("all files are refused", () => {
  const good = { "dashboards/good.yaml": board("Good") };

  it.each([
    ["two files are called the same", { ...good, "dashboards/b.yaml": board("Good") }],
    ["one of two that are called the same has a mistake", { ...good, "dashboards/b.yaml": board("Good", "tags: x\n") }],
    ["a folder is of no kind", { ...good, "dashbords/b.yaml": board("B") }],
    ["none is without a mistake", { "dashboards/a.yaml": "name: [", "alerts/a.yaml": alertOn("Nowhere") }],
  ])("where %s", async (_, texts) => {
    await using stack = await stage(texts);
    expect(await stack.apply()).toMatchObject({ exitCode: 2, error: { code: "config" } });
    expect(stack.writes()).toEqual([]);
  });

  it("under --mirror, where a file that cannot be read would look like one that is gone", async () => {
    await using stack = await stage({ ...good, "dashboards/b.yaml": board("B"), "dashboards/c.yaml": board("C") });
    const state = ["--state", "state.json"];
    await stack.apply(...state);
    await stack.write("stack/dashboards/b.yaml", "name: [");
    await stack.remove("stack/dashboards/c.yaml");
    const before = stack.writes();
    expect(await stack.apply(...state, "--mirror")).toMatchObject({ exitCode: 2, error: { code: "config" } });
    expect(stack.writes()).toEqual(before);
    await stack.write("stack/dashboards/b.yaml", board("B"));
    expect(await stack.apply(...state, "--mirror")).toMatchObject({ exitCode: 0 });
    expect(stack.names("dashboards")).toEqual(["B", "Good"]);
  });
});
