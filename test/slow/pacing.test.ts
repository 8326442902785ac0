import { expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The longest test takes 20 s; a busy machine may need more. */
const TIMEOUT_MS = 120_000;

it.each([
  { says: "says so", headers: true, count: 320, mostRefused: 0.01 },
  { says: "does not say so", headers: false, count: 210, mostRefused: 0.05 },
])(
  "a stack that allows 100 requests per window, and $says, refuses at most the share $mostRefused of an import's requests",
  async ({ headers, count, mostRefused }) => {
    const dashboards = Array.from({ length: count }, (_, number) => ({
      id: number.toString(16).padStart(24, "0"),
      name: `Dashboard ${number}`,
      tiles: [],
      tags: [],
      filters: [],
    }));
    await using from = await startSandbox({ variant: "self-hosted", seed: { dashboards } });
    const limit = { requests: 100, windowMs: 3000, headers };
    await using to = await startSandbox({ variant: "self-hosted", seed: "none", limit });
    const cwd = temporaryFolder();
    const env = sandboxEnv(from, to);
    await runCli(["export", "--from", from.stack, "--out", "a.zip", "--quiet"], { env, cwd });
    const run = documentOf(await runCli(["import", "a.zip", "--to", to.stack, "--json"], { env, cwd }));
    const { total, rateLimited, byRoute } = to.stats();
    expect(run).toMatchObject({ exitCode: 0, counts: { create: count }, requests: { total, rateLimited } });
    // One request for each record, and six for lists: five before the import, because alerts are not listed on an empty target,
    // and one after it.
    expect(byRoute["POST dashboards"]).toBe(count + rateLimited);
    expect(total - rateLimited).toBe(count + 6);
    expect(rateLimited / total).toBeLessThanOrEqual(mostRefused);
  },
  TIMEOUT_MS,
);
