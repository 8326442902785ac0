import { mkdtempSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { runCli } from "../support/run-cli.ts";

it("a backup of several stacks names the stack in every line of its progress, one of a single stack does not", async () => {
  await using one = await startSandbox({ variant: "self-hosted", seed: "sample" });
  await using two = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const cwd = mkdtempSync(join(tmpdir(), "stackferry-several-"));
  await mkdir(join(cwd, "store"));
  const stackOf = (name: string, url: string): string =>
    `  ${name}:\n    variant: self-hosted\n    baseUrl: ${url}\n    apiKey: \${env:KEY_${name}}\n`;
  await writeFile(join(cwd, "stackferry.yaml"), `stacks:\n${stackOf("one", one.url)}${stackOf("two", two.url)}`);
  const env = { KEY_one: one.apiKey ?? "", KEY_two: two.apiKey ?? "" };
  const both = await runCli(["backup", "one", "two", "--to", "store"], { env, cwd });
  expect(both.exitCode).toBe(0);
  const lines = both.stderr.trimEnd().split("\n");
  expect(lines.filter((line) => !/^(?:one|two): /.test(line))).toEqual([]);
  for (const line of ["one: stored", "two: stored"]) expect(lines).toContain(line);
  const json = await runCli(["backup", "one", "two", "--to", "store", "--log-format", "json"], { env, cwd });
  const events = json.stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string; stack?: string });
  for (const { event, stack } of events.filter(({ event }) => event === "listed" || event === "phase")) {
    expect([event, stack]).toEqual([event, expect.stringMatching(/^(?:one|two)$/)]);
  }
  const alone = await runCli(["backup", "one", "--to", "store"], { env, cwd });
  expect(alone.stderr).not.toContain("one: ");
});
