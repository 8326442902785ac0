import { readFileSync, renameSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callSandbox } from "../support/read-sandbox.ts";
import { checkRebuild, readWholeStack } from "../support/independent-check.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { blocksOf, documentPaths, documentText, commandsOf, root, type ShownCommand } from "../support/documents.ts";
import { bareWithSearches, sampleMap } from "../support/program.ts";

import { writeSecretsOf } from "../support/stack-secrets.ts";
import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { promisify } from "node:util";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { commandWords } from "../support/command-words.ts";
import { configuredStacks } from "../support/configured-stacks.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const sample = (): Promise<Sandbox> => startSandbox({ variant: "self-hosted", seed: "sample" });
const bare = (): Promise<Sandbox> => startSandbox({ variant: "self-hosted", seed: "bare" });
const cloudStack = (): Promise<Sandbox> => startSandbox({ variant: "managed", seed: "bare" });
const olderStack = async (): Promise<Sandbox> =>
  startSandbox({ variant: "managed", seed: await bareWithSearches("managed"), api: "contract" });

/** Numbers of dashboards, saved searches and alerts of a stack. */
const [EVERYTHING, NOTHING] = [
  [9, 2, 14],
  [0, 0, 0],
];

/** Joins the lines of a text that a terminal has wrapped. */
const onOneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

function counts(sandbox: Sandbox): number[] {
  const { dashboards, "saved-searches": searches, alerts } = sandbox.stored();
  return [dashboards, searches, alerts].map(({ length }) => length);
}

