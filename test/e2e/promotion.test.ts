import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import { root } from "../support/documents.ts";
import { programFor } from "../support/program.ts";

const STACKS = ["development", "staging", "production"] as const;
type Stacks = Readonly<Record<(typeof STACKS)[number], Sandbox>>;

/** Copies the sample repository, and starts a sandbox for each of its three stacks. */
async function checkout() {
  const bare = () => startSandbox({ variant: "self-hosted", seed: "bare" });
  const stacks: Stacks = { development: await bare(), staging: await bare(), production: await bare() };
  const env = Object.fromEntries(STACKS.map((name) => [`${name.toUpperCase()}_API_KEY`, stacks[name].apiKey ?? ""]));
  const program = programFor(stacks, env);
  const { cwd, run } = program;
  await cp(join(root, "samples/promotion"), cwd, { recursive: true });
  const config = join(cwd, "stackferry.yaml");
  let text = await readFile(config, "utf8");
  for (const name of STACKS) text = text.replace(`https://${name}.example.com:8000`, stacks[name].url);
  await writeFile(config, text);
  const workflow = parse(await readFile(join(cwd, "promote.yaml"), "utf8")) as {
    jobs: Record<string, { steps: { run?: string }[] }>;
  };
  let approved = "";
  /** Runs the stackferry commands of a job in the sample's workflow. The job after it gets the plan that its output names. */
  const job = async (name: string): Promise<number[]> => {
    const lines = workflow.jobs[name]?.steps.flatMap((step) => step.run?.split("\n") ?? []) ?? [];
    const codes: number[] = [];
    for (const line of lines.filter((each) => each.startsWith("stackferry "))) {
      const { exitCode, stdout } = await run(line.replace(/^stackferry | >>? .*$/g, "").replace('"$PLAN"', approved));
      codes.push(exitCode);
      [, approved = ""] = /^Plan `([0-9a-f]{64})`\n$/m.exec(stdout) ?? [];
    }
    return codes;
  };
  return { ...program, stacks, job };
}

describe("samples/promotion", () => {
  it("goes from files to staging on a merge, and to production by the plan that was approved", async () => {
    await using sample = await checkout();
    const { stacks, job, json } = sample;
    const apply = (name: string, more = "") => json(`apply stack --to ${name} ${more}`);
    // For a tile that the API cannot show, it shows a substitute. A tile in a file is never taken for such a substitute.
    expect(await apply("staging", "--dry-run")).toMatchObject({ exitCode: 0, warnings: [] });
    expect(await job("plan")).toEqual([0, 0]);
    expect(stacks.staging.stored().dashboards).toEqual([]);
    expect(await job("staging")).toEqual([0]);
    expect(await job("plan-production")).toEqual([0]);
    expect(stacks.production.stored().dashboards).toEqual([]);
    expect(await job("production")).toEqual([0]);
    await apply("development");
    const stored = STACKS.map((name) => {
      const { dashboards, alerts } = stacks[name].stored();
      const [board, alert] = [dashboards[0], alerts[0]];
      return [board?.["name"], alert?.["threshold"], alert?.["interval"], dashboards.length + alerts.length];
    });
    expect(stored).toEqual([
      ["Payments (development)", 2000, "15m", 2],
      ["Payments (staging)", 1500, "15m", 2],
      ["Payments (production)", 900, "5m", 2],
    ]);
    // The three stacks differ only in their values.
    const plain = (name: (typeof STACKS)[number]): string =>
      JSON.stringify(stacks[name].stored().dashboards.map(({ name: title, tags, tiles }) => ({ title, tags, tiles })))
        .replaceAll(name, "ENV")
        .replaceAll(/[0-9a-f]{24}/g, "ID");
    expect(new Set(STACKS.map(plain)).size).toBe(1);
    for (const name of STACKS) expect(await apply(name)).toMatchObject({ exitCode: 0, counts: { unchanged: 2 } });
  });

  it("writes nothing onto production that has drifted since the plan was approved", async () => {
    await using sample = await checkout();
    const { stacks, job, run } = sample;
    await job("plan-production");
    await run("apply stack --to production --kinds dashboards");
    expect(await job("production")).toEqual([10]);
    expect(stacks.production.stored().alerts).toEqual([]);
    const drift = await run("diff stack production --exit-code");
    expect(drift.exitCode).toBe(10);
    expect(drift.stdout).toContain("Payments are slow");
  });
});
