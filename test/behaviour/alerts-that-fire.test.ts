import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// What the server owns changes by itself (docs/api.md#alert-updates): it makes no other record of an alert.

it("a migration that stopped half-way is gone on with, though an alert of the source has fired since", async () => {
  let state = "OK";
  await using from = await startSandbox({
    variant: "self-hosted",
    seed: "sample",
    intercept: async ({ route }, proceed) => {
      const answer = await proceed();
      if (route !== "GET alerts") return answer;
      return new Response((await answer.text()).replaceAll('"state":"OK"', `"state":"${state}"`), answer);
    },
  });
  let writes = 0;
  await using to = await startSandbox({
    variant: "self-hosted",
    seed: "bare",
    intercept: ({ method }, proceed) => {
      if (method === "POST") writes += 1;
      return method === "POST" && writes === 5 ? Response.json({ message: "no" }, { status: 400 }) : proceed();
    },
  });
  const cwd = temporaryFolder();
  const args = ["migrate", "--from", from.stack, "--to", to.stack, "--create", "saved-searches,webhooks"];
  const run = async () =>
    runCli([...args, "--on-error", "abort", "--consistency-wait", "1ms", "--yes", "--json"], {
      env: sandboxEnv(from, to),
      cwd,
    });
  const journals = async () => (await readdir(cwd)).filter((name) => name.endsWith(".journal"));
  expect((await run()).exitCode).not.toBe(0);
  const before = await journals();
  expect(before).toHaveLength(1);
  state = "ALERT";
  const second = documentOf(await run());
  expect(await journals()).toEqual(before);
  expect(second["journal"]).toBe(join(cwd, before[0] ?? ""));
});
