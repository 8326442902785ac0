import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { documentOf, runCli } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// The demo leaves its archives in the temporary folder.
beforeEach(() => {
  vi.stubEnv("TMPDIR", temporaryFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("demo", () => {
  it("migrates a stack there and back, rebuilds a lost one, and passes every check", async () => {
    const run = await runCli(["demo"]);
    expect(run.stderr).toBe("");
    expect(run.stdout).not.toContain("✗");
    expect(run.exitCode).toBe(0);
    // Each of the two moves has six checks. There is one for each of the six kinds that are rebuilt, two for the rebuilt stack,
    // one for its log, and the verdict.
    expect(run.stdout.match(/✓/g)).toHaveLength(2 * 6 + 6 + 2 + 1 + 1);
    // The move creates 9 dashboards, 2 saved searches and 14 alerts, and matches 2 connections, 5 sources and 3 webhooks.
    expect(run.stdout).toContain("25 created, 0 updated, 10 matched");
  });

  it("prints the same result in JSON, and nothing else", async () => {
    const run = await runCli(["demo", "--json", "--quiet"]);
    expect(run.stderr).toBe("");
    const document = documentOf(run);
    expect(document).toMatchObject({ command: "demo", ok: true, exitCode: 0 });
    expect(document["moves"]).toHaveLength(3);
    // At its end, the demo suggests this command on its backups, which are still there.
    const log = await runCli(["log", String(document["backups"]), "--patch"]);
    expect(log.stdout).toMatch(/~ tile ".*": h \d+ → \d+\n/);
  });
});
