import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { CliRun } from "../support/run-cli.ts";
import { runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";

/** A dashboard in the form in which the web interface of a stack exports it. */
const fixture = new URL("../fixtures/exported-dashboards/checkout-errors.json", import.meta.url);

/** The file at a path of a folder, and the program there. */
async function placed(sandbox: Sandbox, path: string, change: (text: string) => string = (text) => text) {
  const { cwd } = await runCli(["--version"]);
  await mkdir(join(cwd, path, ".."), { recursive: true });
  await writeFile(join(cwd, path), change(await readFile(fixture, "utf8")));
  const run = (...args: readonly string[]): Promise<CliRun> => runCli(args, { env: sandboxEnv(sandbox), cwd });
  return { cwd, run };
}

describe("a dashboard file that the web interface exported", () => {
  it.each(["self-hosted", "managed"] as const)("gets onto a %s stack by its names, once", async (variant) => {
    await using sandbox = await startSandbox({ variant, seed: "sample" });
    // A managed stack has no list of connections to look the name up in.
    const [connection] = sandbox.stored()["connections"] ?? [];
    const byId = `"connection": ${JSON.stringify({ id: connection?.id })}`;
    const change = (text: string): string =>
      variant === "managed" ? text.replace('"connection": "Primary"', byId) : text;
    const { run, cwd } = await placed(sandbox, "checkout errors (2).json", change);
    const applied = await run("apply", "checkout errors (2).json", "--to", sandbox.stack, "--yes");
    expect(applied.exitCode, applied.stderr).toBe(0);
    const named = applied.stderr.matchAll(/^warning: checkout errors \(2\)\.json:\d+:\d+: "(\w+)" is left out/gm);
    expect([...named].map(([, member]) => member)).toEqual(["description", "granularity", "limit"]);
    const again = ["apply", "checkout errors (2).json", "--to", sandbox.stack, "--dry-run", "--exit-code"];
    expect((await run(...again, "--journal", "another.journal")).exitCode).toBe(0);
    const exported = ["export", "--from", sandbox.stack, "--format", "code", "--out", "stack"];
    expect((await run(...exported)).exitCode).toBe(0);
    const written = parse(await readFile(join(cwd, "stack/dashboards/checkout-errors.yaml"), "utf8"));
    expect(written).toMatchObject({
      name: "Checkout errors",
      tags: ["checkout"],
      filters: [{ name: "Environment", source: "Traces" }],
      containers: [{ id: "requests", title: "Requests", collapsed: false }],
      tiles: [
        {
          name: "Share of failed requests",
          containerId: "requests",
          config: {
            displayType: "line",
            asRatio: true,
            fillNulls: false,
            select: [
              { aggFn: "count", where: "ServiceName:checkout StatusCode:Error" },
              { alias: "all", where: "ServiceName = 'checkout'", whereLanguage: "sql" },
            ],
            groupBy: "SpanAttributes['rpc.service']",
          },
        },
        { name: "Slowest", config: { onClick: { type: "dashboard", target: { dashboard: "Checkout latency" } } } },
        { name: "Failed payments", config: { displayType: "number", select: [{ periodAggFn: "delta" }] } },
        { name: "Errors by version", config: { configType: "sql", displayType: "stacked_bar", source: "Logs" } },
        { name: "Last errors", config: { displayType: "search", select: "Timestamp, ServiceName, Body" } },
        { name: "", config: { displayType: "markdown", markdown: "## Ask in #checkout first" } },
      ],
    });
  });

  it("is found in a folder beside files of other kinds, and an export into that folder leaves it alone", async () => {
    await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { run, cwd } = await placed(sandbox, "stack/payments/board.json");
    await writeFile(join(cwd, "stack/package.json"), '{ "version": "1.0.0", "name": "ours" }\n');
    const before = await readFile(join(cwd, "stack/payments/board.json"), "utf8");
    const applied = await run("apply", "stack", "--to", sandbox.stack, "--yes", "--json");
    expect(JSON.parse(applied.stdout)).toMatchObject({ ok: true, counts: { create: 1 } });
    const exported = await run("export", "--from", sandbox.stack, "--format", "code", "--out", "stack");
    expect(exported.exitCode, exported.stderr).toBe(0);
    expect(await readFile(join(cwd, "stack/payments/board.json"), "utf8")).toBe(before);
    // Now there are two files of one dashboard, and the message says which.
    const twice = await run("apply", "stack", "--to", sandbox.stack, "--dry-run");
    expect(twice.stderr).toMatch(/board\.json:3:11: the dashboard in .*checkout-errors\.yaml is also called/);
  });
});
