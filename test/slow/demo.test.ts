import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { documentOf, runCli } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const COMMANDS = ["export", "import", "diff", "backup", "restore", "diff"];

// The demo leaves its archive and its backup in the temporary folder.
beforeEach(() => {
  vi.stubEnv("TMPDIR", temporaryFolder());
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("demo", () => {
  it("runs commands as they could be typed, with what they print, and ends with a comparison", async () => {
    const { stdout, stderr, exitCode } = await runCli(["demo"]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect([...stdout.matchAll(/^\$ stackferry (\S+)/gm)].map(([, command]) => command)).toEqual(COMMANDS);
    expect(stdout).toContain("Done: 25 created; 10 matched.");
    expect(stdout.match(/: no difference; \d+ records the same$/gm)).toHaveLength(2);
  });

  it("lists its commands in JSON, and leaves an archive and a backup that can be read", async () => {
    const run = await runCli(["demo", "--json"]);
    expect(run.stderr).toBe("");
    const { folder, ...document } = documentOf(run);
    const commands = COMMANDS.map((name) => ({ command: expect.stringContaining(` ${name} `), exitCode: 0 }));
    expect(document).toMatchObject({ command: "demo", ok: true, commands });
    expect(readdirSync(String(folder))).toEqual(expect.arrayContaining(["backups", "office.zip"]));
    for (const name of ["office.zip", "backups/office"]) {
      expect((await runCli(["verify", join(String(folder), name)])).exitCode).toBe(0);
    }
  });
});
