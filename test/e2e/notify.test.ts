import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startListener } from "../support/listener.ts";
import { documentOf } from "../support/run-cli.ts";
import { programForOneStack, programFor } from "../support/program.ts";

const EXPORT = "export --from $STACK --out a.zip";
const sample = () => programForOneStack({ variant: "self-hosted", seed: "sample" });

describe("notifications of a run", () => {
  it("are a ping, the metrics file and OTLP, and none of them holds the key", async () => {
    await using program = await sample();
    await using service = await startListener();
    await using collector = await startListener();
    const flags = `--notify ${service.url}/check --metrics-file run.prom --otlp ${collector.url}`;
    const run = await program.json(`${EXPORT} ${flags}`);
    expect(run).toMatchObject({ exitCode: 0, warnings: [] });
    expect(service.heard.map(({ path }) => path)).toEqual(["/check/start", "/check"]);
    const { requests, counts } = run as { requests: { total: number }; counts: { export: number } };
    expect(JSON.parse(service.heard[1]?.body ?? "")).toMatchObject({
      command: "export",
      exitCode: 0,
      counts,
      requests: requests.total,
      records: { dashboards: 9, alerts: 14 },
    });
    const metrics = await readFile(join(program.cwd, "run.prom"), "utf8");
    expect(metrics).toMatch(/^stackferry_last_run_success\{command="export",stack="[^"]+"\} 1$/m);
    expect(collector.heard.map(({ path }) => path).sort()).toEqual(["/v1/logs", "/v1/metrics"]);
    expect(program.stack.apiKey).toBeTruthy();
    expect(JSON.stringify([service.heard, collector.heard, metrics])).not.toContain(program.stack.apiKey);
  });

  it("report a failure with its exit code, also to addresses from the environment", async () => {
    await using program = await sample();
    await using service = await startListener();
    const env = { STACKFERRY_FROM_API_KEY: "wrong-key-of-a-test", STACKFERRY_NOTIFY: `${service.url}/check` };
    expect((await program.run(EXPORT, { env })).exitCode).toBe(5);
    expect(service.heard.map(({ path }) => path)).toEqual(["/check/start", "/check/5"]);
    expect(service.heard[1]?.body).toContain("unauthorized");
    expect(service.heard[1]?.body).not.toContain("wrong-key-of-a-test");
  });

  it("do not change the exit code if they fail, and the warning hides the address", async () => {
    await using program = await sample();
    const flags = "--notify http://127.0.0.1:1/c4nary-token --metrics-file no/such/folder.prom";
    const run = await program.run(`${EXPORT} ${flags} --json --verbose`);
    expect(documentOf(run)).toMatchObject({ exitCode: 0, ok: true });
    const { warnings } = documentOf(run) as { warnings: { code: string }[] };
    expect(warnings.map(({ code }) => code)).toEqual(["notify-failed", "notify-failed", "notify-failed"]);
    expect(run.stdout + run.stderr).not.toContain("c4nary-token");
    expect(run.stderr).toContain("http://127.0.0.1:1 did not receive");
  });

  it("are refused before the run starts if an address is invalid", async () => {
    const run = await programFor().run("inspect a.zip --notify S3CRET --json");
    expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    expect(run.stdout + run.stderr).not.toContain("S3CRET");
  });
});
