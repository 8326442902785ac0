import { mkdtempSync, rmSync, truncateSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sampleRecord, writeArchive } from "../support/archive-samples.ts";
import { startOddServer } from "../support/odd-server.ts";
import { runCli } from "../support/run-cli.ts";

// An archive of more than 64 MiB: its bodies are not held, but read again whenever they are looked at.
const cwd = mkdtempSync(join(tmpdir(), "stackferry-large-archive-"));
const env = { STACKFERRY_API_KEY: "canary-key-0123456789" };
/** Less than a megabyte each: the depth of longer ones is looked at first, each time. */
const markdown = "What to do when it rings. ".repeat(36_000);
const tiles = [{ id: "text", name: "Text", config: { displayType: "markdown", markdown } }];

beforeAll(async () => {
  const records = Array.from({ length: 75 }, (_, number) =>
    sampleRecord(`d${number}`, "dashboards", { tiles, tags: [] }),
  );
  await writeArchive({ path: join(cwd, "large.zip"), format: "zip", level: 0 }, records);
});
afterAll(() => rmSync(cwd, { recursive: true }));

it("ends a plan with exit 4, the archive named, where somebody cuts the archive short after it has been read", async () => {
  const path = join(cwd, "changed.zip");
  await copyFile(join(cwd, "large.zip"), path);
  await using target = await startOddServer((_, response) => {
    truncateSync(path, 1_000_000);
    response.setHeader("content-type", "application/json").end('{"data":[]}');
  });
  const { stderr, exitCode } = await runCli(["import", path, "--to", target.url, "--dry-run"], { cwd, env });
  expect(stderr).toContain(path);
  expect(exitCode).toBe(4);
});

it.each([["--tree"], ["--markdown"], ["--dashboard", "name of d3"]])(
  "shows what is in it, %s, after it was closed",
  async (...view) => {
    const { stdout, exitCode } = await runCli(["inspect", "large.zip", ...view], { cwd });
    expect(stdout).toContain("name of d3");
    expect(exitCode).toBe(0);
  },
);
