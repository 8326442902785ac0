import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { runCli, stateHome } from "./run-cli.ts";
import type { CliRun, RunCliOptions } from "./run-cli.ts";
import { bareWithSearches, sampleMap, sandboxEnv } from "./sandbox-pair.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** An archive of the sample stack, a target, and the program ready to import the one onto the other. */
export interface Bench extends AsyncDisposable {
  readonly to: Sandbox;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  run(args: readonly string[], options?: RunCliOptions): Promise<CliRun>;
}

/**
 * Sets the stage.
 * @param target what the target is other than a bare managed stack; an older one has its saved searches from somebody's hand
 */
export async function bench(target: Partial<SandboxOptions> = {}): Promise<Bench> {
  const from = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const { variant = "managed", api } = target;
  const seed = api === "contract" ? await bareWithSearches(variant) : "bare";
  const to = await startSandbox({ seed, ...target, variant });
  const cwd = temporaryFolder();
  // Programs of their own and runs in this process seal their journals with one key.
  const env = { ...sandboxEnv(from, to), XDG_STATE_HOME: stateHome() };
  await writeFile(join(cwd, "map.yaml"), sampleMap(from, to));
  const exported = await runCli(["export", "--from", from.stack, "--out", "a.zip", "--quiet"], { env, cwd });
  expect(exported.exitCode).toBe(0);
  return {
    to,
    cwd,
    env,
    run: (args, options) => runCli(args, { env, cwd, ...options }),
    [Symbol.asyncDispose]: async () => {
      await from.close();
      await to.close();
    },
  };
}

/** The words of that import; the lists of the target lag 300 ms at most. */
export const importArgs = (to: Sandbox, ...more: string[]): string[] => [
  "import",
  "a.zip",
  "--to",
  to.stack,
  "--map",
  "map.yaml",
  "--create",
  "saved-searches",
  "--json",
  "--consistency-wait",
  "300ms",
  "--yes",
  ...more,
];

/** The one journal of a folder. */
export async function journalOf(cwd: string): Promise<string> {
  const [name, ...others] = (await readdir(cwd)).filter((file) => file.endsWith(".journal"));
  expect(others).toEqual([]);
  return name ?? "";
}

/** How many creates of dashboards, saved searches and alerts a sandbox has had. */
export function createsOf({ byRoute }: ReturnType<Sandbox["stats"]>): number {
  return (byRoute["POST dashboards"] ?? 0) + (byRoute["POST saved-searches"] ?? 0) + (byRoute["POST alerts"] ?? 0);
}
