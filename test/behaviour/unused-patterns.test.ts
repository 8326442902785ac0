import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callSandbox } from "../support/read-sandbox.ts";
import { commandWords } from "../support/command-words.ts";
import { documentOf, type CliRun } from "../support/run-cli.ts";
import {
  programAfterApply,
  editFile,
  passThrough,
  outcomeLinesOf,
  refuseRoute,
  programWithArchive,
  warningCodes,
  type ProgramWithArchive,
} from "../support/program-with-archive.ts";

let program: ProgramWithArchive;

beforeAll(async () => {
  program = await programWithArchive();
  await program.writeFiles();
  await writeStacks("stacks.yaml");
  await writeStacks("renames.yaml", ', transforms: { rename: [{ from: "Three", to: "Drei" }] }');
  await mkdir(join(program.cwd, "repo"));
  expect((await run("backup prod --to repo --config stacks.yaml")).exitCode).toBe(0);
});

afterAll(() => program[Symbol.asyncDispose]());

function writeStacks(file: string, more = ""): Promise<void> {
  const stack = ({ stack, apiKey = "" }: ProgramWithArchive["to"]): string =>
    `{ variant: self-hosted, baseUrl: "${stack}", apiKey: "${apiKey}"`;
  const text = `stacks:\n  prod: ${stack(program.from)} }\n  spare: ${stack(program.to)}${more} }\n`;
  return writeFile(join(program.cwd, file), text);
}

function run(line: string, env: Readonly<Record<string, string>> = {}): Promise<CliRun> {
  return program.run(commandWords(line, { FROM: program.from.stack, TO: program.to.stack }), { env });
}

/** Runs `act` while a dashboard of this name is on the target, and deletes the dashboard afterwards. */
async function whileDashboardExists(name: string, act: () => Promise<CliRun>): Promise<CliRun> {
  const { id } = (await callSandbox(program.to, "POST", "dashboards", { name, tiles: [] })) as { id: string };
  const result = await act();
  program.watch = passThrough;
  await callSandbox(program.to, "DELETE", `dashboards/${id}`);
  return result;
}

const unusedWarning = (pattern: string) => ({
  code: "unused",
  message: expect.stringContaining(`clude ${pattern} `),
});

describe("one of several patterns that selects nothing is refused, with what it may have meant", () => {
  it.each([
    ["export --from $FROM --out no.zip", "--include"],
    ["export --from $FROM --out no --format code", "--include"],
    ["import a.zip --to $TO --dry-run", "--include"],
    ["apply files --to $TO --dry-run", "--include"],
    ["migrate --from $FROM --to $TO --dry-run", "--include"],
    ["restore repo/prod --to spare --dry-run --config stacks.yaml", "--include"],
    ["diff a.zip files", "--include"],
    ["log repo/prod --config stacks.yaml", "--include"],
  ])("by %s %s", async (line, flag) => {
    expect(documentOf(await run(`${line} ${flag} One ${flag} Thre`))).toMatchObject({
      exitCode: 2,
      error: {
        code: "usage",
        message: expect.stringContaining("Thre"),
        hint: expect.stringContaining('did you mean "Three"?'),
      },
    });
    for (const out of ["no.zip", "no"]) expect(existsSync(join(program.cwd, out))).toBe(false);
  });
});

describe("a pattern is no mistake", () => {
  const both = "--include Three --include Quiet";

  it("if it matches a record of a kind that is not requested", async () => {
    const imported = await run(`import a.zip --to $TO --dry-run --kinds dashboards ${both} --include Logs`);
    expect([imported.exitCode, warningCodes(imported)]).toEqual([0, ["left-out"]]);
    const compared = await run(`diff a.zip files --kinds dashboards ${both}`);
    expect([compared.exitCode, warningCodes(compared)]).toEqual([0, []]);
  });

  it("if a kind was not read that may have it; the warning says so", async () => {
    const lines = [
      `export --from $FROM --out some.zip --kinds dashboards,sources,connections,webhooks`,
      "import some.zip --to $TO --dry-run",
    ];
    for (const line of lines) {
      const document = documentOf(await run(`${line} ${both}`));
      expect(document).toMatchObject({ exitCode: 0, warnings: [unusedWarning("Quiet")] });
      expect(document["warnings"]).toMatchObject([{ message: expect.stringContaining("alerts") }]);
    }
  });

  it("if its kind could not be read", async () => {
    refuseRoute(program, "GET alerts", 403);
    const key = { STACKFERRY_FROM_API_KEY: program.to.apiKey ?? "" };
    const line = `export --from $TO --out part.zip --allow-partial ${both}`;
    const exported = await whileDashboardExists("Three", () => run(line, key));
    expect(documentOf(exported)).toMatchObject({ exitCode: 3, warnings: [unusedWarning("Quiet")] });
  });

  it.each(["Three", "Drei"])("if a transform renames the record: %s", async (name) => {
    for (const line of ["import a.zip --to spare --dry-run", "diff a.zip spare"]) {
      const renamed = await run(`${line} --config renames.yaml --include ${name} --include Quiet`);
      expect(renamed.exitCode, renamed.stdout).toBe(0);
      expect(warningCodes(renamed)).not.toContain("unused");
    }
  });
});

describe("an unused --exclude", () => {
  it.each([
    "export --from $FROM --out most.zip",
    "export --from $FROM --out most --format code",
    "import a.zip --to $TO --dry-run",
    "migrate --from $FROM --to $TO --dry-run",
    "diff a.zip files",
  ])("makes this command warn and suggest the similar name: %s", async (line) => {
    const document = documentOf(await run(`${line} --exclude Thre`));
    expect(document).toMatchObject({ exitCode: 0, warnings: [unusedWarning("Thre")] });
    expect(document["warnings"]).toMatchObject([{ message: expect.stringContaining('"Three"') }]);
  });
});

describe("files of an apply", () => {
  it("a record that a mirror deletes is selected by its name, though it has no file", async () => {
    await using stage = await programAfterApply();
    for (const file of ["dashboards/three", "alerts/quiet"]) await rm(join(stage.cwd, `files/${file}.yaml`));
    const patterns = ["--dry-run", "--include", "Two", "--include", "Three", "--include", "Quiet"];
    expect(outcomeLinesOf(await stage.apply("--mirror", ...patterns))).toContain("Three delete planned");
    expect((await stage.apply(...patterns)).exitCode).toBe(2);
  });

  it("a record whose file has a mistake is told as such, not as a wrong pattern", async () => {
    await using stage = await programAfterApply();
    await editFile(stage, "dashboards/three.yaml", /tiles:/, "tilez:");
    const run = await stage.apply("--dry-run", "--include", "One", "--include", "Three");
    expect(run.exitCode, run.stdout).toBe(3);
    expect(warningCodes(run)).not.toContain("unused");
  });
});
