import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configuredStacks } from "../../support/configured-stacks.ts";
import { readJournal, runNumbers } from "../../support/journal-file.ts";
import { areLinked, isUpdate, killRun } from "../../support/killed-run.ts";
import { recordOn, sortedNamesOn } from "../../support/on-stack.ts";
import { programAfterMigration } from "../../support/program-with-archive.ts";
import { hoursLater } from "../../support/program-with-backups.ts";
import { callSandbox } from "../../support/read-sandbox.ts";
import { documentOf, type CliRun } from "../../support/run-cli.ts";

/** Returns the messages of a run's warnings about an unfinished import. */
const unfinishedWarnings = (run: CliRun): string[] =>
  (documentOf(run)["warnings"] as { code: string; message: string }[])
    .filter(({ code }) => code === "unfinished-import")
    .map(({ message }) => message);

/** Makes a stack that has lost two dashboards, kills a restore of the two before it has set their links, and backs up again. */
async function halfRestored() {
  const stage = await programAfterMigration();
  const { stacks, env } = configuredStacks({ prod: stage.to });
  await writeFile(join(stage.cwd, "stackferry.yaml"), JSON.stringify({ stacks }));
  const run = (line: string, hours: number): Promise<CliRun> =>
    stage.run(line.split(" "), { ...hoursLater(hours), env });
  await mkdir(join(stage.cwd, "repo"));
  const backedUp = await run("backup prod --to repo", 1);
  expect(backedUp.exitCode, backedUp.stdout).toBe(0);
  const [backup = ""] = (await readdir(join(stage.cwd, "repo", "prod"))).filter((name) => name.endsWith(".zip"));
  for (const name of ["One", "Two"])
    await callSandbox(stage.to, "DELETE", `dashboards/${(await recordOn(stage.to, "dashboards", name)).id}`);
  await killRun(stage, isUpdate, () => run("restore repo/prod --to prod", 2));
  expect((await run("backup prod --to repo", 3)).exitCode).toBe(0);
  const host = new URL(stage.to.url).host.replace(":", "-");
  const restoreRuns = async (): Promise<unknown[]> =>
    runNumbers((await readJournal(join(stage.cwd, ".stackferry", `${host}--${host}.journal`))) ?? []);
  return Object.assign(stage, {
    restoreNewer: (more = "") => run(`restore repo/prod --to prod${more}`, 4),
    restoreOwn: () => run(`restore repo/prod@${backup.replace(/\.zip$/, "")} --to prod`, 4),
    undo: (number: unknown) => run(`rollback --run ${String(number)} --to prod`, 4),
    restoreRuns,
  });
}

describe("a restore that was killed, and a backup that was made since", () => {
  it("is named by a restore of the newer backup, until a restore of its own backup finishes it", async () => {
    await using stage = await halfRestored();
    for (const more of [" --dry-run --exit-code", ""]) {
      const run = await stage.restoreNewer(more);
      expect(run.exitCode, run.stdout).toBe(0);
      expect(unfinishedWarnings(run)).toEqual([expect.stringMatching(/links of the dashboard "(One|Two)"/)]);
    }
    expect(await areLinked(stage)).toBe(false);
    const finished = await stage.restoreOwn();
    expect([finished.exitCode, unfinishedWarnings(finished)]).toEqual([0, []]);
    expect(await areLinked(stage)).toBe(true);
    expect(await sortedNamesOn(stage.to, "alerts")).toEqual(["Busy", "Quiet"]);
    expect(unfinishedWarnings(await stage.restoreNewer())).toEqual([]);
  });

  it("is finished under its number, and named no more once it is undone", async () => {
    await using stage = await halfRestored();
    expect((await stage.restoreOwn()).exitCode).toBe(0);
    const [killed, ...others] = await stage.restoreRuns();
    expect(others).toEqual([killed]);
    const undone = await stage.undo(killed);
    expect(undone.exitCode, undone.stdout).toBe(0);
    expect(await sortedNamesOn(stage.to)).toEqual(["Three"]);
    expect(unfinishedWarnings(await stage.restoreNewer(" --dry-run"))).toEqual([]);
  });
});
