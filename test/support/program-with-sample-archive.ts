import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { commandWords } from "./command-words.ts";
import type { FaultyOptions } from "./faults/start-faulty-sandbox.ts";
import { stateHome } from "./run-cli.ts";
import { bareWithSearches, sampleMap, programForTwoStacks, type ProgramForTwoStacks } from "./program.ts";

/** The import that `programWithSampleArchive` prepares. */
export const IMPORT = "import a.zip --to $TO --map map.yaml --create saved-searches --yes";

/** Returns the arguments of this import, for a process. */
export const importWords = ({ stack }: Sandbox, more = ""): string[] =>
  commandWords(`${IMPORT} --json ${more}`, { TO: stack });

/**
 * Starts two stacks, and writes the archive and the map file that the import needs.
 * @param target options of the target, by default a bare managed stack; an older stack is seeded with the saved searches
 */
export async function programWithSampleArchive(target: Partial<FaultyOptions> = {}): Promise<ProgramForTwoStacks> {
  const { variant = "managed", api } = target;
  const seed = api === "contract" ? await bareWithSearches(variant) : "bare";
  // Processes and runs in this process have the same state folder, and wait at most 300 ms for lagging lists.
  const env = { XDG_STATE_HOME: stateHome(), STACKFERRY_CONSISTENCY_WAIT: "300ms" };
  const stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: "sample" },
    { seed, ...target, variant },
    env,
  );
  await writeFile(join(stacks.cwd, "map.yaml"), sampleMap(stacks.from, stacks.to));
  expect((await stacks.run("export --from $FROM --out a.zip --quiet")).exitCode).toBe(0);
  return stacks;
}

/** Returns the path of the only journal in a folder. */
export async function journalOf(cwd: string): Promise<string> {
  const folder = join(cwd, ".stackferry");
  const [name, ...others] = (await readdir(folder)).filter((file) => file.endsWith(".journal"));
  expect(others).toEqual([]);
  return join(".stackferry", name ?? "");
}

/** Returns the number of creates of dashboards, saved searches and alerts that a sandbox has received. */
export function createsOf({ byRoute }: ReturnType<Sandbox["stats"]>): number {
  return (byRoute["POST dashboards"] ?? 0) + (byRoute["POST saved-searches"] ?? 0) + (byRoute["POST alerts"] ?? 0);
}
