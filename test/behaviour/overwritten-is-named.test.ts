import { expect, it } from "vitest";
import { runCli } from "../support/run-cli.ts";
import { callSandbox, changeTheOne, outcomesOf, smallBench, theOne } from "../support/small-bench.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import type { SmallBench } from "../support/small-bench.ts";

/** The target has what the archive holds, and somebody has changed two of the records. */
async function changed(): Promise<SmallBench> {
  const bench = await smallBench();
  await bench.import();
  await changeTheOne(bench.to, "dashboards", "Three", { tags: ["theirs"] });
  await changeTheOne(bench.to, "alerts", "Busy", { threshold: 99 });
  return bench;
}

const argsOf = {
  import: () => ["import", "a.zip"],
  migrate: ({ from }: SmallBench) => ["migrate", "--from", from.stack],
  apply: () => ["apply", "files"],
} as const;

it.each([
  ["import", "source's"],
  ["migrate", "source's"],
  ["apply", "files'"],
] as const)("the result of %s names every record that it has overwritten", async (command, whose) => {
  const update = ["--on-conflict", "update", "--consistency-wait", "1ms"];
  for (const asJson of [false, true]) {
    await using bench = await changed();
    await bench.run(["export", "--from", bench.from.stack, "--format", "code", "--out", "files"]);
    const args = [...argsOf[command](bench), "--to", bench.to.stack, ...update];
    const run = await runCli([...args, ...(asJson ? ["--json"] : [])], { env: bench.env, cwd: bench.cwd });
    expect(run.exitCode, run.stdout + run.stderr).toBe(0);
    if (asJson) {
      const written = outcomesOf(run).filter(({ action, status }) => action === "update" && status === "done");
      expect(written.map(({ kind, name }) => `${kind} ${name}`)).toEqual(["dashboards Three", "alerts Busy"]);
      expect(written.every(({ targetId }) => targetId !== undefined)).toBe(true);
    } else {
      expect(run.stdout).toContain(`1 dashboard was overwritten with the ${whose}: Three`);
      expect(run.stdout).toContain(`1 alert was overwritten with the ${whose}: Busy`);
    }
  }
});

it("nothing is said of records that are new or as they were", async () => {
  await using bench = await smallBench();
  const args = ["import", "a.zip", "--to", bench.to.stack, "--consistency-wait", "1ms", "--on-conflict", "update"];
  for (let run = 1; run <= 2; run += 1) {
    const { stdout } = await runCli(args, { env: bench.env, cwd: bench.cwd });
    expect(stdout).not.toContain("overwritten");
  }
});

it("a dashboard that only gets its link again does not count as overwritten", async () => {
  await using bench = await smallBench();
  const { id } = await theOne(bench.from, "dashboards", "Two");
  await callSandbox(bench.from, "DELETE", `dashboards/${id}`);
  const args = ["import", "a.zip", "--to", bench.from.stack, "--consistency-wait", "1ms"];
  const { stdout } = await runCli(args, { env: sandboxEnv(bench.from), cwd: bench.cwd });
  expect(stdout).toContain("1 dashboard was linked to the new ids of records that are created again: One");
  expect(stdout).not.toContain("overwritten");
});
