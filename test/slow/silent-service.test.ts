import { expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { startListener } from "../support/listener.ts";
import { runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("a notification of a silent service is given up after its time limit", async () => {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "bare" });
  await using silent = await startListener("never");
  const args = ["export", "--from", stack.stack, "--out", "a.zip", "--notify", silent.url, "--quiet"];
  const begun = Date.now();
  const run = await runCli(args, { cwd: temporaryFolder(), env: sandboxEnv(stack) });
  expect(run.exitCode).toBe(0);
  // The run does not wait for the ping at its start, but waits five seconds for the ping at its end.
  expect(Date.now() - begun).toBeGreaterThan(4000);
  expect(Date.now() - begun).toBeLessThan(14_000);
});
