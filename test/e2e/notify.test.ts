import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { startListener } from "../support/listener.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("a run that others are told of", () => {
  it("pings, writes the metrics file and sends OTLP, and none of it carries the key", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using service = await startListener();
    await using collector = await startListener();
    const cwd = temporaryFolder();
    const told = ["--notify", `${service.url}/check`, "--metrics-file", "run.prom", "--otlp", collector.url];
    const args = ["export", "--from", stack.stack, "--out", "a.zip", "--json", ...told];
    const run = await runCli(args, { cwd, env: sandboxEnv(stack) });
    expect(documentOf(run)).toMatchObject({ exitCode: 0, warnings: [] });
    expect(service.heard.map(({ path }) => path)).toEqual(["/check/start", "/check"]);
    const { requests, counts } = documentOf(run) as { requests: { total: number }; counts: { export: number } };
    expect(JSON.parse(service.heard[1]?.body ?? "")).toMatchObject({
      command: "export",
      exitCode: 0,
      counts,
      requests: requests.total,
      records: { dashboards: 9, alerts: 14 },
    });
    const metrics = await readFile(join(cwd, "run.prom"), "utf8");
    expect(metrics).toMatch(/^stackferry_last_run_success\{command="export",stack="[^"]+"\} 1$/m);
    expect(collector.heard.map(({ path }) => path).sort()).toEqual(["/v1/logs", "/v1/metrics"]);
    const everything = JSON.stringify([service.heard, collector.heard, metrics]);
    expect(stack.apiKey).toBeTruthy();
    expect(everything).not.toContain(stack.apiKey);
  });

  it("tells of a failure with its exit code, and takes the addresses from the environment too", async () => {
    await using stack = await startSandbox({ variant: "self-hosted" });
    await using service = await startListener();
    const env = { STACKFERRY_API_KEY: "wrong-key-of-a-test", STACKFERRY_NOTIFY: `${service.url}/check` };
    const run = await runCli(["export", "--from", stack.stack, "--out", "a.zip"], { cwd: temporaryFolder(), env });
    expect(run.exitCode).toBe(5);
    expect(service.heard.map(({ path }) => path)).toEqual(["/check/start", "/check/5"]);
    expect(service.heard[1]?.body).toContain("unauthorized");
    expect(service.heard[1]?.body).not.toContain("wrong-key-of-a-test");
  });

  it("ends as it would have when nobody can be told, with a warning that does not give the address away", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const told = ["--notify", "http://127.0.0.1:1/c4nary-token", "--metrics-file", "no/such/folder.prom"];
    const args = ["export", "--from", stack.stack, "--out", "a.zip", ...told];
    const env = sandboxEnv(stack);
    const run = await runCli([...args, "--json", "--verbose"], { cwd: temporaryFolder(), env });
    expect(documentOf(run)).toMatchObject({ exitCode: 0, ok: true });
    const { warnings } = documentOf(run) as { warnings: { code: string }[] };
    expect(warnings.map(({ code }) => code)).toEqual(["notify-failed", "notify-failed", "notify-failed"]);
    expect(run.stdout + run.stderr).not.toContain("c4nary-token");
    expect(run.stderr).toContain("http://127.0.0.1:1 did not receive");
  });

  it("refuses an address that is none before anything is done", async () => {
    const run = await runCli(["inspect", "a.zip", "--notify", "S3CRET", "--json"]);
    expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    expect(run.stdout + run.stderr).not.toContain("S3CRET");
  });
});

describe("--log-format json", () => {
  const lines = (stderr: string): Record<string, unknown>[] =>
    stderr
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));

  it("writes one object a line, from beginning to end, and stdout stays what it was", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const args = ["export", "--from", stack.stack, "--out", "a.zip", "--log-format", "json"];
    const now = (): number => 1_700_000_000_000;
    const run = await runCli(args, { cwd: temporaryFolder(), env: sandboxEnv(stack), now, terminal: { columns: 80 } });
    const log = lines(run.stderr);
    expect(run.stdout).toContain("Wrote");
    expect(log[0]).toEqual({ time: "2023-11-14T22:13:20.000Z", level: "info", event: "begin", command: "export" });
    expect(log).toContainEqual(expect.objectContaining({ event: "listed", kind: "dashboards", count: 9 }));
    expect(log.at(-1)).toMatchObject({ level: "info", event: "end", command: "export", exitCode: 0 });
    expect(log.some(({ event }) => event === "request")).toBe(false);
    const verbose = await runCli([...args, "--verbose"], { cwd: temporaryFolder(), env: sandboxEnv(stack) });
    expect(lines(verbose.stderr)).toContainEqual(expect.objectContaining({ level: "debug", event: "request" }));
  });

  it("says why a run ended early, also when the line cannot be read", async () => {
    const missing = await runCli(["inspect", "no.zip", "--log-format", "json"]);
    expect(lines(missing.stderr)).toContainEqual(
      expect.objectContaining({ level: "error", event: "error", code: "usage" }),
    );
    const unread = await runCli(["inspect", "--log-format", "json"]);
    expect(lines(unread.stderr)).toMatchObject([{ level: "error", event: "error", code: "usage" }]);
    const quiet = await runCli(["inspect", "no.zip", "--log-format", "json", "--quiet"]);
    expect(lines(quiet.stderr)).toMatchObject([{ event: "error" }]);
  });
});
