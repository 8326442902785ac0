import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { expect } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { commandWords } from "./command-words.ts";
import type { ShownCommand } from "./documents.ts";
import { blocksOf, commandsOf, documentText, root } from "./documents.ts";
import { runCli } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The stacks that a page speaks of, by name. */
export type Cast = Readonly<Record<string, Sandbox>>;

/** A working directory in which the commands of a page are followed by the letter. */
export interface Stage {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The configuration file of the cast. */
  readonly config: string;
  /** What stands in the pages, and what it is here. */
  readonly here: ReadonlyMap<string, string>;
  /** Runs one command of the program; it has to end with exit code 0. */
  readonly run: (command: string) => Promise<void>;
}

/** Makes the folder that a reader has: a configuration, an empty repository and an age key. */
export async function stageFor(cast: Cast): Promise<Stage> {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "backups"));
  mkdirSync(join(cwd, "bin"));
  const identity = await generateIdentity();
  writeFileSync(join(cwd, "bin/key"), `${identity}\n`);
  script(join(cwd, "bin/stackferry"), `exec "${process.execPath}" "${join(root, "bin/stackferry.js")}" "$@"`);
  // What the reader's own age-keygen does.
  script(join(cwd, "bin/age-keygen"), 'cp "$(dirname "$0")/key" "$2" && chmod 600 "$2"');
  const env = { PATH: `${join(cwd, "bin")}:${process.env["PATH"] ?? ""}`, XDG_STATE_HOME: join(cwd, "state") };
  const config = JSON.stringify({ stacks: configuredStacks(cast) });
  writeFileSync(join(cwd, "stackferry.yaml"), config, { mode: 0o600 });
  const here = new Map([
    ["/var/backups/stackferry", "backups"],
    ["age1…", await identityToRecipient(identity)],
    ["http://localhost:8000", cast["production"]?.url ?? ""],
    // Any free port, as several runs of this test may go on at once.
    ["--port 8000", "--port 0"],
    ["--port 8001", "--port 0"],
  ]);
  const stage = { cwd, env: { ...env, ...credentials(cast) }, config, here };
  return { ...stage, run: (line) => follow({ line, exitCode: 0 }, stage) };
}

function script(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}

function credentials(cast: Cast): Record<string, string> {
  const entries = Object.entries(cast).flatMap(([name, { apiKey, keyId, keySecret }]) => [
    [`${name.toUpperCase()}_API_KEY`, apiKey ?? ""],
    [`${name.toUpperCase()}_KEY_ID`, keyId ?? ""],
    [`${name.toUpperCase()}_KEY_SECRET`, keySecret ?? ""],
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function configuredStacks(cast: Cast): Readonly<Record<string, object>> {
  const entries = Object.entries(cast).map(([name, { url: baseUrl, organizationId, serviceId }]) => {
    const variable = (suffix: string): string => `\${env:${name.toUpperCase()}_${suffix}}`;
    const key =
      organizationId === undefined
        ? { variant: "self-hosted", apiKey: variable("API_KEY") }
        : {
            variant: "managed",
            organizationId,
            serviceId,
            keyId: variable("KEY_ID"),
            keySecret: variable("KEY_SECRET"),
          };
    return [name, { baseUrl, ...key }];
  });
  return Object.fromEntries(entries) as Record<string, object>;
}

/**
 * Runs the shell blocks of a page, one command after the other.
 * @param before what a reader does before the first command that has this text in it
 */
export async function followPage(
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

/** The set-up commands run this very test; the exchange with the age program has a test of its own (test/age). */
const SKIPPED = /^(?:npm|age) /;

/** The commands of a page; a block that needs a shell is one command. */
export function shownCommands(path: string): ShownCommand[] {
  const blocks = blocksOf(documentText(path)).filter(({ language }) => language === "sh");
  return blocks.flatMap((block) => {
    const commands = commandsOf(block);
    if (commands.every(({ line }) => line.startsWith("stackferry "))) return commands;
    const lines = block.text.split("\n").filter((line) => !SKIPPED.test(line));
    return lines.every((line) => line === "") ? [] : [{ line: lines.join("\n"), exitCode: 0 }];
  });
}

async function follow({ line, exitCode }: ShownCommand, { cwd, env, here }: Omit<Stage, "run">): Promise<void> {
  const local = [...here].reduce((text, [there, value]) => text.replaceAll(there, value), line);
  const command = local.replaceAll("JOURNAL", () => newestJournal(cwd));
  if (!/^stackferry [^\n]*$/.test(command)) {
    await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command], { cwd, env });
    return;
  }
  const signals = new EventEmitter();
  const words = commandWords(command).slice(1);
  // A reader stops a sandbox once it has said where it is, and answers what init asks without flags.
  const onStdout = (): boolean => words[0] === "sandbox" && signals.emit("signal", "SIGINT");
  const answers = ["production", "self-hosted", here.get("http://localhost:8000") ?? "", "PRODUCTION_API_KEY"];
  const terminal = words.join(" ") === "init" && { terminal: { columns: 100, answers } };
  const run = await runCli(words, { cwd, env, signals, onStdout, ...terminal });
  const why = run.exitCode === exitCode ? "" : run.stdout + run.stderr;
  expect(`${line} → ${run.exitCode}\n${why}`).toBe(`${line} → ${exitCode}\n`);
}

function newestJournal(cwd: string): string {
  const journals = readdirSync(cwd).filter((name) => name.endsWith(".journal"));
  const [newest = ""] = journals.toSorted(
    (one, other) => statSync(join(cwd, other)).mtimeMs - statSync(join(cwd, one)).mtimeMs,
  );
  return newest;
}
