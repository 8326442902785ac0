import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { planImport, StackError, type RunOptions } from "../../../src/index.ts";
import type { Interceptor } from "../../../src/sandbox/options.ts";
import { writeArchive } from "../../support/archive-samples.ts";
import { importWith } from "./runbook.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordsOn } from "../../support/on-stack.ts";
import { emptySeed, outcomesOf } from "../../support/program-with-archive.ts";
import { programForOneStack } from "../../support/program.ts";
import type { CliRun } from "../../support/run-cli.ts";
import { alert, dashboard, hexId, records, source, tileWith, webhook } from "../../support/stack-records.ts";
import { expectHidden } from "./hidden.ts";

// The archive is of an earlier release or forged: its names hold a secret that an export of today would redact.

const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const redacted = "«redacted:scanner-github»";
const [logs, hook, boardId] = [hexId("a", 1), hexId("a", 2), hexId("a", 16)];
const config = { displayType: "line", sourceId: logs, fillNulls: true, select: [{ aggFn: "count" }] };
const tiles = [tileWith(hexId("c", 1), `Tile ${secret}`, config)];
const board = dashboard(boardId, `Board ${secret}`, logs, { tiles });
const needed = { sources: [source(logs, "Logs", hexId("a", 8))], webhooks: [webhook(hook, "pager")] };
const archived = records({
  ...needed,
  dashboards: [board],
  alerts: [alert(hexId("a", 32), `Alert ${secret}`, board, hook)],
});

/** Creates the archive, a stack with the records to which it refers, and a program whose every run must hide the secret. */
async function programWithSecretNames(intercept: Interceptor = (_, proceed) => proceed()) {
  const program = await programForOneStack({ variant: "self-hosted", intercept, seed: emptySeed("b") });
  const { cwd, stack } = program;
  await writeArchive({ path: join(cwd, "a.zip"), format: "zip" }, archived);
  const run = async (command: string): Promise<CliRun> => {
    const result = await program.run(command);
    await expectHidden(secret, result);
    return result;
  };
  return {
    stack,
    run,
    import: (more: string) => run(`import a.zip --to $STACK ${more}`),
    page: (name: string) => readFile(join(cwd, name), "utf8"),
    plan: (onEvent?: RunOptions["onEvent"]) => {
      const to = { variant: "self-hosted", baseUrl: stack.url, apiKey: stack.apiKey ?? "" } as const;
      return planImport({ archive: join(cwd, "a.zip"), to }, { onEvent });
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

describe("a secret in the names of an archive", () => {
  it.each(["inspect a.zip", "inspect a.zip --json", "report a.zip"])("is not shown by %s", async (command) => {
    await using program = await programWithSecretNames();
    const { exitCode, stdout } = await program.run(command);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Board ${redacted}`)]);
  });

  it("is on no page", async () => {
    await using program = await programWithSecretNames();
    expect((await program.run("report a.zip --out a.html")).exitCode).toBe(0);
    const page = await program.page("a.html");
    for (const name of ["Board", "Tile", "Alert"]) expect(page).toContain(`${name} ${redacted}`);
  });

  it("is in no plan, outcome, journal or page of an import and its rollback, but on the stack", async () => {
    await using program = await programWithSecretNames();
    for (const more of ["--dry-run", "--dry-run --json --report plan.html", "--dry-run --markdown"]) {
      expect((await program.import(more)).exitCode).toBe(0);
    }
    const done = await program.import("--report done.html --json");
    expect([done.exitCode, outcomesOf(done).filter(({ action }) => action === "create")]).toMatchObject([
      0,
      [{ name: `Board ${redacted}` }, { name: `Alert ${redacted}` }],
    ]);
    expect((await recordsOn(program.stack, "dashboards")).map(({ name }) => name)).toEqual([`Board ${secret}`]);

    for (const more of ["--dry-run --report old.html", "--dry-run --json"]) {
      const { exitCode, stdout } = await program.run(`rollback --to $STACK --run 1 ${more}`);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Board ${redacted}`)]);
    }
    expect(await program.page("old.html")).toContain(`Board ${redacted}`);
    const undone = await program.run("rollback --to $STACK --run 1 --yes --json");
    expect([undone.exitCode, await recordsOn(program.stack, "dashboards")]).toEqual([0, []]);
  });

  it("is in no message about records that are recognised by these names alone", async () => {
    await using program = await programWithSecretNames();
    await program.import("--journals first");
    const again = await program.import(`--journals second --json --include "Board ${secret}"`);
    expect(outcomesOf(again).filter(({ kind }) => kind === "dashboards")).toMatchObject([
      { name: `Board ${redacted}`, action: "unchanged" },
    ]);
    await changeOn(program.stack, "dashboards", { tiles: [], tags: ["edited"] }, `Board ${secret}`);
    const refused = await program.import("--journals third --on-conflict fail");
    expect([refused.exitCode, refused.stdout]).toEqual([3, ""]);
    expect(refused.stderr).toContain(`"Board ${redacted}"`);
  });
});

describe("an answer of the stack that repeats a secret in a name", () => {
  const refusing = (status: number) =>
    programWithSecretNames((request, proceed) =>
      request.method === "GET" ? proceed() : Response.json({ message: `"Board ${secret}" is not for you` }, { status }),
    );

  it("is quoted without it in the error for the request", async () => {
    await using program = await refusing(401);
    const error: unknown = await program.plan().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StackError);
    const quoted = expect.stringContaining(`Board ${redacted}`);
    const failure = { status: 401, applied: "no", excerpt: quoted };
    expect(error).toMatchObject({ code: "unauthorized", message: quoted, failure });
  });

  it("is quoted without it in the warning where the stack gives no verdict on a record", async () => {
    await using program = await refusing(403);
    const warnings: string[] = [];
    await program.plan((event) => event.type === "warning" && warnings.push(event.warning.message));
    expect(warnings.join("\n")).toContain(`Board ${redacted}`);
    expect(warnings.join("\n")).not.toContain(secret);
  });
});

it("an answer for the name of a tile is not shown among the parts that a run keeps", async () => {
  const named = { ...board, name: "Board" };
  const holed = { ...named, tiles: [tileWith(hexId("c", 1), `Tile ${redacted}`, config)] };
  const stack = memoryStack({ dashboards: [{ ...named, tiles: [] }], alerts: [], ...needed });
  const answers = { [`dashboards/${boardId}`]: { "/tiles/0/name": [secret] } };
  const { run } = await importWith(records({ ...needed, dashboards: [holed] }), answers, { stack });
  const [kept] = run.plan.items.filter(({ kind }) => kind === "dashboards");
  expect(kept?.kept?.map(({ label }) => label)).toEqual([expect.stringContaining(redacted)]);
  expect(JSON.stringify(run.plan.items)).not.toContain(secret);
});
