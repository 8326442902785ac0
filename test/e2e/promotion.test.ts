import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const sample = fileURLToPath(new URL("../../samples/promotion/", import.meta.url));
const STACKS = ["development", "staging", "production"] as const;
type Stacks = Readonly<Record<(typeof STACKS)[number], Sandbox>>;

/** The sample as a repository, with three sandboxes in the place of its stacks. */
async function checkout(stacks: Stacks) {
  const cwd = temporaryFolder();
  await mkdir(cwd, { recursive: true });
  await cp(sample, cwd, { recursive: true });
  const config = join(cwd, "stackferry.yaml");
  let text = await readFile(config, "utf8");
  for (const name of STACKS) text = text.replace(`http://${name}.example.com:8000`, stacks[name].url);
  await writeFile(config, text);
  const env = Object.fromEntries(STACKS.map((name) => [`${name.toUpperCase()}_API_KEY`, stacks[name].apiKey ?? ""]));
  const workflow = parse(await readFile(join(cwd, "promote.yaml"), "utf8")) as {
    jobs: Record<string, { steps: { run?: string }[] }>;
  };
  /** Runs the program's lines of a job as they stand there. */
  const job = async (name: string): Promise<number[]> => {
    const runs = workflow.jobs[name]?.steps.flatMap(({ run = "" }) => run.split("\n")) ?? [];
    const lines = runs.filter((line) => line.startsWith("stackferry "));
    const codes: number[] = [];
    for (const line of lines) {
      const args = line
        .replace(/ >> .*$/, "")
        .split(" ")
        .slice(1);
      codes.push((await runCli(args, { cwd, env })).exitCode);
    }
    return codes;
  };
  return { cwd, env, job };
}

async function withStacks(use: (stacks: Stacks) => Promise<void>): Promise<void> {
  await using development = await startSandbox({ variant: "self-hosted", seed: "bare" });
  await using staging = await startSandbox({ variant: "self-hosted", seed: "bare" });
  await using production = await startSandbox({ variant: "self-hosted", seed: "bare" });
  await use({ development, staging, production });
}

describe("samples/promotion", () => {
  it("goes from files to staging on a merge, and to production by the plan that was approved", async () => {
    await withStacks(async (stacks) => {
      const { cwd, env, job } = await checkout(stacks);
      const dryRun = await runCli(["apply", "stack", "--to", "staging", "--state", "none", "--dry-run", "--json"], {
        cwd,
        env,
      });
      // A tile of a file is what it says, and no stand-in for one that an API cannot show.
      expect(documentOf(dryRun)).toMatchObject({ exitCode: 0, warnings: [] });
      expect(await job("plan")).toEqual([0, 0]);
      expect(stacks.staging.stored().dashboards).toEqual([]);
      expect(await job("staging")).toEqual([0]);
      expect(await job("plan-production")).toEqual([0]);
      expect(stacks.production.stored().dashboards).toEqual([]);
      expect(await job("production")).toEqual([0]);
      await runCli(["apply", "stack", "--to", "development", "--state", "none", "--yes"], { cwd, env });
      const told = STACKS.map((name) => {
        const { dashboards, alerts } = stacks[name].stored();
        return [
          dashboards[0]?.["name"],
          alerts[0]?.["threshold"],
          alerts[0]?.["interval"],
          dashboards.length + alerts.length,
        ];
      });
      expect(told).toEqual([
        ["Payments (development)", 2000, "15m", 2],
        ["Payments (staging)", 1500, "15m", 2],
        ["Payments (production)", 900, "5m", 2],
      ]);
      // They differ in their values and in nothing else.
      const plain = (name: (typeof STACKS)[number]): string =>
        JSON.stringify(stacks[name].stored().dashboards.map(({ name: title, tags, tiles }) => ({ title, tags, tiles })))
          .replaceAll(name, "ENV")
          .replaceAll(/[0-9a-f]{24}/g, "ID");
      expect(new Set(STACKS.map(plain)).size).toBe(1);
      for (const name of STACKS) {
        const again = await runCli(["apply", "stack", "--to", name, "--state", "none", "--yes", "--json"], {
          cwd,
          env,
        });
        expect(documentOf(again)).toMatchObject({ exitCode: 0, counts: { unchanged: 2 } });
      }
    });
  });

  it("writes nothing onto production that has drifted since the plan was approved", async () => {
    await withStacks(async (stacks) => {
      const { cwd, env, job } = await checkout(stacks);
      await job("plan-production");
      await runCli(["apply", "stack", "--to", "production", "--state", "none", "--yes", "--kinds", "dashboards"], {
        cwd,
        env,
      });
      expect(await job("production")).toEqual([10]);
      expect(stacks.production.stored().alerts).toEqual([]);
      const drift = await runCli(["diff", "stack", "production", "--exit-code"], { cwd, env });
      expect(drift.exitCode).toBe(10);
      expect(drift.stdout).toContain("Payments are slow");
    });
  });
});
