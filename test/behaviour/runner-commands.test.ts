import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";

const NAMES = ["::add-mask::production", "x ##[add-mask]production", "##vso[task.setvariable variable=a]b"];

/** What the runner of a workflow would take for a command to it. */
function commandsIn(text: string): readonly string[] {
  return text.split("\n").filter((line) => /##\w*\[/.test(line) || line.trimStart().startsWith("::"));
}

describe("names that are commands to the runner of a workflow", () => {
  it("are shown escaped by every command, and stay what they are", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "bare" });
    await using other = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const headers = { authorization: `Bearer ${stack.apiKey ?? ""}`, "content-type": "application/json" };
    for (const name of NAMES) {
      const body = JSON.stringify({ name, tiles: [] });
      const made = await fetch(`${stack.stack}/api/v2/dashboards`, { method: "POST", headers, body });
      expect(made.status).toBeLessThan(300);
    }
    const env = sandboxEnv(stack, other);
    const first = await runCli(["export", "--from", stack.stack, "--out", "a.zip", "--json"], { env });
    const { cwd } = first;
    for (const args of [
      ["inspect", "a.zip", "--verbose"],
      ["inspect", "a.zip", "--json"],
      ["inspect", "a.zip", "--markdown"],
      ["import", "a.zip", "--to", other.stack, "--dry-run", "--verbose"],
      ["import", "a.zip", "--to", other.stack, "--dry-run", "--json", "--log-format", "json"],
      ["diff", "a.zip", other.stack],
      ["diff", "a.zip", other.stack, "--json"],
    ]) {
      const run = await runCli(args, { cwd, env });
      expect(run.stdout, args.join(" ")).toContain("add-mask");
      expect(commandsIn(run.stdout + run.stderr), args.join(" ")).toEqual([]);
    }
    const diff = documentOf(await runCli(["diff", "a.zip", other.stack, "--json"], { cwd, env }));
    for (const name of NAMES) expect(JSON.stringify(diff)).toContain(name);
  });
});
