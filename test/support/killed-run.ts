import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { InterceptedRequest } from "../../src/sandbox/start-sandbox.ts";
import { recordOn } from "./on-stack.ts";
import type { CliRun } from "./run-cli.ts";
import { passThrough, type ProgramWithArchive } from "./program-with-archive.ts";

/** Tells whether a request updates a record. */
export const isUpdate = ({ method }: InterceptedRequest): boolean => method === "PUT";

/**
 * Runs the program as if it were killed right before the first request that `isMeant` selects, or right after the target has carried
 * it out. Its files stay as they are then.
 */
export async function killRun(
  program: ProgramWithArchive,
  isMeant: (request: InterceptedRequest) => boolean,
  run: () => Promise<CliRun>,
  when: "before" | "after" = "before",
): Promise<void> {
  let asKilled: readonly (readonly [string, string])[] | undefined;
  program.watch = async (request, proceed) => {
    if (!isMeant(request) && asKilled === undefined) return proceed();
    if (asKilled === undefined) {
      asKilled = await filesOf(program.cwd);
      if (when === "after") await proceed();
    }
    return Response.json({ message: "no" }, { status: 401 });
  };
  expect((await run()).exitCode).toBe(5);
  program.watch = passThrough;
  expect(asKilled).toBeDefined();
  for (const [name, text] of asKilled ?? []) await writeFile(join(program.cwd, name), text);
}

/** Returns the path and text of each journal below a folder. */
async function filesOf(folder: string): Promise<[string, string][]> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith(".journal"));
  return Promise.all(files.map(async (name) => [name, await readFile(join(folder, name), "utf8")]));
}

/** Tells whether "One" and "Two" link to each other on the target. */
export async function areLinked({ to }: ProgramWithArchive): Promise<boolean> {
  const [one, two] = [await recordOn(to, "dashboards", "One"), await recordOn(to, "dashboards", "Two")];
  return JSON.stringify(one).includes(two.id) && JSON.stringify(two).includes(one.id);
}