/** For each page with commands, a function that runs the commands in a folder such as a reader has. */
const pages: Readonly<Record<string, () => Promise<void>>> = {
  "README.md": async () => {
    await using production = await sample();
    await using cloud = await cloudStack();
    const stage = await stageFor({ production, cloud });
    const config = join(stage.cwd, "stackferry.yaml");
    await followPage("README.md", stage, {
      "--create saved-searches": async () => {
        const { stdout } = await runCli(["import", "production.zip", "--to", "cloud", "--dry-run"], stage);
        const [shown] = blocksOf(documentText("README.md")).filter(({ language }) => language === "text");
        for (const line of (shown?.text ?? "").split(/\n(?! )/)) expect(onOneLine(stdout)).toContain(onOneLine(line));
      },
      "stackferry diff": () => expect(counts(cloud)).toEqual(EVERYTHING),
      "stackferry init": () => {
        expect(counts(cloud)).toEqual(NOTHING);
        rmSync(config);
      },
      "stackferry backup": () => expect(readFileSync(config, "utf8")).toContain("PRODUCTION_API_KEY"),
    });
  },

  "docs/archive-format.md": async () => {
    await using production = await sample();
    const stage = await stageFor({ production });
    await stage.run("stackferry export --from production --out archive.zip");
    await stage.run("stackferry export --from production --format folder --out folder");
    await followPage("docs/archive-format.md", stage, {
      "manifest()": () => stage.run("stackferry export --from production --out backup.zip --sign signing.key"),
    });
  },

  "docs/backup.md": async () => {
    await using production = await sample();
    await using replacement = await startSandbox({ variant: "self-hosted" });
    const stage = await stageFor({ production, replacement });
    const path = () =>
      `dashboards/${production.stored().dashboards.find(({ name }) => name === "Service overview")?.id}`;
    const tilesNow = async () =>
      ((await callSandbox(production, "GET", path())) as { tiles: readonly { name: string }[] }).tiles;
    let others: readonly { name: string }[] = [];
    const names = () => new Set(production.stored().dashboards.map(({ name }) => name));
    const whole = { names: names(), records: await readWholeStack(production) };
    await followPage("docs/backup.md", stage, {
      "stackferry doctor": () =>
        writeSecretsOf(production, replacement, stage.cwd, ["nightly/production@latest", "answers.yaml"]),
      '--include "Service overview" --dry-run': () => callSandbox(production, "DELETE", path()),
      "stackferry diff": async () => {
        expect(counts(production)).toEqual(EVERYTHING);
        // On another day, this dashboard is as people have made it: no import has written it.
        rmSync(join(stage.cwd, ".stackferry"), { recursive: true });
        others = (await tilesNow()).filter(({ name }) => name !== "Errors");
        await callSandbox(production, "PUT", path(), { name: "Service overview", tiles: others });
        expect(counts(production)).toEqual([9, 2, 12]);
      },
      "rollback --to production --run N --yes": async () => {
        const tiles = [...others, expect.objectContaining({ name: "Errors" })];
        expect(await tilesNow()).toEqual(expect.arrayContaining(tiles));
        expect(await tilesNow()).toHaveLength(tiles.length);
        expect(counts(production)).toEqual(EVERYTHING);
      },
      "check nightly --newest --stack": async () => {
        expect([await tilesNow(), counts(production)]).toEqual([others, [9, 2, 12]]);
        for (const { id } of production.stored().dashboards)
          await callSandbox(production, "DELETE", `dashboards/${id}`);
      },
      "rollback --to production --list": () => {
        expect([names(), counts(production)]).toEqual([whole.names, EVERYTHING]);
      },
      "stackferry doctor replacement": async () => {
        // Alerts on saved searches were not lost with the dashboards, so the rollback has nothing to restore for them.
        expect(counts(production)).toEqual([0, 2, 2]);
        await production.close();
      },
      "--secrets secrets.yaml --dry-run": () => {
        expect(readFileSync(join(stage.cwd, "secrets.yaml"), "utf8")).toContain("/password");
        renameSync(join(stage.cwd, "answers.yaml"), join(stage.cwd, "secrets.yaml"));
      },
      "rollback --to replacement": async () => {
        const differing = checkRebuild(whole.records, await readWholeStack(replacement));
        expect(differing.filter(([, found]) => found.length > 0)).toEqual([]);
      },
    });
    expect(counts(replacement)).toEqual(NOTHING);
  },

  "docs/configuration.md": async () => {
    await using production = await sample();
    await using staging = await bare();
    await followPage("docs/configuration.md", await stageFor({ production, staging }));
  },

  "docs/dashboards-as-code.md": async () => {
    await using production = await sample();
    const stage = await stageFor({ production });
    const alert = join(stage.cwd, "stack/alerts/checkout-is-slow.yaml");
    await followPage("docs/dashboards-as-code.md", stage, {
      "stackferry apply": () =>
        writeFileSync(alert, readFileSync(alert, "utf8").replace("threshold: 800", "threshold: 900")),
    });
    expect(production.stored().alerts.map((stored) => stored["threshold"])).toContain(900);
  },

  "docs/keep-in-step.md": async () => {
    await using production = await sample();
    await using staging = await bare();
    const stage = await stageFor({ production, staging });
    await followPage("docs/keep-in-step.md", stage, {
      "stackferry export": () => expect(counts(staging)).toEqual(EVERYTHING),
      "--mirror --dry-run": () => expect(counts(staging)).toEqual([11, 2, 14]),
    });
    expect(counts(staging)).toEqual(EVERYTHING);
  },

  "docs/library.md": async () => followPage("docs/library.md", await stageFor({})),

  "docs/limits.md": async () => {
    await using production = await sample();
    await using staging = await bare();
    const stage = await stageFor({ production, staging });
    await stage.run("stackferry export --from production --out production.zip");
    await followPage("docs/limits.md", stage);
  },

  "docs/migrate.md": async () => {
    await using production = await sample();
    await using staging = await bare();
    await using cloud = await cloudStack();
    await using older = await olderStack();
    const stage = await stageFor({ production, staging, cloud, older });
    const config = join(stage.cwd, "stackferry.yaml");
    await stage.run("stackferry export --from production --out production.zip");
    const shown = "http://127.0.0.1:8001/v1/organizations/ORG/services/SVC";
    const staged = { ...stage, replacements: new Map([...stage.replacements, [shown, cloud.stack]]) };
    await followPage("docs/migrate.md", staged, {
      "stackferry init": () => rmSync(config),
      "stackferry doctor": () => {
        expect(readFileSync(config, "utf8")).toMatch(/PRODUCTION_API_KEY[^]*CLOUD_KEY_SECRET/);
        writeFileSync(config, stage.config);
      },
      "--map map.yaml": () => writeFileSync(join(stage.cwd, "map.yaml"), sampleMap(production, older)),
      "stackferry rollback": () => expect(counts(cloud)).toEqual(EVERYTHING),
    });
    expect([cloud, older].map(counts)).toEqual([NOTHING, EVERYTHING]);
  },

  "docs/outcomes-and-exit-codes.md": async () => {
    await using production = await sample();
    await using cloud = await cloudStack();
    const stage = await stageFor({ production, cloud });
    await stage.run("stackferry export --from production --out production.zip");
    await followPage("docs/outcomes-and-exit-codes.md", stage);
  },

  "docs/redaction.md": async () => {
    await using production = await sample();
    await using staging = await bare();
    const config = { displayType: "markdown", markdown: "admin, password: hunter2-9f8e7d, then see the wiki" };
    const tile = { name: "Notes", x: 0, y: 0, w: 4, h: 2, config };
    await callSandbox(production, "POST", "dashboards", { name: "Runbook", tiles: [tile] });
    const stage = await stageFor({ production, staging });
    await stage.run("stackferry export --from production --out backup.zip");
    const fill = join(stage.cwd, "secrets.yaml");
    await followPage("docs/redaction.md", stage, {
      "--secrets secrets.yaml": () =>
        writeFileSync(fill, readFileSync(fill, "utf8").replace(/value:.*/, 'value: "new-secret"')),
    });
    expect(JSON.stringify(staging.stored().dashboards)).toContain("password: new-secret, then see the wiki");
  },

  "docs/repository.md": async () => {
    await using production = await sample();
    const stage = await stageFor({ production });
    await stage.run("stackferry backup production --to backups");
    await followPage("docs/repository.md", stage);
    expect(readFileSync(join(stage.cwd, "history.html"), "utf8")).toContain("History of production");
    await stage.run("stackferry export --from production --metrics-file export.prom");
    const written = ["backup.prom", "check.prom", "export.prom"]
      .map((name) => readFileSync(join(stage.cwd, name), "utf8"))
      .join("");
    const named = [...written.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name = ""]) => name);
    const listed = documentText("docs/repository.md").matchAll(/`(stackferry_\w+)`/g);
    expect(new Set([...listed].map(([, name]) => name))).toEqual(new Set(named));
  },

  "docs/security.md": async () => {
    await using production = await sample();
    const stage = await stageFor({ production });
    await stage.run("stackferry export --from production --out production.zip");
    await followPage("docs/security.md", stage);
  },
};

