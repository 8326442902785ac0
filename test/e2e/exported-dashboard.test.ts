import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sandbox, SandboxVariant } from "../../src/sandbox/start-sandbox.ts";
import { programForOneStack } from "../support/program.ts";

/** A dashboard as the web interface of a stack exports it. */
const fixture = new URL("../fixtures/exported-dashboards/checkout-errors.json", import.meta.url);

/** Starts a sample stack, and copies the exported dashboard to this path of the folder. */
async function withExportedFile(
  variant: SandboxVariant,
  path: string,
  change?: (text: string, stack: Sandbox) => string,
) {
  const program = await programForOneStack({ variant, seed: "sample" });
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
    const { run, stack } = program;
    const apply = "apply 'checkout errors (2).json' --to $STACK";
    const applied = await run(apply);
    expect(applied.exitCode, applied.stderr).toBe(0);
    const named = applied.stderr.matchAll(/^warning: checkout errors \(2\)\.json:\d+:\d+: "(\w+)" is left out/gm);
    expect([...named].map(([, member]) => member)).toEqual(["description", "granularity", "limit"]);
    expect((await run(`${apply} --dry-run --exit-code`)).exitCode).toBe(0);
    const [board] = stack.stored().dashboards.filter(({ name }) => name === "Checkout errors");
    const tiles = board?.["tiles"] as readonly { name: string }[];
    expect(tiles.map(({ name }) => name)).toEqual([
      "Share of failed requests",
      "Slowest",
      "Failed payments",
      "Errors by version",
      "Last errors",
      "",
    ]);
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
