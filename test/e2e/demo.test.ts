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
    // Six checks of each move, one of each of the six kinds that are rebuilt, two of the rebuilt stack, one of its log, and the verdict.
    expect(run.stdout.match(/✓/g)).toHaveLength(2 * 6 + 6 + 2 + 1 + 1);
    // 9 dashboards, 2 saved searches and 14 alerts; on the way there 2 connections, 5 sources and 3 webhooks are matched.
    expect(run.stdout).toContain("25 created, 0 updated, 10 matched");
  });

  it("prints the same result in JSON, and nothing else", async () => {
    const run = await runCli(["demo", "--json", "--quiet"]);
    expect(run.stderr).toBe("");
    const document = documentOf(run);
    expect(document).toMatchObject({ command: "demo", ok: true, exitCode: 0 });
    expect(document["moves"]).toHaveLength(3);
    // The last lines of the demo are followed: its backups are there, and can be asked.
    const log = await runCli(["log", String(document["backups"]), "--patch"]);
    expect(log.stdout).toMatch(/~ tile ".*": h \d+ → \d+\n/);
  });
});
