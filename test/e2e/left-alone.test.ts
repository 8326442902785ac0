import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dashboard, hexId, source, tileWith } from "../support/stack-records.ts";
import { recordOn } from "../support/on-stack.ts";
import { callSandbox, changeDashboard } from "../support/read-sandbox.ts";
import { programForTwoStacks } from "../support/program.ts";
import type { SandboxOptions } from "../../src/sandbox/start-sandbox.ts";

const KEPT =
  'dashboard "Checkout latency": other content on the target, and nothing tells who changed it, or this archive is older than the last one (exists)\n';

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
  await using stacks = await programForTwoStacks(boards("a", ["ours"]), boards("b", ["theirs"]));
  const { from, to, cwd, run, json } = stacks;
  await run("export --from $FROM --out a.zip --quiet");
  const production = { variant: "self-hosted", baseUrl: from.url, apiKey: from.apiKey };
  await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks: { production } }));
  await mkdir(join(cwd, "backups"));
  expect((await run("backup production --to backups")).exitCode).toBe(0);
  for (const way of ["import a.zip", "restore backups/production", "migrate --from $FROM"]) {
    const line = `${way} --to $TO`;
    const { stdout, exitCode } = await run(`${line} --report page.html`);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`· kept ${KEPT}`);
    const next = `To write what is kept: stackferry ${way.replace("$FROM", from.stack)} --to ${to.stack} `;
    expect(stdout.split("\n").slice(-3)).toEqual([
      "Done: 1 kept; 1 as it is, 1 matched.",
      expect.stringContaining(next),
      "",
    ]);
    const page = await readFile(join(cwd, "page.html"), "utf8");
    expect(page.slice(page.indexOf(">Kept "))).toContain("nothing tells who changed it");
    expect((await run(`${line} --dry-run`)).stdout).toContain(`· keep ${KEPT}`);
  }
  expect(await json("import a.zip --to $TO")).toMatchObject({
    counts: { unchanged: 1, skip: 1, matched: 1 },
    leftAlone: [{ kind: "dashboards", name: "Checkout latency", code: "exists", targetId: expect.any(String) }],
  });
  const updated = await run("restore backups/production --to $TO --on-conflict overwrite");
  expect(updated.stdout.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^\d{8}T\d{6}Z\.zip \(http:.* UTC\) → another stack, /),
    "",
    '~ updated dashboard "Checkout latency"',
    "",
    "Done: 1 updated; 1 as it is, 1 matched.",
    expect.stringMatching(/^This was run \d+. To undo it: stackferry rollback --to /),
  ]);
});

it("the commands that write what was kept: a merge for what only the source has changed, within the limit of a mirror", async () => {
  const seed = { sources: [source(hexId("b", 1), "Logs", hexId("b", 3))] };
  await using stacks = await programForTwoStacks(boards("a", ["first"]), { variant: "self-hosted", seed });
  const { run, from, to } = stacks;
  const line = "migrate --from $FROM --to $TO";
  expect((await run(line)).exitCode).toBe(0);
  const changeOn = async (stack: typeof from, changes: object): Promise<void> =>
    changeDashboard(stack, { name: "Hosts", ...(await recordOn(stack, "dashboards", "Hosts")) }, changes);
  await changeOn(from, { tags: ["ours"] });
  await changeOn(to, { name: "Hosts of staging" });
  expect((await run(line)).stdout).toMatch(
    /To write what a merge would take from the source: .* --on-conflict merge\nTo write what is kept: .* --on-conflict overwrite\n/,
  );
  expect((await run(`${line} --on-conflict merge`)).stdout).not.toContain("a merge would take");
  await callSandbox(to, "POST", "dashboards", { name: "Theirs", tiles: [] });
  const { stdout } = await run(`${line} --mirror all --max-delete 0 --dry-run`);
  expect(stdout).toMatch(/To write what is kept: .* --mirror all --max-delete 1 --on-conflict overwrite\n/);
});

it("the command that writes what the import of a tile left takes the whole dashboard", async () => {
  const boardWith = (letter: "a" | "b", text: string): SandboxOptions => {
    const tiles = [tileWith(hexId("d", 1), "Notes", { displayType: "markdown", markdown: text })];
    const board = dashboard(hexId(letter, 16), "Hosts", hexId(letter, 1), { tiles, tags: [text] });
    return { variant: "self-hosted", seed: { dashboards: [board] } };
  };
  await using stacks = await programForTwoStacks(boardWith("a", "ours"), boardWith("b", "theirs"));
  await stacks.run("export --from $FROM --out a.zip --quiet");
  const { stdout } = await stacks.run("import a.zip --to $TO --include Hosts --tile Notes");
  const [, flags] = /To write what is kept: .* --to \S+ (.*)\n/.exec(stdout) ?? [];
  expect(flags).toContain("--on-conflict overwrite");
  expect(flags).not.toContain("--tile");
});

it("the commands that undo a run and take edits say where its journal and its configuration are", async () => {
  await using stacks = await programForTwoStacks(boards("a", []), boards("b", []));
  const { to, cwd, run } = stacks;
  await mkdir(join(cwd, "code/dashboards"), { recursive: true });
  await writeFile(join(cwd, "code/dashboards/new.yaml"), "name: New\ntiles: []\n");
  const target = { variant: "self-hosted", baseUrl: to.url, apiKey: to.apiKey };
  const configure = (more: object) =>
    writeFile(join(cwd, "other.yaml"), JSON.stringify({ stacks: { target: { ...target, ...more } } }), { mode: 0o600 });
  await configure({});
  const line = "apply code --to target --config other.yaml --journals there";
  const place = "--config other.yaml --journals there";
  expect((await run(line)).stdout).toContain(`stackferry rollback --to target --run 1 ${place}\n`);
  await changeDashboard(to, { name: "New", ...(await recordOn(to, "dashboards", "New")) }, { tags: ["by hand"] });
  const take = `stackferry export --from target --format code --out code ${place}`;
  expect((await run(`${line} --dry-run`)).stdout).toContain(`${take}\n`);
  // An export would write into the files what the transforms made of them.
  await configure({ transforms: { tags: { set: ["seeded"] } } });
  const { stdout } = await run(`${line} --dry-run`);
  expect([stdout.includes("(both-changed)"), stdout.includes("stackferry export")]).toEqual([true, false]);
});
