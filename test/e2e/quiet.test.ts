import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/program/commands.ts";
import { startSandbox } from "../support/start-sandbox.ts";
import { programWithBackups, oneDashboardStack } from "../support/program-with-backups.ts";
import { documentOf, runCli, type RunCliOptions } from "../support/run-cli.ts";
import { emptySeed } from "../support/program-with-archive.ts";

/** Command lines that end with exit code 0 in this order: the later ones read what the earlier ones write. */
const LINES = [
  "init --name again --url URL --api-key-from env:PRODUCTION_API_KEY --out again.yaml",
  "export --from production --out a.zip",
  "inspect a.zip",
  "verify a.zip",
  "report a.zip --out a.html",
  "import a.zip --to spare --dry-run --draft-map map.yaml --draft-secrets secrets.yaml --report plan.html",
  "import a.zip --to spare --yes --verbose",
  "rollback --to spare --run 1 --yes",
  "migrate --from production --to spare --yes",
  "diff a.zip production --report diff.html",
  "backup production --to place",
  "backup --all --to place --if-changed --keep-last 1",
  "list place",
  "log place/production",
  "restore place/production --to spare --yes",
  "prune place --keep-last 1 --yes",
  "check place --newest --max-age 1h",
  "export --from production --out files --format code",
  "apply files --to production --yes",
  "doctor production spare",
  "config check",
];

/** Commands that print a script or an address by design; the demo has a test of its own. */
const ELSEWHERE = ["completion", "sandbox", "demo"];

async function stage() {
  const production = await oneDashboardStack();
  const spare = await startSandbox({ variant: "self-hosted", seed: emptySeed("b") });
  const { cwd, run } = await programWithBackups({ production, spare });
  return {
    cwd,
    production,
    run: (line: string, options: RunCliOptions = {}) => run(`${line} --quiet`, options),
    [Symbol.asyncDispose]: async () => {
      await production.close();
      await spare.close();
    },
  };
}

describe("--quiet", () => {
  it("prints nothing when all is well, whatever the command", async () => {
    const tried = new Set([...LINES.map((line) => line.split(" ")[0]), ...ELSEWHERE]);
    expect(commands.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
    await using stack = await stage();
    for (const line of LINES) {
      const { exitCode, stdout, stderr } = await stack.run(line.replace("URL", stack.production.url));
      expect({ line, exitCode, stdout, stderr }).toEqual({ line, exitCode: 0, stdout: "", stderr: "" });
    }
    // All records were matched, so no map file was drafted.
    expect(await readdir(stack.cwd)).not.toContain("map.yaml");
    expect(await readdir(stack.cwd)).toEqual(expect.arrayContaining(["a.html", "diff.html", "plan.html"]));
  });

  it("still prints completion scripts, schemas and JSON documents", async () => {
    expect((await runCli(["completion", "bash", "--quiet"])).stdout).toContain("complete -o default");
    expect(documentOf(await runCli(["config", "schema", "--quiet"]))).toHaveProperty("title");
    await using stack = await stage();
    expect(documentOf(await stack.run("doctor production --json"))).toMatchObject({ exitCode: 0 });
  });

  it("prints warnings and errors, and the result if it is not good", async () => {
    await using stack = await stage();
    const warned = await stack.run("backup production --to place", {
      env: { STACKFERRY_NOTIFY: "http://127.0.0.1:9/" },
    });
    expect(warned).toMatchObject({ exitCode: 0, stdout: "" });
    expect(warned.stderr).toMatch(/^warning: .* did not receive the report of this run/);
    const unwritten = await stack.run("doctor production --metrics-file missing/run.prom");
    expect(unwritten.stderr).toMatch(
      /run\.prom did not receive the report of this run: no such file or directory \(ENOENT\)\n$/,
    );

    const failed = await stack.run("backup production nobody --to place");
    expect(failed).toMatchObject({ exitCode: 3, stdout: expect.stringContaining("nobody") });
    expect((await stack.run("list nowhere")).stderr).toMatch(
      /there is no folder \S+nowhere \(\S+stackferry\.yaml has no repositories\)\n.*--config/,
    );
    const wrongKey = await stack.run("doctor production", { env: { PRODUCTION_API_KEY: "not-the-key" } });
    expect(wrongKey).toMatchObject({ exitCode: 5, stdout: expect.stringContaining("✗") });
    const old = await stack.run("check place --newest --max-age 1h", { now: () => Date.now() + 7_200_000 });
    expect(old).toMatchObject({ exitCode: 3, stdout: expect.stringContaining("2.0 h old, the limit is 1.0 h") });
  });
});
