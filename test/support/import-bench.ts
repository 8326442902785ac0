import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { commandWords } from "./command-words.ts";
import { stateHome } from "./run-cli.ts";
import type { TwoStacks } from "./sandbox-pair.ts";
import { bareWithSearches, sampleMap, twoStacks } from "./sandbox-pair.ts";

/** The import for which `bench` sets the stage. The lists of the target lag 300 ms at most. */
export const IMPORT = "import a.zip --to $TO --map map.yaml --create saved-searches --consistency-wait 300ms --yes";

/** Its words for a program of its own. */
export const importWords = ({ stack }: Sandbox, more = ""): string[] =>
  commandWords(`${IMPORT} --json ${more}`, { TO: stack });

/**
 * Two stacks, and the archive and the map file that the import needs.
 * @param target what the target is other than a bare managed stack; an older one has its saved searches from somebody's hand
 */
export async function bench(target: Partial<SandboxOptions> = {}): Promise<TwoStacks> {
  const { variant = "managed", api } = target;
  const seed = api === "contract" ? await bareWithSearches(variant) : "bare";
  const stacks = await twoStacks({ variant: "self-hosted", seed: "sample" }, { seed, ...target, variant });
  await writeFile(join(stacks.cwd, "map.yaml"), sampleMap(stacks.from, stacks.to));
  expect((await stacks.run("export --from $FROM --out a.zip --quiet")).exitCode).toBe(0);
  // Programs of their own and runs in this process seal their journals with one key.
  return { ...stacks, env: { ...stacks.env, XDG_STATE_HOME: stateHome() } };
}

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
