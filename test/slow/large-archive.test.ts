import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { sampleRecord, writeArchive } from "../support/archive-samples.ts";
import { runCli } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// The archive of these tests is larger than 64 MiB.
const cwd = temporaryFolder();
const markdown = randomBytes(700_000).toString("base64");
const tiles = [{ id: "text", name: "Text", config: { displayType: "markdown", markdown } }];

beforeAll(async () => {
  const records = Array.from({ length: 100 }, (_, number) =>
    sampleRecord(`d${number}`, "dashboards", { tiles, tags: [] }),
  );
  await writeArchive({ path: join(cwd, "large.zip"), format: "zip" }, records);
});

it.each(["inspect", "report"])("%s shows what is in it, after it was closed", async (command) => {
  const { stdout, exitCode } = await runCli([command, "large.zip"], { cwd });
  expect(stdout).toContain("name of d3");
  expect(exitCode).toBe(0);
});
