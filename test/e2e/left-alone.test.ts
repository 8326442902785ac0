import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dashboard, hexId, source } from "../support/stack-records.ts";
import { twoStacks } from "../support/sandbox-pair.ts";
import type { SandboxOptions } from "../../src/sandbox/start-sandbox.ts";

const SENTENCE =
  "1 dashboard was left alone: Checkout latency (other content on the target, and nothing tells who changed it; --on-conflict overwrite writes what the source has)\n";

/**
 * Returns a stack with two dashboards on one source. The first dashboard has these tags, which differ between the two sides.
 */
function boards(letter: "a" | "b", tags: readonly string[]): SandboxOptions {
  const logs = hexId(letter, 1);
  const first = dashboard(hexId(letter, 16), "Checkout latency", logs, { tags: [...tags] });
  const seed = {
    sources: [source(logs, "Logs", hexId(letter, 3))],
    dashboards: [first, dashboard(hexId(letter, 17), "Hosts", logs)],
  };
  return { variant: "self-hosted", seed };
}

it("the summary of import, restore and migrate names the records that they left alone, in text, JSON and report", async () => {
  await using stacks = await twoStacks(boards("a", ["ours"]), boards("b", ["theirs"]));
  const { from, cwd, run, json } = stacks;
  await run("export --from $FROM --out a.zip --quiet");
  const production = { variant: "self-hosted", baseUrl: from.url, apiKey: from.apiKey };
  await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks: { production } }));
  await mkdir(join(cwd, "backups"));
  expect((await run("backup production --to backups")).exitCode).toBe(0);
  for (const way of ["import a.zip", "restore backups/production", "migrate --from $FROM"]) {
    const line = `${way} --to $TO`;
    const { stdout, exitCode } = await run(`${line} --report page.html`);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(SENTENCE);
    expect(stdout.endsWith("1 unchanged, 1 left alone. 1 matched with records of the target.\n")).toBe(true);
    const page = await readFile(join(cwd, "page.html"), "utf8");
    expect(page.slice(page.indexOf("Left alone"))).toContain("--on-conflict overwrite writes what the source has");
    expect((await run(`${line} --dry-run`)).stdout).toContain(SENTENCE.replace("was left", "is left"));
  }
  expect(await json("import a.zip --to $TO")).toMatchObject({
    counts: { unchanged: 1, skip: 1, matched: 1 },
    leftAlone: [{ kind: "dashboards", name: "Checkout latency", code: "exists", targetId: expect.any(String) }],
  });
  const updated = await run("restore backups/production --to $TO --on-conflict overwrite");
  expect(updated.stdout.trimEnd().split("\n")).toEqual([
    "~ 1 dashboard was overwritten with the backup's: Checkout latency",
    "Done: 1 updated, 1 unchanged. 1 matched with records of the target.",
    expect.stringMatching(/^This was run \d+. To undo it: stackferry rollback --to /),
  ]);
});
