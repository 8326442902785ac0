import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { runCli, stateHome } from "./run-cli.ts";
import type { CliRun, RunCliOptions } from "./run-cli.ts";
import { bareWithSearches, sampleMap, sandboxEnv, twoStacks } from "./sandbox-pair.ts";

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
  const { variant = "managed", api } = target;
  const seed = api === "contract" ? await bareWithSearches(variant) : "bare";
  const stacks = await twoStacks({ variant: "self-hosted", seed: "sample" }, { seed, ...target, variant });
  const { from, to, cwd } = stacks;
  // Programs of their own and runs in this process seal their journals with one key.
  const env = { ...sandboxEnv(from, to), XDG_STATE_HOME: stateHome() };
  await writeFile(join(cwd, "map.yaml"), sampleMap(from, to));
  expect((await stacks.run("export --from $FROM --out a.zip --quiet")).exitCode).toBe(0);
  return { ...stacks, env, run: (args, options) => runCli(args, { env, cwd, ...options }) };
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
