import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Agent } from "undici";
import { parseChannelUrl, pingChannel, type RunSummary } from "../../../src/telemetry/channel.ts";
import { otlpChannel } from "../../../src/telemetry/otlp.ts";
import { startListener } from "../../support/listener.ts";
import { runSummary as run } from "../../support/run-summary.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { formatPrometheusText, metricsFileChannel } from "../../../src/telemetry/metrics.ts";

const failed: RunSummary = { ...run, exitCode: 6, error: { code: "unreachable", message: "no answer" } };
const open = (): AbortSignal => new AbortController().signal;

describe("formatPrometheusText", () => {
  it("writes each metric once, with its type and with escaped labels", () => {
    const labels = 'command="export",stack="prod\\"\\\\\\n1"';
    expect(
      formatPrometheusText(run)
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#")),
    ).toEqual([
      `stackferry_last_run_timestamp_seconds{${labels}} 1700000002.5`,
      `stackferry_last_run_success{${labels}} 1`,
      `stackferry_last_run_exit_code{${labels}} 0`,
      `stackferry_last_run_duration_seconds{${labels}} 2.5`,
      `stackferry_last_run_records{${labels},kind="dashboards"} 9`,
      `stackferry_last_run_records{${labels},kind="alerts"} 12`,
      `stackferry_last_run_requests{${labels}} 5`,
      `stackferry_last_run_warnings{${labels}} ${run.warnings}`,
    ]);
    expect(formatPrometheusText(failed)).toContain(`stackferry_last_run_success{${labels}} 0\n`);
    expect(formatPrometheusText({ ...run, records: {} })).not.toContain("last_run_records");
    expect(formatPrometheusText(run).match(/^# TYPE \S+ gauge$/gm)).toHaveLength(7);
  });

  it("writes the backup metrics of each stack, and leaves out those without a value", () => {
    const full = {
      archives: 3,
      suspect: true,
      records: { dashboards: 9, alerts: 0 },
      bytes: 1234,
      newestGoodAgeSeconds: 60.5,
      newestGoodAt: 1_699_999_900,
    };
    const stacks = [
      { stack: "one", exitCode: 3, backup: full },
      { stack: "two", exitCode: 0, backup: { archives: 0, suspect: false } },
      { stack: "three", exitCode: 6 },
    ];
    const text = formatPrometheusText({ ...run, command: "check", stack: "", stacks });
    expect(text.match(/^stackferry_backup_.*$/gm)).toEqual([
      'stackferry_backup_records{command="check",stack="one",kind="dashboards"} 9',
      'stackferry_backup_records{command="check",stack="one",kind="alerts"} 0',
      'stackferry_backup_size_bytes{command="check",stack="one"} 1234',
      'stackferry_backup_archives{command="check",stack="one"} 3',
      'stackferry_backup_archives{command="check",stack="two"} 0',
      'stackferry_backup_suspect{command="check",stack="one"} 1',
      'stackferry_backup_suspect{command="check",stack="two"} 0',
      'stackferry_backup_newest_good_age_seconds{command="check",stack="one"} 60.5',
      'stackferry_backup_newest_good_timestamp_seconds{command="check",stack="one"} 1699999900',
      'stackferry_backup_newest_good_timestamp_seconds{command="check",stack="two"} 0',
    ]);
  });

  it("writes a line for each stack of a run on several stacks, and one for the run", () => {
    const stacks = [
      { stack: "one", exitCode: 0 },
      { stack: "two", exitCode: 6 },
    ];
    const text = formatPrometheusText({ ...run, command: "backup", stack: "", exitCode: 3, stacks });
    expect(text.match(/^stackferry_last_run_exit_code.*$/gm)).toEqual([
      'stackferry_last_run_exit_code{command="backup",stack=""} 3',
      'stackferry_last_run_exit_code{command="backup",stack="one"} 0',
      'stackferry_last_run_exit_code{command="backup",stack="two"} 6',
    ]);
    expect(text).toContain('stackferry_last_run_success{command="backup",stack="two"} 0\n');
  });
});

describe("metricsFileChannel", () => {
  it("replaces the whole file, readable by all users, and leaves no temporary file", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "stackferry.prom");
    await writeFile(path, "# old\n");
    await metricsFileChannel(path).end(run, open());
    expect(await readFile(path, "utf8")).toBe(formatPrometheusText(run));
    expect((await stat(path)).mode & 0o777).toBe(0o644);
    expect(await readdir(folder)).toEqual(["stackferry.prom"]);
  });

  it("fails if it cannot write, and leaves no temporary file", async () => {
    const folder = temporaryFolder();
    await expect(metricsFileChannel(join(folder, "no", "x.prom")).end(run, open())).rejects.toMatchObject({
      code: "ENOENT",
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("pingChannel", () => {
  const connect = (): Agent => new Agent();

  it("pings the start, the success and the exit code of a failure, and preserves the query", async () => {
    await using service = await startListener();
    const channel = pingChannel(new URL(`${service.url}/ping/secret-id/?create=1`), connect);
    await channel.start?.(open());
    await channel.end(run, open());
    await channel.end(failed, open());
    expect(service.heard.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /ping/secret-id/start?create=1",
      "POST /ping/secret-id/?create=1",
      "POST /ping/secret-id/6?create=1",
    ]);
    expect(service.heard.map(({ body }) => body && JSON.parse(body))).toEqual(["", run, failed]);
    expect(channel.label).toBe(service.url);
  });

  it("does not follow a redirect, and fails if the response is no success", async () => {
    await using refusing = await startListener(500);
    await using moving = await startListener(302);
    await expect(pingChannel(new URL(refusing.url), connect).end(run, open())).rejects.toThrow("500");
    await expect(pingChannel(new URL(moving.url), connect).end(run, open())).rejects.toThrow("302");
  });

  it("stops waiting when its signal aborts", async () => {
    await using silent = await startListener("never");
    const signal = AbortSignal.timeout(50);
    await expect(pingChannel(new URL(silent.url), connect).end(run, signal)).rejects.toThrow();
  });
});

describe("otlpChannel", () => {
  interface Point {
    readonly asDouble?: number;
    readonly asInt?: number;
    readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  }

  it("sends metrics and one log record to a collector", async () => {
    await using collector = await startListener();
    await otlpChannel(new URL(`${collector.url}/in`), { hasPort: true, timeoutMs: 2000 }).end(failed, open());
    const at = (path: string): Record<string, never> =>
      JSON.parse(collector.heard.find((each) => each.path === path)?.body ?? "{}");
    expect(collector.heard.map(({ path }) => path).sort()).toEqual(["/in/v1/logs", "/in/v1/metrics"]);
    const [resource] = at("/in/v1/metrics")["resourceMetrics"] as unknown as {
      resource: { attributes: unknown[] };
      scopeMetrics: { metrics: { name: string; unit: string; gauge: { dataPoints: Point[] } }[] }[];
    }[];
    expect(resource?.resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "stackferry" } });
    const values = (resource?.scopeMetrics[0]?.metrics ?? []).map(({ name, gauge }) => [
      name,
      gauge.dataPoints.map((point) => point.asDouble ?? Number(point.asInt)),
    ]);
    expect(values).toEqual([
      ["stackferry.run.timestamp", [1_700_000_002.5]],
      ["stackferry.run.success", [0]],
      ["stackferry.run.exit_code", [6]],
      ["stackferry.run.duration", [2.5]],
      ["stackferry.run.records", [9, 12]],
      ["stackferry.run.requests", [5]],
      ["stackferry.run.warnings", [1]],
    ]);
    const [logs] = at("/in/v1/logs")["resourceLogs"] as unknown as {
      scopeLogs: { logRecords: Record<string, unknown>[] }[];
    }[];
    expect(logs?.scopeLogs[0]?.logRecords).toMatchObject([
      { severityText: "ERROR", body: { stringValue: expect.stringContaining("exit code 6: no answer") } },
    ]);
  });

  it("sends the same backup metrics as the Prometheus text", async () => {
    await using collector = await startListener();
    const backup = {
      archives: 1,
      suspect: true,
      records: { dashboards: 9 },
      bytes: 1234,
      newestGoodAgeSeconds: 60.5,
      newestGoodAt: 1_699_999_900,
    };
    const summary = { ...run, command: "backup", stack: "", stacks: [{ stack: "one", exitCode: 3, backup }] };
    await otlpChannel(new URL(collector.url), { hasPort: true, timeoutMs: 2000 }).end(summary, open());
    const sent = collector.heard.find(({ path }) => path === "/v1/metrics")?.body ?? "";
    const named = [...sent.matchAll(/"name":"stackferry\.backup\.([a-z_]+)"/g)].map(([, name]) => name);
    expect(named).toEqual(["records", "size", "archives", "suspect", "newest_good_age", "newest_good_timestamp"]);
    for (const value of ["1234", "60.5", "1699999900"]) expect(sent).toContain(value);
  });

  it("fails if the collector refuses the request or cannot be reached", async () => {
    await using refusing = await startListener(400);
    await expect(
      otlpChannel(new URL(refusing.url), { hasPort: true, timeoutMs: 1000 }).end(run, open()),
    ).rejects.toThrow();
    await expect(
      otlpChannel(new URL("http://127.0.0.1:1"), { hasPort: true, timeoutMs: 500 }).end(run, open()),
    ).rejects.toThrow();
  });

  it("names the packages to install if they are missing", async () => {
    const load = (): Promise<never> =>
      Promise.reject(Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }));
    const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(await readFile("package.json", "utf8"));
    const optional = Object.keys(peerDependencies);
    const error = await otlpChannel(new URL("http://collector"), { hasPort: true, timeoutMs: 1, load })
      .end(run, open())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "usage" });
    const named = String(error).match(/@opentelemetry\/\S+/g) ?? [];
    expect(named.toSorted()).toEqual(optional.toSorted());
    expect(optional.map((name) => peerDependenciesMeta[name])).toEqual(optional.map(() => ({ optional: true })));
    expect(Object.keys(dependencies).filter((name) => name.startsWith("@opentelemetry"))).toEqual([]);
  });

  it("passes on every other load error unchanged", async () => {
    const broken = new SyntaxError("no such export");
    const load = (): Promise<never> => Promise.reject(broken);
    const channel = otlpChannel(new URL("http://collector"), { hasPort: true, timeoutMs: 1, load });
    await expect(channel.end(run, open())).rejects.toBe(broken);
  });

  it("takes port 4318 if the address names no port", () => {
    expect(otlpChannel(new URL("http://collector"), { hasPort: false, timeoutMs: 1 }).label).toBe(
      "http://collector:4318",
    );
    expect(otlpChannel(new URL("http://collector:80"), { hasPort: true, timeoutMs: 1 }).label).toBe("http://collector");
    expect(otlpChannel(new URL("https://collector"), { hasPort: false, timeoutMs: 1 }).label).toBe("https://collector");
  });
});

describe("parseChannelUrl", () => {
  it.each(["nonsense", "ftp://h/S3CRET", "https://user:S3CRET@h/"])(
    "refuses %s without repeating it in the error",
    (text) => {
      const attempt = (): URL => parseChannelUrl(text, "--notify");
      expect(attempt).toThrow("--notify");
      expect(attempt).not.toThrow("S3CRET");
    },
  );
});
