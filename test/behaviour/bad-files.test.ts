import { mkdir, rm, writeFile, readdir, truncate, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox, type SandboxOptions } from "../support/start-sandbox.ts";
import { changeOn, recordOn } from "../support/on-stack.ts";
import { documentOf, runCli, type CliRun } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { hexId, source, webhook, dashboard, targetIds } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import {
  programAfterApply,
  editFile,
  lockFileOf,
  outcomesOf,
  programWithArchive,
  type ProgramWithArchive,
} from "../support/program-with-archive.ts";
import { allowUndescribed } from "../support/allow-undescribed.ts";

const LOGS = source(targetIds.source, "Logs", hexId("c", 1));
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
  const seed = { sources: [LOGS], webhooks: [webhook(targetIds.webhook, "pager")] };
  const sandbox = await startSandbox({ variant: "self-hosted", seed, ...options });
  const env = sandboxEnv(sandbox);
  const run = async (...args: readonly string[]) => documentOf(await runCli([...args, "--json"], { env, cwd }));
  return {
    write,
    remove: (path: string) => rm(join(cwd, path)),
    apply: (...flags: readonly string[]) => run("apply", "stack", "--to", sandbox.stack, "--yes", ...flags),
    diff: () => run("diff", "./stack", sandbox.stack, "--exit-code"),
    names: (kind: "dashboards" | "alerts") => sandbox.stored()[kind].map(({ name }) => name),
    stored: (kind: "saved-searches") => sandbox.stored()[kind],
    writes: () => Object.entries(sandbox.stats().byRoute).filter(([route]) => /^(?:POST|PUT|DELETE)/.test(route)),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

const outcomesByName = (document: Readonly<Record<string, unknown>>) =>
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
    expect([dry["exitCode"], outcomesByName(dry).get("Bad")]).toMatchObject([
      3,
      { action: "blocked", code: "bad-file" },
    ]);
    const run = await stack.apply();
    expect(run).toMatchObject({ exitCode: 3, counts: { create: 2, blocked: 3 } });
    const outcomes = outcomesByName(run);
    expect(outcomes.get("Bad")).toMatchObject({ code: "bad-file", message: expect.stringContaining(place) });
    for (const name of ["Linked", "On Bad"]) {
      expect(outcomes.get(name)).toMatchObject({ action: "blocked", code: "dependency-blocked" });
    }
    expect([stack.names("dashboards"), stack.names("alerts")]).toEqual([["Good"], ["On Good"]]);
    await stack.write("stack/dashboards/bad.yaml", board("Bad"));
    expect(await stack.apply()).toMatchObject({ exitCode: 0, counts: { create: 3, unchanged: 2 } });
  });

  it("leaves the target's record of that name, and the alerts on it, unchanged", async () => {
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

  it.each([
    ["it cannot be read", "name: Errors\ntags: [\n"],
    ["it has a wrong type", "name: Errors\nsource: Logs\ntags: many\n"],
  ])("of a saved search blocks the alert on it, which has no mistake itself, if %s", async (_, text) => {
    await using stack = await stage({
      "saved-searches/errors.yaml": text,
      "alerts/on-it.yaml": searchAlert("Errors"),
      "dashboards/good.yaml": board("Good"),
    });
    const run = await stack.apply("--create", "saved-searches");
    expect(run).toMatchObject({ exitCode: 3, counts: { create: 1, blocked: 2 } });
    expect(outcomesByName(run).get("On it")).toMatchObject({ code: "dependency-blocked" });
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

const searchAlert = (savedSearch: string): string =>
  `name: On it\nsource: saved_search\nsavedSearch: ${savedSearch}\nthresholdType: above\nthreshold: 1\ninterval: 5m\nchannel: {type: webhook, webhook: generic/pager}\n`;

/** Filters that only the web interface can store. An export writes them into files as they are. */
const WEB_MADE = `name: Errors
source: Logs
filters:
  - {type: sql_ast, operator: "=", left: ServiceName, right: "'checkout'"}
  - {type: sql, condition: ServiceName IN ('checkout')}
`;

describe("a saved search with filters that only the web interface can store", () => {
  it("is blocked for its form, as from an archive, and written without the filters under --fit-limits", async () => {
    await using stack = await stage({
      "saved-searches/errors.yaml": WEB_MADE,
      "alerts/on-it.yaml": searchAlert("Errors"),
    });
    const refused = await stack.apply("--create", "saved-searches");
    expect(outcomesByName(refused).get("Errors")).toMatchObject({ action: "blocked", code: "needs-fitting" });
    expect(outcomesByName(refused).get("On it")).toMatchObject({ action: "blocked", code: "dependency-blocked" });
    const fitted = await stack.apply("--create", "saved-searches", "--fit-limits");
    expect(fitted).toMatchObject({ exitCode: 0, counts: { create: 2 } });
    expect(stack.stored("saved-searches")).toMatchObject([
      { name: "Errors", filters: [{ type: "sql", condition: "ServiceName IN ('checkout')" }] },
    ]);
    expect(stack.names("alerts")).toEqual(["On it"]);
  });
});

describe("apply refuses all files", () => {
  const good = { "dashboards/good.yaml": board("Good") };

  it.each([
    ["two files are called the same", { ...good, "dashboards/b.yaml": board("Good") }],
    ["one of two that are called the same has a mistake", { ...good, "dashboards/b.yaml": board("Good", "tags: x\n") }],
    ["a folder is of no kind", { ...good, "dashbords/b.yaml": "name: B\n" }],
    ["none is without a mistake", { "dashboards/a.yaml": "name: [", "alerts/a.yaml": alertOn("Nowhere") }],
  ])("if %s", async (_, texts) => {
    await using stack = await stage(texts);
    expect(await stack.apply()).toMatchObject({ exitCode: 2, error: { code: "config" } });
    expect(stack.writes()).toEqual([]);
  });

  it("under --mirror, since a file that cannot be read would look deleted", async () => {
    await using stack = await stage({ ...good, "dashboards/b.yaml": board("B"), "dashboards/c.yaml": board("C") });
    await stack.apply();
    await stack.write("stack/dashboards/b.yaml", "name: [");
    await stack.remove("stack/dashboards/c.yaml");
    const before = stack.writes();
    expect(await stack.apply("--mirror")).toMatchObject({ exitCode: 2, error: { code: "config" } });
    expect(stack.writes()).toEqual(before);
    await stack.write("stack/dashboards/b.yaml", board("B"));
    expect(await stack.apply("--mirror")).toMatchObject({ exitCode: 0 });
    expect(stack.names("dashboards")).toEqual(["B", "Good"]);
  });
});

const makers: readonly [string, (path: string) => unknown][] = [
  ["FIFO", (path) => execFileSync("mkfifo", [path])],
  ["folder", (path) => mkdir(path)],
  [
    "gigabyte",
    async (path) => {
      await writeFile(path, "");
      await truncate(path, 1024 ** 3);
    },
  ],
];

describe.each(makers)("a %s in place of a file is refused at once, and named", (_, make) => {
  let program: ProgramWithArchive;
  beforeAll(async () => {
    program = await programWithArchive();
  });
  afterAll(() => program[Symbol.asyncDispose]());

  /** Runs a command while this file is in the working folder. In the command, `x` stands for the target. */
  async function runBeside(file: string, line: string): Promise<Record<string, unknown>> {
    const path = join(program.cwd, file);
    await make(path);
    const run = await program.run(line.split(" ").map((word) => (word === "x" ? program.to.stack : word)));
    await rm(path, { recursive: true });
    return documentOf(run);
  }

  it("as signature (exit 4)", async () => {
    const { publicKey } = generateKeyPairSync("ed25519");
    await writeFile(join(program.cwd, "key.pem"), publicKey.export({ type: "spki", format: "pem" }));
    const run = await runBeside("a.zip.sig", "verify a.zip --signer key.pem");
    expect(run).toMatchObject({ exitCode: 4, error: { code: "archive-damaged" } });
  });

  it.each([
    ["configuration", "doctor x --config f"],
    ["certificates", "doctor x --ca f"],
    ["map file", "import a.zip --to x --map f"],
    ["secrets file", "import a.zip --to x --secrets f"],
    ["public key of a signer", "verify a.zip --signer f"],
    ["private key", "export --from x --out b.zip --sign f"],
  ])("as %s (exit 2)", async (_what, line) => {
    const run = await runBeside("f", line);
    expect(run).toMatchObject({ exitCode: 2, error: { message: expect.stringContaining("f") } });
  });

  it("as lock of a target (exit 7)", async () => {
    await mkdir(join(program.cwd, ".stackferry"), { recursive: true });
    const lock = relative(program.cwd, lockFileOf(program));
    expect(await runBeside(lock, "import a.zip --to x")).toMatchObject({ exitCode: 7 });
  });

  it("as entry of a backup", async () => {
    await mkdir(join(program.cwd, "repo"));
    expect((await program.run(["backup", program.from.stack, "--to", "repo"])).exitCode).toBe(0);
    const files = await readdir(join(program.cwd, "repo"), { recursive: true });
    const entry = join("repo", files.find((name) => name.endsWith(".json")) ?? "");
    await rm(join(program.cwd, entry));
    const run = await runBeside(entry, "check repo --max-age 1h");
    // Only a file is listed, so the archive beside another thing is unfinished.
    expect([0, 3]).toContain(run.exitCode);
  });
});

describe("forms unknown to schemas", () => {
  const board = (number: number, name: string, more: Readonly<Record<string, unknown>> = {}) =>
    dashboard(hexId("a", number), name, targetIds.source, { tags: [], ...more });

  async function exported(
    dashboards: readonly ReturnType<typeof dashboard>[],
    ...more: Readonly<Record<string, unknown>>[]
  ) {
    const sandbox = await startSandbox({
      variant: "self-hosted",
      seed: { sources: [LOGS], dashboards, "saved-searches": more },
    });
    const env = sandboxEnv(sandbox);
    const words = ["export", "--from", sandbox.stack, "--format", "code", "--out", "stack", "--json"];
    const first = await runCli(words, { env });
    const { cwd } = first;
    return {
      document: documentOf(first),
      text: (path: string) => readFile(join(cwd, "stack", path), "utf8"),
      edit: async (path: string, from: string, to: string) => {
        const file = join(cwd, "stack", path);
        await writeFile(file, (await readFile(file, "utf8")).replace(from, to));
      },
      apply: async () =>
        documentOf(await runCli(["apply", "stack", "--to", sandbox.stack, "--yes", "--json"], { env, cwd })),
      [Symbol.asyncDispose]: () => sandbox.close(),
    };
  }

  describe("what a stack holds and the schema of its files does not know", () => {
    it.each(["promql", "esql"])("is applied again where it is a word: %s", async (language) => {
      allowUndescribed(/\/savedQueryLanguage: is none of sql, lucene, but esql$/);
      const odd = board(16, "Odd", { savedQuery: "up", savedQueryLanguage: language });
      await using stack = await exported([odd, board(17, "Plain")]);
      expect(stack.document["exitCode"]).toBe(0);
      expect(await stack.text("dashboards/odd.yaml")).toContain(`savedQueryLanguage: ${language}`);
      expect(await stack.apply()).toMatchObject({ exitCode: 0, counts: { unchanged: 2 } });
    });

    it("is a warning of the export with file and place where it has another form, and keeps no other file back", async () => {
      allowUndescribed(/\/select: is array, not string$/);
      const search = {
        id: hexId("d", 1),
        name: "Errors",
        sourceId: targetIds.source,
        select: ["Body"],
        tags: [],
        filters: [],
      };
      await using stack = await exported([board(17, "Plain")], search);
      const warnings = stack.document["warnings"] as readonly { code: string }[];
      expect(warnings.filter(({ code }) => code !== "dead-reference")).toMatchObject([
        {
          code: "unknown-form",
          message: expect.stringContaining("saved-searches/errors.yaml"),
          pointer: "/select",
        },
      ]);
      expect(await stack.text("saved-searches/errors.yaml")).toContain("Body");
      expect(await stack.apply()).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
      await stack.edit("saved-searches/errors.yaml", "Body", "Other");
      expect(await stack.apply()).toMatchObject({ exitCode: 3, counts: { blocked: 1, unchanged: 1 } });
    });
  });
});

const fates = (run: CliRun, name: string): unknown[] =>
  outcomesOf(run).flatMap((outcome) => (outcome.name === name ? [[outcome.action, outcome.code]] : []));

describe("apply, where somebody has changed a threshold on the stack", () => {
  const threshold = async ({ to }: ProgramWithArchive): Promise<unknown> =>
    (await recordOn(to, "alerts", "Quiet"))["threshold"];

  it("overwrites it and says so; fail writes nothing, and keep keeps it and ends with 3, again and again", async () => {
    await using stage = await programAfterApply();
    expect(await threshold(stage)).toBe(10);
    await changeOn(stage.to, "alerts", { threshold: 999 }, "Quiet");
    const failed = documentOf(await stage.apply("--on-conflict", "fail"));
    expect(failed).toMatchObject({ exitCode: 3, error: { hint: expect.stringContaining("--on-conflict") } });
    const keep = ["--on-conflict", "keep"];
    for (const _again of [1, 2]) {
      const run = await stage.apply(...keep);
      expect([run.exitCode, fates(run, "Quiet")]).toEqual([3, [["skip", "edited"]]]);
    }
    expect((await stage.apply(...keep, "--dry-run", "--exit-code")).exitCode).toBe(0);
    expect((await stage.apply("--dry-run", "--exit-code")).exitCode).toBe(10);
    const elsewhere = await stage.apply(...keep, "--journals", "another");
    expect([elsewhere.exitCode, fates(elsewhere, "Quiet")]).toEqual([3, [["skip", "exists"]]]);
    expect(await threshold(stage)).toBe(999);
    const overwriting = await stage.apply();
    expect([overwriting.exitCode, fates(overwriting, "Quiet")]).toEqual([0, [["update", "edited"]]]);
    expect(await threshold(stage)).toBe(10);
    expect((await stage.apply("--dry-run", "--exit-code")).exitCode).toBe(0);
  });

  it("exits 3, too, while a merge leaves a part of a record that differs", async () => {
    await using stage = await programAfterApply();
    await changeOn(stage.to, "dashboards", { tags: ["theirs"] }, "Three");
    await editFile(stage, "dashboards/three.yaml", /^tiles:/m, "filters: []\ntiles:");
    await editFile(stage, "dashboards/three.yaml", /name: (?!Three)/, "name: New ");
    const run = await stage.apply("--on-conflict", "merge");
    expect([run.exitCode, fates(run, "Three")]).toEqual([3, [["update", "kept"]]]);
    expect((await recordOn(stage.to, "dashboards", "Three"))["tags"]).toEqual(["theirs"]);
  });
});
