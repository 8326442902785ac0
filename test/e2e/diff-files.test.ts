import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diff } from "../../src/index.ts";
import { callSandbox } from "../support/read-sandbox.ts";
import { changeOn, recordOn } from "../support/on-stack.ts";
import { documentOf, runCli, type CliRun } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { editFile, programWithArchive } from "../support/program-with-archive.ts";

/** Exports the source as files. The result can compare them with the source. */
async function exported() {
  const stage = await programWithArchive();
  const env = sandboxEnv(stage.from);
  const exportTo = (out: string) => stage.run(["export", "--from", stage.from.stack, "--format", "code", "--out", out]);
  const compare = (...args: string[]): Promise<CliRun> => stage.run(["diff", ...args, "--exit-code"], { env });
  await exportTo("files");
  return { ...stage, stage, exportTo, compare };
}

const changesOf = (run: CliRun): unknown[] =>
  (
    documentOf(run)["diff"] as {
      changes: { change: string; name: string; members: { pointer: string; from?: unknown; to?: unknown }[] }[];
    }
  ).changes.map(({ change, name, members }) => [change, name, ...members.map(({ pointer }) => pointer)]);

describe("diff of files that people write", () => {
  it("finds no difference to the stack of their export, and then a change on the stack and one in a file", async () => {
    await using files = await exported();
    const { stage, compare } = files;
    for (const sides of [
      ["files", stage.from.stack],
      [stage.from.stack, "files"],
      ["a.zip", "files"],
      ["files", "files"],
    ]) {
      const run = await compare(...sides);
      expect([sides, run.exitCode, documentOf(run)["diff"]]).toMatchObject([sides, 0, { changes: [], same: 8 }]);
    }
    await changeOn(stage.from, "alerts", { threshold: 99 }, "Busy");
    const { id: _id, ...body } = await recordOn(stage.from, "dashboards", "Three");
    await callSandbox(stage.from, "POST", "dashboards", { ...body, name: "By hand" });
    await editFile(stage, "dashboards/two.yaml", "- kept", "- mine");
    const run = await compare("files", stage.from.stack);
    expect(run.exitCode).toBe(10);
    expect(changesOf(run)).toEqual([
      ["changed", "Two", "/tags/0"],
      ["added", "By hand"],
      ["changed", "Busy", "/threshold"],
    ]);
    expect(documentOf(run)).toMatchObject({ from: { label: "files", files: true }, to: { variant: "self-hosted" } });
    const text = await runCli(["diff", "files", stage.from.stack], { cwd: stage.cwd, env: sandboxEnv(stage.from) });
    expect(text.stdout).toMatch(/^files \(files\) → 127\.0\.0\.1-\d+ \(http/);
    expect(text.stdout).toContain('~ changed dashboard "Two"\n    - tag "mine"\n    + tag "kept"\n');
    const found = await diff({
      left: join(stage.cwd, "files"),
      right: { variant: "self-hosted", baseUrl: stage.from.url, apiKey: stage.from.apiKey ?? "" },
    });
    expect(found.changes.map(({ name }) => name)).toEqual(["Two", "By hand", "Busy"]);
  });

  it("compares only kinds that have files, and looks other names up on the other side", async () => {
    await using files = await exported();
    const { stage, compare } = files;
    for (const kind of ["sources", "webhooks", "alerts", "connections"])
      await rm(join(stage.cwd, "files", kind), { recursive: true, force: true });
    const run = await compare("files", stage.from.stack);
    expect([run.exitCode, changesOf(run)]).toEqual([0, []]);
    expect(documentOf(run)["diff"]).toMatchObject({
      same: 3,
      notCompared: expect.arrayContaining([{ kind: "alerts", side: "left", reason: "not-requested" }]) as unknown,
    });
    const { notCompared } = documentOf(run)["diff"] as { notCompared: { kind: string }[] };
    expect(notCompared.map(({ kind }) => kind)).not.toContain("saved-searches");
    const one = await compare("files/dashboards/two.yaml", stage.from.stack, "--include", "Two");
    expect([one.exitCode, changesOf(one)]).toEqual([0, []]);
    await editFile(stage, "dashboards/two.yaml", "source: Logs", "source: Lgos");
    const wrong = await compare("files", stage.from.stack);
    expect(wrong.exitCode).toBe(3);
    expect(wrong.stdout).toMatch(/files\/dashboards\/two\.yaml:\d+:\d+: .*did you mean/);
  });

  it("tells records with the same name apart as apply does", async () => {
    await using files = await exported();
    const { stage, compare, exportTo } = files;
    const { id: _id, ...body } = await recordOn(stage.from, "dashboards", "Three");
    await callSandbox(stage.from, "POST", "dashboards", { ...body, tags: ["twin"] });
    await exportTo("twins");
    for (const sides of [
      ["twins", stage.from.stack],
      [stage.from.stack, "twins"],
    ]) {
      const run = await compare(...sides);
      expect([sides, run.exitCode, changesOf(run)]).toEqual([sides, 0, []]);
    }
  });
});
