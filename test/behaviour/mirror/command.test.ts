import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callSandbox } from "../../support/read-sandbox.ts";
import { recordOn, sortedNamesOn } from "../../support/on-stack.ts";
import { documentOf, runCli, type CliRun } from "../../support/run-cli.ts";
import {
  programAfterApply,
  programAfterImport,
  passThrough,
  outcomesOf,
  refuseRoute,
  programWithArchive,
  warningCodes,
  watchWrites,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";

const removeFiles = (stage: ProgramWithArchive, ...files: string[]): Promise<void[]> =>
  Promise.all(files.map((file) => rm(join(stage.cwd, "files", file))));

/** Sets up the program after an apply of files of which a dashboard and its alert are removed. */
async function withoutThree(): Promise<ProgramWithArchive> {
  const stage = await programAfterApply();
  await removeFiles(stage, "dashboards/three.yaml", "alerts/quiet.yaml");
  return stage;
}

/** Returns what a mirror's dry run prints. */
const shownBy = async ({ cwd, env, to }: ProgramWithArchive, ...more: string[]): Promise<string> =>
  (await runCli(["apply", "files", "--to", to.stack, "--mirror", "--dry-run", ...more], { env, cwd })).stdout;

const deletedBy = (run: CliRun): string[] =>
  outcomesOf(run)
    .flatMap(({ action, name }) => (action === "delete" ? [name] : []))
    .toSorted();

describe("apply --mirror", () => {
  it("deletes records without a file, and reports them", async () => {
    await using stage = await withoutThree();
    expect(deletedBy(await stage.apply())).toEqual([]);
    const dry = await stage.apply("--mirror", "--dry-run", "--exit-code", "--report", "p.html");
    expect(dry.exitCode).toBe(10);
    expect(deletedBy(dry)).toEqual(["Quiet", "Three"]);
    expect(documentOf(dry)["mirror"]).toMatchObject({
      allowed: 5,
      of: 5,
      removals: [{ name: "Three" }, { name: "Quiet" }],
    });
    expect(await readFile(join(stage.cwd, "p.html"), "utf8")).toContain("Plan: 2 to delete");
    expect(await shownBy(stage)).toMatch(/- delete dashboard "Three"[^]*2 to delete/);
    expect(await shownBy(stage, "--markdown")).toContain('- `-` delete dashboard "Three"');
    expect(await sortedNamesOn(stage.to)).toEqual(["One", "Three", "Two"]);
    const run = await stage.apply("--mirror");
    expect(run.exitCode, run.stdout).toBe(0);
    expect(documentOf(run)["counts"]).toMatchObject({ delete: 2 });
    expect(await sortedNamesOn(stage.to)).toEqual(["One", "Two"]);
    expect(await sortedNamesOn(stage.to, "alerts")).toEqual(["Busy"]);
    expect(deletedBy(await stage.apply("--mirror"))).toEqual([]);
  });

  it("deletes no record of a kind of which no file is left, and says so, if it is to delete everybody's", async () => {
    await using stage = await programAfterApply();
    await removeFiles(stage, "alerts/quiet.yaml", "alerts/busy.yaml");
    const run = await stage.apply("--mirror", "all", "--max-delete", "9");
    expect([run.exitCode, deletedBy(run)]).toEqual([3, []]);
    expect(documentOf(run)["warnings"]).toContainEqual({
      code: "not-mirrored",
      message: expect.stringContaining(
        "the files have no alerts at all, so the 2 that only the target has are not deleted",
      ),
    });
  });

  it("deletes records that an interrupted and repeated rollback creates once with their alerts, and that their files match again", async () => {
    await using stage = await programAfterApply();
    const removedFiles = ["dashboards/three.yaml", "alerts/quiet.yaml"];
    const texts = await Promise.all(removedFiles.map((file) => readFile(join(stage.cwd, "files", file), "utf8")));
    await removeFiles(stage, ...removedFiles);
    expect(deletedBy(await stage.apply("--mirror"))).toEqual(["Quiet", "Three"]);
    const runs = documentOf(await stage.run(["rollback", "--to", stage.to.stack, "--list"]));
    expect(runs["runs"]).toMatchObject([{ created: 5 }, { created: 0, deleted: 2, notUndone: 2 }]);
    refuseRoute(stage, "POST alerts", 401);
    const stopped = await stage.run(["rollback", "--to", stage.to.stack, "--run", "2"]);
    expect(stopped.exitCode, stopped.stdout).not.toBe(0);
    expect([await sortedNamesOn(stage.to), await sortedNamesOn(stage.to, "alerts")]).toEqual([
      ["One", "Three", "Two"],
      ["Busy"],
    ]);
    stage.watch = passThrough;
    const back = await stage.run(["rollback", "--to", stage.to.stack, "--run", "2"]);
    expect(back.exitCode, back.stdout).toBe(0);
    const three = await recordOn(stage.to, "dashboards", "Three");
    const [tile] = three["tiles"] as { id: string }[];
    expect(await recordOn(stage.to, "alerts", "Quiet")).toMatchObject({ dashboardId: three.id, tileId: tile?.id });
    expect(deletedBy(await stage.apply("--mirror"))).toEqual([]);
    for (const [index, file] of removedFiles.entries())
      await writeFile(join(stage.cwd, "files", file), texts[index] ?? "");
    expect((await stage.apply("--mirror")).exitCode).toBe(0);
    expect([await sortedNamesOn(stage.to), await sortedNamesOn(stage.to, "alerts")]).toEqual([
      ["One", "Three", "Two"],
      ["Busy", "Quiet"],
    ]);
    expect((await recordOn(stage.to, "dashboards", "Three")).id).toBe(three.id);
  });

  it("writes nothing at all above --max-delete", async () => {
    await using stage = await withoutThree();
    const writes = watchWrites(stage);
    const refused = await stage.apply("--mirror", "--max-delete", "1");
    expect(refused.exitCode).toBe(3);
    expect(documentOf(refused)["error"]).toMatchObject({ code: "incomplete" });
    expect(refused.stderr + refused.stdout).toContain("--max-delete 2");
    expect(writes).toEqual([]);
    const dry = await stage.apply("--mirror", "--max-delete", "10%", "--dry-run");
    expect([dry.exitCode, warningCodes(dry)]).toEqual([0, []]);
    const overLimit = await stage.apply("--mirror", "--max-delete", "1", "--dry-run");
    expect([overLimit.exitCode, warningCodes(overLimit)]).toEqual([3, ["not-mirrored"]]);
    expect(await shownBy(stage, "--max-delete", "1")).toMatch(
      /To do this: stackferry apply .* --mirror --max-delete 2\n/,
    );
    expect(await sortedNamesOn(stage.to)).toEqual(["One", "Three", "Two"]);
  });
});

it("--mirror is whole in a first run if the target has nothing that could be deleted", async () => {
  await using stage = await programWithArchive();
  const first = await stage.import("--mirror");
  expect([first.exitCode, warningCodes(first)]).toEqual([0, []]);
  await rm(join(stage.cwd, ".stackferry"), { recursive: true });
  expect((await stage.import("--mirror")).exitCode).toBe(0);
});

it("--mirror is refused for an archive that was exported with a filter, which its manifest says", async () => {
  await using stage = await programWithArchive();
  await stage.run(["export", "--from", stage.from.stack, "--out", "some", "--format", "folder", "--include", "Thr*"]);
  const manifest: unknown = JSON.parse(await readFile(join(stage.cwd, "some/manifest.json"), "utf8"));
  expect(manifest).toMatchObject({ filter: { include: ["Thr*"], exclude: [] } });
  const run = await stage.run(["import", "some", "--to", stage.to.stack, "--mirror"]);
  expect(run.exitCode).toBe(2);
  expect(run.stdout).toContain("--mirror is refused");
  expect((await stage.run(["import", "some", "--to", stage.to.stack, "--dry-run"])).exitCode).toBe(0);
});

it("--mirror all also deletes what is not ours, without a journal, up to the number of --max-delete", async () => {
  await using stage = await programAfterImport();
  const { id: _id, ...body } = await recordOn(stage.to, "dashboards", "Three");
  await callSandbox(stage.to, "POST", "dashboards", { ...body, name: "Theirs" });
  await callSandbox(stage.to, "POST", "dashboards", { ...body, name: "[eu] Theirs" });
  await rm(join(stage.cwd, ".stackferry"), { recursive: true });
  const mirror = (...more: string[]): Promise<CliRun> => stage.run(stage.migration("--mirror", ...more));
  const ours = await mirror();
  expect([ours.exitCode, warningCodes(ours)]).toEqual([3, expect.arrayContaining(["not-mirrored"])]);
  const writes = watchWrites(stage);
  const refused = await mirror("all", "--max-delete", "1");
  expect([refused.exitCode, documentOf(refused)["error"]]).toMatchObject([3, { code: "incomplete" }]);
  const asked = await runCli(stage.migration("--mirror", "all", "--max-delete", "2", "--no-color"), {
    env: stage.env,
    cwd: stage.cwd,
    terminal: { columns: 120, answers: ["n"] },
  });
  expect([asked.exitCode, asked.stderr]).toEqual([1, expect.stringMatching(/- delete 2 dashboards: Theirs, /)]);
  expect(writes).toEqual([]);
  const prefixed = await mirror("all", "--max-delete", "9", "--name-prefix", "[eu] ");
  expect([prefixed.exitCode, deletedBy(prefixed)]).toEqual([0, ["[eu] Theirs"]]);
  expect((await mirror("all", "--max-delete", "5")).exitCode).toBe(3);
  const all = await mirror("all", "--max-delete", "6");
  expect([all.exitCode, deletedBy(all).length]).toEqual([0, 6]);
  expect(await sortedNamesOn(stage.to)).toEqual(["One", "Three", "Two"]);
});

it("what somebody edited is deleted only if the command itself says overwrite, as the default of apply does not", async () => {
  await using stage = await withoutThree();
  const { id, ...body } = await recordOn(stage.to, "dashboards", "Three");
  await callSandbox(stage.to, "PUT", `dashboards/${id}`, { ...body, tags: ["edited"] });
  expect(await shownBy(stage, "--max-delete", "1")).toMatch(
    /To do this: stackferry apply .* --mirror --max-delete 1\n/,
  );
  const kept = await stage.apply("--mirror");
  expect([kept.exitCode, deletedBy(kept)]).toEqual([0, ["Quiet"]]);
  expect(outcomesOf(kept).find(({ name }) => name === "Three")).toMatchObject({ action: "skip", code: "kept" });
  expect(deletedBy(await stage.apply("--mirror", "ours", "--on-conflict", "overwrite"))).toEqual(["Three"]);
});
