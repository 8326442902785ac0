import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Sandbox, SandboxVariant } from "../../src/sandbox/start-sandbox.ts";
import { oneStack } from "../support/sandbox-pair.ts";

/** A dashboard as the web interface of a stack exports it. */
const fixture = new URL("../fixtures/exported-dashboards/checkout-errors.json", import.meta.url);

/** Starts a sample stack, and copies the exported dashboard to this path of the folder. */
async function withExportedFile(
  variant: SandboxVariant,
  path: string,
  change?: (text: string, stack: Sandbox) => string,
) {
  const program = await oneStack({ variant, seed: "sample" });
  const text = await readFile(fixture, "utf8");
  await mkdir(join(program.cwd, path, ".."), { recursive: true });
  await writeFile(join(program.cwd, path), change?.(text, program.stack) ?? text);
  return program;
}

const EXPORT = "export --from $STACK --format code --out stack";

describe("a dashboard file that the web interface exported", () => {
  it.each(["self-hosted", "managed"] as const)("is created on a %s stack by its names, once", async (variant) => {
    // A managed stack does not list its connections, so the file names the connection by its id.
    const change = (text: string, stack: Sandbox): string => {
      const byId = `"connection": ${JSON.stringify({ id: stack.stored().connections[0]?.id })}`;
      return variant === "managed" ? text.replace('"connection": "Primary"', byId) : text;
    };
    await using program = await withExportedFile(variant, "checkout errors (2).json", change);
    const { run, cwd } = program;
    const apply = "apply 'checkout errors (2).json' --to $STACK";
    const applied = await run(apply);
    expect(applied.exitCode, applied.stderr).toBe(0);
    const named = applied.stderr.matchAll(/^warning: checkout errors \(2\)\.json:\d+:\d+: "(\w+)" is left out/gm);
    expect([...named].map(([, member]) => member)).toEqual(["description", "granularity", "limit"]);
    expect((await run(`${apply} --dry-run --exit-code --journal another.journal`)).exitCode).toBe(0);
    expect((await run(EXPORT)).exitCode).toBe(0);
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

  it("is found in a folder beside files of other kinds, and an export into the folder does not change it", async () => {
    await using program = await withExportedFile("self-hosted", "stack/payments/board.json");
    const { run, json, cwd } = program;
    await writeFile(join(cwd, "stack/package.json"), '{ "version": "1.0.0", "name": "ours" }\n');
    const before = await readFile(join(cwd, "stack/payments/board.json"), "utf8");
    expect(await json("apply stack --to $STACK")).toMatchObject({ ok: true, counts: { create: 1 } });
    const exported = await run(EXPORT);
    expect(exported.exitCode, exported.stderr).toBe(0);
    expect(await readFile(join(cwd, "stack/payments/board.json"), "utf8")).toBe(before);
    // The folder now has two files of one dashboard, and the message names both.
    const twice = await run("apply stack --to $STACK --dry-run");
    expect(twice.stderr).toMatch(/board\.json:3:11: the dashboard in .*checkout-errors\.yaml is also called/);
  });
});
