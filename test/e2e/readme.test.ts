import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { runCli } from "../support/run-cli.ts";
import { webhookMap } from "../support/sandbox-pair.ts";

const root = resolve(import.meta.dirname, "../..");
const readme = await readFile(join(root, "README.md"), "utf8");

/** The `stackferry` lines of the README's shell blocks, each with the exit code its comment names. */
const commands = [...readme.matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = ""]) => block.trim().split("\n"))
  .filter((line) => line.startsWith("stackferry "))
  .map((line) => {
    const [command = "", comment = ""] = line.split(" # ");
    return { command: command.trim(), exitCode: Number(/exit (\d+)/.exec(comment)?.[1] ?? 0) };
  });

function words(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "").slice(1);
}

it("shows commands that do what it says, one after the other", async () => {
  await using old = await startSandbox({ variant: "self-hosted", seed: "sample" });
  await using cloud = await startSandbox({ variant: "managed", seed: "bare", api: "contract" });
  const cwd = mkdtempSync(join(tmpdir(), "stackferry-readme-"));
  const env = {
    OLD_API_KEY: old.apiKey ?? "",
    CLOUD_KEY_ID: cloud.keyId ?? "",
    CLOUD_KEY_SECRET: cloud.keySecret ?? "",
  };
  const [, yaml = ""] = /```yaml\n(.*?)```/s.exec(readme) ?? [];
  const config = yaml
    .replace("http://localhost:8000", old.url)
    .replace("https://api.example.com", cloud.url)
    .replace(/organizationId: \S+/, `organizationId: ${cloud.organizationId}`)
    .replace(/serviceId: \S+/, `serviceId: ${cloud.serviceId}`)
    .replace(/pipeIds: .*/, "");
  await writeFile(join(cwd, "stackferry.yaml"), config);
  expect(commands.length).toBeGreaterThan(8);
  for (const { command, exitCode } of commands.filter(({ command }) => !command.startsWith("stackferry sandbox"))) {
    const run = await runCli(words(command), { cwd, env });
    expect(`${command} → ${run.exitCode}\n${run.exitCode === exitCode ? "" : run.stderr}`).toBe(
      `${command} → ${exitCode}\n`,
    );
    if (command.includes("--write-map")) await writeFile(join(cwd, "map.yaml"), webhookMap(old, cloud));
  }
  const { byRoute } = cloud.stats();
  expect(byRoute["POST dashboards"]).toBe(9 + 2);
  expect(byRoute["POST alerts"]).toBe(12);
});

it("names the two set-up commands", () => {
  expect(readme).toMatch(/<!-- demo-command -->\n+```sh\nnpm ci && npm run demo\n```/);
  expect(readme).toMatch(/<!-- test-command -->\n+```sh\nnpm ci && npm test\n```/);
});

it("shows a program that is well typed and does what it says", async () => {
  await using old = await startSandbox({ variant: "self-hosted", seed: "sample" });
  await using cloud = await startSandbox({ variant: "managed", seed: "bare", api: "contract" });
  const cwd = mkdtempSync(join(tmpdir(), "stackferry-readme-"));
  const [, program = ""] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const here = program
    .replace("http://localhost:8000", old.url)
    .replace("https://api.example.com", cloud.url)
    .replace(/organizationId: "[^"]+"/, `organizationId: "${cloud.organizationId}"`)
    .replace(/serviceId: "[^"]+"/, `serviceId: "${cloud.serviceId}"`);
  await mkdir(join(cwd, "node_modules"));
  await symlink(root, join(cwd, "node_modules/stackferry"));
  await symlink(join(root, "node_modules/@types"), join(cwd, "node_modules/@types"));
  await writeFile(join(cwd, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(cwd, "program.ts"), here);
  const run = promisify(execFile);
  const compiler = ["--strict", "--module", "nodenext", "--target", "es2023", "--types", "node", "program.ts"];
  await run(join(root, "node_modules/.bin/tsc"), compiler, { cwd });
  const env = { OLD_API_KEY: old.apiKey, CLOUD_KEY_ID: cloud.keyId, CLOUD_KEY_SECRET: cloud.keySecret };
  const { stdout, stderr } = await run(process.execPath, ["program.js"], { cwd, env });
  // The sample's alerts need webhooks that nobody has named: the import is not complete, and says so.
  expect(stdout).toMatch(/^false \d+ \S+backup\.zip\.[0-9a-f]{8}\.journal\n$/);
  expect(stderr).toMatch(/^(?:(?:phase|listed|request)\n)+$/);
  expect(cloud.stats().byRoute["POST dashboards"]).toBe(9);
});
