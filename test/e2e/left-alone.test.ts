import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { dashboard, hexId, source } from "../support/stack-records.ts";

const variants = ["self-hosted", "managed"] as const;
const SENTENCE =
  "1 dashboard differs on the target and was left alone: Checkout latency (--on-conflict update overwrites it)\n";
/** Ids have the form of the variant. */
const idOf = (variant: string, letter: "a" | "b", number: number): string =>
  variant === "managed"
    ? `${letter.repeat(8)}-${letter.repeat(4)}-4aaa-8aaa-${hexId(letter, number).slice(-12)}`
    : hexId(letter, number);

/** Two dashboards on one source; what the two sides have of the first differs in its tags. */
function boards(variant: string, letter: "a" | "b", tags: readonly string[]) {
  const id = (number: number): string => idOf(variant, letter, number);
  const first = dashboard(id(16), "Checkout latency", id(1), { tags: [...tags] });
  return {
    sources: [source(id(1), "Logs", id(3))],
    dashboards: [first, dashboard(id(17), "Hosts", id(1))].map((board, index) => ({
      ...board,
      tiles: (board["tiles"] as JsonObject[]).map((tile) => ({ ...tile, id: id(32 + index) })),
    })),
  };
}

describe.each(variants)("the end of a run onto a %s stack", (variant) => {
  const start = async (): Promise<{ from: Sandbox; to: Sandbox }> => ({
    from: await startSandbox({ variant, seed: boards(variant, "a", ["ours"]) }),
    to: await startSandbox({ variant, seed: boards(variant, "b", ["theirs"]) }),
  });

  it("names what import, restore and migrate left alone, and why, in text, JSON and report", async () => {
    const stacks = await start();
    await using from = stacks.from;
    await using to = stacks.to;
    const env = sandboxEnv(from, to);
    const { cwd } = await runCli(["export", "--from", from.stack, "--out", "a.zip", "--quiet"], { env });
    await writeFile(join(cwd, "stackferry.yaml"), configOf(from));
    await mkdir(join(cwd, "backups"));
    expect(
      (await runCli(["backup", "production", "--to", "backups"], { env: { ...env, ...keysOf(from) }, cwd })).exitCode,
    ).toBe(0);
    const ways = [
      ["import", "a.zip", "--to", to.stack],
      ["restore", "backups/production", "--to", to.stack],
      ["migrate", "--from", from.stack, "--to", to.stack],
    ];
    for (const way of ways) {
      const { stdout, exitCode } = await runCli([...way, "--yes", "--report", "page.html"], { env, cwd });
      expect(exitCode).toBe(0);
      expect(stdout).toContain(SENTENCE);
      expect(stdout.endsWith("1 unchanged, 1 left alone. 1 matched with records of the target.\n")).toBe(true);
      const document = documentOf(await runCli([...way, "--yes", "--json"], { env, cwd }));
      expect(document).toMatchObject({
        counts: { unchanged: 1, skip: 1, matched: 1 },
        leftAlone: [{ kind: "dashboards", name: "Checkout latency", code: "exists", targetId: expect.any(String) }],
      });
      const page = await readFile(join(cwd, "page.html"), "utf8");
      const section = page.slice(page.indexOf("Left alone"));
      expect(section).toContain("Checkout latency");
      expect(section).toContain("--on-conflict update overwrites it");
      expect(page).toContain('data-state="matched"');
      const planned = await runCli([...way, "--dry-run"], { env, cwd });
      expect(planned.stdout).toContain(SENTENCE.replace("was left", "is left"));
    }
  });

  it("says nothing of it where nothing was left alone", async () => {
    const stacks = await start();
    await using from = stacks.from;
    await using to = stacks.to;
    const { stdout } = await runCli(
      ["migrate", "--from", from.stack, "--to", to.stack, "--on-conflict", "update", "--yes"],
      { env: sandboxEnv(from, to) },
    );
    expect(stdout.trimEnd().split("\n")).toEqual([
      "~ 1 dashboard was overwritten with the source's: Checkout latency",
      "Done: 1 updated, 1 unchanged. 1 matched with records of the target.",
      expect.stringMatching(/^To undo it: stackferry rollback /),
    ]);
  });
});

function configOf({ variant, url, organizationId = "", serviceId = "" }: Sandbox): string {
  const managed = `    organizationId: ${organizationId}\n    serviceId: ${serviceId}\n`;
  return `stacks:\n  production:\n    variant: ${variant}\n    baseUrl: ${url}\n${variant === "managed" ? managed : ""}`;
}

function keysOf({ apiKey, keyId, keySecret }: Sandbox): Record<string, string> {
  return apiKey === undefined
    ? { STACKFERRY_PRODUCTION_KEY_ID: keyId ?? "", STACKFERRY_PRODUCTION_KEY_SECRET: keySecret ?? "" }
    : { STACKFERRY_PRODUCTION_API_KEY: apiKey };
}
