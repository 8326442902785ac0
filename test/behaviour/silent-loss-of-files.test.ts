import { access, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { smallBench } from "../support/small-bench.ts";
import { dashboard, hexId } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { logs } from "../support/usual-stacks.ts";

it("a member that the target drops is written once by apply with the state of a configuration", async () => {
  const cwd = temporaryFolder();
  const board = dashboard(hexId("a", 16), "Board", hexId("a", 1), { tags: ["old"] });
  const seed = { sources: [logs], dashboards: [board] };
  await using sandbox = await startSandbox({ variant: "self-hosted", seed });
  const config = { stacks: { lab: { variant: "self-hosted", baseUrl: sandbox.stack, apiKey: sandbox.apiKey } } };
  await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify(config));
  await mkdir(join(cwd, "stack/dashboards"), { recursive: true });
  const tile = "{name: Notes, x: 0, y: 0, w: 6, h: 3, config: {displayType: markdown, markdown: Hi, mood: calm}}";
  await writeFile(join(cwd, "stack/dashboards/board.yaml"), `name: Board\ntags: [new]\ntiles:\n  - ${tile}\n`);
  const writes = () => sandbox.stats().byRoute["PUT dashboards/{id}"] ?? 0;
  const apply = async () => documentOf(await runCli(["apply", "stack", "--to", "lab", "--yes", "--json"], { cwd }));
  const warnings = expect.arrayContaining([expect.objectContaining({ code: "not-stored" })]);
  expect(await apply()).toMatchObject({ counts: { update: 1 }, warnings });
  expect(writes()).toBe(1);
  expect(await apply()).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
  expect(writes()).toBe(1);
});

describe("a folder of files that an export did not finish", () => {
  it("is refused by apply and diff until an export has written the missing files", async () => {
    await using bench = await smallBench();
    await writeFile(join(bench.cwd, "stackferry.yaml"), "stacks: {}\n");
    await mkdir(join(bench.cwd, "files"));
    // A file in the place of a folder stops the export like a full disk.
    const obstacle = join(bench.cwd, "files/alerts");
    await writeFile(obstacle, "");
    const exported = async (...more: string[]) =>
      documentOf(
        await bench.run(["export", "--from", bench.from.stack, "--format", "code", "--out", "files", ...more]),
      );
    expect(await exported()).toMatchObject({ exitCode: 1, error: { code: "archive-io" } });
    await access(join(bench.cwd, "files/dashboards/one.yaml"));
    await rm(obstacle);
    const refused = { exitCode: 2, error: { code: "config", message: expect.stringContaining("half-written") } };
    expect(documentOf(await bench.apply("--mirror", "--yes"))).toMatchObject(refused);
    expect(documentOf(await bench.run(["diff", "files/dashboards", bench.to.stack]))).toMatchObject(refused);
    // An export of some records does not complete the others.
    expect(await exported("--only", "One")).toMatchObject({ exitCode: 0 });
    expect(documentOf(await bench.apply("--dry-run"))).toMatchObject(refused);
    expect(await exported()).toMatchObject({ exitCode: 0 });
    expect(documentOf(await bench.apply("--dry-run"))).toMatchObject({ exitCode: 0, counts: { create: 5 } });
  });
});