describe("the commands of the documentation pages, run as written", () => {
  it.each(Object.entries(pages))("%s", async (_, follow) => follow());

  it("are all run", () => {
    const showing = documentPaths().filter((path) => shownCommands(path).length > 0);
    expect(showing.toSorted()).toEqual(Object.keys(pages));
  });

  it("are in shell blocks, where this test finds them", () => {
    const others = documentPaths()
      // This page has the forms of commands, and commands for programs, which another test runs.
      .filter((path) => path !== "docs/cli-reference.md")
      .flatMap((path) => blocksOf(documentText(path)).filter(({ language }) => language !== "sh"));
    expect(others.flatMap(({ text }) => text.split("\n")).filter((line) => /^(?:\$ )?stackferry /.test(line))).toEqual(
      [],
    );
  });
});

/** The stacks that a page mentions, by name. */
type Sandboxes = Readonly<Record<string, Sandbox>>;

/** A working directory in which the commands of a page run. */
interface Stage {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The text of the configuration file with these stacks. */
  readonly config: string;
  /** Texts of the pages, and the values that replace them in the test. */
  readonly replacements: ReadonlyMap<string, string>;
  /** Runs one command of the program, and expects exit code 0. */
  readonly run: (command: string) => Promise<void>;
}

/** Creates the folder that a reader has: a configuration, an empty repository and an age key. */
async function stageFor(sandboxes: Sandboxes): Promise<Stage> {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "backups"));
  mkdirSync(join(cwd, "bin"));
  const identity = await generateIdentity();
  writeFileSync(join(cwd, "bin/key"), `${identity}\n`);
  script(join(cwd, "bin/stackferry"), `exec "${process.execPath}" "${join(root, "bin/stackferry.js")}" "$@"`);
  // This script stands in for age-keygen, which a reader has installed.
  script(join(cwd, "bin/age-keygen"), 'cp "$(dirname "$0")/key" "$2" && chmod 600 "$2"');
  const env = { PATH: `${join(cwd, "bin")}:${process.env["PATH"] ?? ""}`, XDG_STATE_HOME: join(cwd, "state") };
  const { stacks, env: keys } = configuredStacks(sandboxes);
  const config = JSON.stringify({ stacks, repositories: { nightly: { url: "backups" } } });
  writeFileSync(join(cwd, "stackferry.yaml"), config, { mode: 0o600 });
  const replacements = new Map([
    ["/var/backups/stackferry", "backups"],
    ["age1…", await identityToRecipient(identity)],
    ["http://127.0.0.1:8000", sandboxes["production"]?.url ?? ""],
    // Port 0 takes any free port, because several runs of this test may happen at once.
    ["--port 8000", "--port 0"],
    ["--port 8001", "--port 0"],
  ]);
  const stage = { cwd, env: { ...env, ...keys }, config, replacements };
  return { ...stage, run: (line) => follow({ line, exitCode: 0 }, stage) };
}

