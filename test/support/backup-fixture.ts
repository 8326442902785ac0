import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { configuredStacks } from "./configured-stacks.ts";
import { documentOf, runCli } from "./run-cli.ts";
import type { CliRun, RunCliOptions } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A working directory with a configuration of sandboxes and a folder `place` for their backups. */
export interface BackupFixture {
  readonly cwd: string;
  readonly repository: string;
  readonly env: Record<string, string>;
  /** Runs the program there. */
  readonly run: (args: string, options?: RunCliOptions) => Promise<CliRun>;
  /** The same with `--json`, answering the document. */
  readonly json: (args: string, options?: RunCliOptions) => Promise<Record<string, unknown>>;
}

/** When the first backup of a test is made. */
export const START = Date.UTC(2026, 10, 21, 4, 15);

/** The options of a run so many hours later. */
export const at = (hours: number): { readonly now: () => number } => ({ now: () => START + hours * 3_600_000 });

/** Configures each sandbox under its name; the file holds `more`, too. */
export async function backupFixture(cast: Readonly<Record<string, Sandbox>>, more = ""): Promise<BackupFixture> {
  const cwd = temporaryFolder();
  const repository = join(cwd, "place");
  await mkdir(repository);
  const { stacks, env: keys } = configuredStacks(cast);
  const env: Record<string, string> = { ...keys };
  await writeFile(join(cwd, "stackferry.yaml"), `stacks: ${JSON.stringify(stacks)}\n${more}`, { mode: 0o600 });
  const run: BackupFixture["run"] = (args, options = {}) =>
    runCli(args.split(" "), { cwd, ...options, env: { ...env, ...options.env } });
  return {
    cwd,
    repository,
    env,
    run,
    json: async (args, options) => documentOf(await run(`${args} --json`, options)),
  };
}