function script(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}

/**
 * Runs the shell blocks of a page, one command after the other.
 * @param before functions by text: each is called before the first command that contains its text
 */
async function followPage(
  path: string,
  stage: Stage,
  before: Readonly<Record<string, () => unknown>> = {},
): Promise<void> {
  const steps = new Map(Object.entries(before));
  for (const command of shownCommands(path)) {
    for (const [text, step] of steps) {
      if (!command.line.includes(text)) continue;
      steps.delete(text);
      await step();
    }
    await follow(command, stage);
  }
  expect([...steps.keys()]).toEqual([]);
}

/** These commands are not run: the set-up commands would run this very test, and test/age tests the age program. */
const SKIPPED = /^(?:npm|age) /;

/** A command of another program, without a pipe, a variable or a loop. */
const SIMPLE = /^[a-z-]+(?: [\w./-]+)+$/;

/** Returns the commands of a page; a block with more than simple commands counts as one command. */
function shownCommands(path: string): ShownCommand[] {
  const blocks = blocksOf(documentText(path)).filter(({ language }) => language === "sh");
  return blocks.flatMap((block) => {
    const commands = commandsOf(block).filter(({ line }) => !SKIPPED.test(line));
    if (commands.every(({ line }) => line.startsWith("stackferry ") || SIMPLE.test(line))) return commands;
    const lines = block.text.split("\n").filter((line) => !SKIPPED.test(line));
    return [{ line: lines.join("\n"), exitCode: 0 }];
  });
}

async function follow({ line, exitCode }: ShownCommand, { cwd, env, replacements }: Omit<Stage, "run">): Promise<void> {
  const local = [...replacements].reduce((text, [there, value]) => text.replaceAll(there, value), line);
  const command = await withApprovedPlan(await withRunNumber(local, { cwd, env }), { cwd, env });
  if (!/^stackferry [^\n]*$/.test(command)) {
    await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command], { cwd, env });
    return;
  }
  const signals = new EventEmitter();
  const words = commandWords(command).slice(1);
  // A reader stops a sandbox once it has printed its address, and answers the questions of an init without flags.
  const onStdout = (): boolean => words[0] === "sandbox" && signals.emit("signal", "SIGINT");
  const answers = ["production", replacements.get("http://127.0.0.1:8000") ?? "", "self-hosted", "PRODUCTION_API_KEY"];
  const terminal = words.join(" ") === "init" && { terminal: { columns: 100, answers } };
  const run = await runCli(words, { cwd, env, signals, onStdout, ...terminal });
  const why = run.exitCode === exitCode ? "" : run.stdout + run.stderr;
  expect(`${line} → ${run.exitCode}\n${why}`).toBe(`${line} → ${exitCode}\n`);
}

/** Puts the number of the last import on the stack in the place of N, as a reader does who has read the end of that import. */
async function withRunNumber(command: string, { cwd, env }: Pick<Stage, "cwd" | "env">): Promise<string> {
  const [, stack] = /^stackferry rollback --to (\S+) --run N\b/.exec(command) ?? [];
  if (stack === undefined) return command;
  const listed = documentOf(await runCli(["rollback", "--to", stack, "--list", "--json"], { cwd, env }));
  const runs = listed["runs"] as { number: number; undoes?: number }[];
  return command.replace("--run N", `--run ${runs.findLast(({ undoes }) => undoes === undefined)?.number}`);
}

/** Puts the digits of the plan as it is now in the place of the page's, as a reader does who has read the end of a dry run. */
async function withApprovedPlan(command: string, { cwd, env }: Pick<Stage, "cwd" | "env">): Promise<string> {
  const [approving = ""] = / --plan [0-9a-f]{16}\b/.exec(command) ?? [];
  if (approving === "") return command;
  const dryRun = commandWords(command.replace(approving, " --dry-run --json")).slice(1);
  return command.replace(approving, ` --plan ${String(documentOf(await runCli(dryRun, { cwd, env }))["plan"])}`);
}
