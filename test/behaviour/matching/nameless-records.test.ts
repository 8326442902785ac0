import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSandbox, type Sandbox } from "../../support/start-sandbox.ts";
import { programWithBackups, hoursLater, type ProgramWithBackups } from "../../support/program-with-backups.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { changeDashboard } from "../../support/read-sandbox.ts";
import { planInto } from "../../support/import-stage.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, tileWith, webhook } from "../../support/stack-records.ts";

// An alert without a name is called after what it watches, and a tile without a name by its number, because nobody knows ids.

const [logs, hook] = [hexId("a", 1), hexId("a", 2)];
const select = [{ aggFn: "count", whereLanguage: "lucene" }];
const config = { displayType: "line", sourceId: logs, fillNulls: true, select };
const tiles = [
  tileWith(hexId("a", 101), "Latency", config),
  tileWith(hexId("a", 102), "", config, { y: 3 }),
  // The API shows another chart in place of this tile.
  tileWith(hexId("a", 103), "", { ...config, displayType: "gauge" }, { y: 6 }),
];
const checkout = dashboard(hexId("a", 16), "Checkout", logs, { tiles });
const silenced = { by: "someone@example.com", at: "2026-11-01T10:00:00.000Z", until: "2026-12-01T10:00:00.000Z" };
const bare = {
  connections: [{ id: hexId("a", 3), name: "Main", host: "http://ch", username: "default" }],
  sources: [source(logs, "Logs", hexId("a", 3))],
  webhooks: [webhook(hook, "pager")],
};
const seed = {
  ...bare,
  dashboards: [checkout],
  alerts: [
    alert(hexId("a", 32), null, checkout, hook, { silenced }),
    alert(hexId("a", 33), null, checkout, hook, { tileId: hexId("a", 102), threshold: 2 }),
  ],
};
const SECOND = "on tile 2 (Checkout)";

let from: Sandbox;
let to: Sandbox;
let stacks: ProgramWithBackups;
beforeAll(async () => {
  from = await startSandbox({ variant: "self-hosted", seed });
  to = await startSandbox({ variant: "self-hosted", seed: bare });
  stacks = await programWithBackups({ from, to });
});
afterAll(() => stacks[Symbol.asyncDispose]());

/** Runs a command, and returns what it prints. Expects that no id of an alert or a tile is in it. */
async function printed(command: string, exitCode = 0, hours = 0): Promise<string> {
  const parts = async (sandbox: Sandbox): Promise<unknown[]> => {
    const boards = await recordsOn(sandbox, "dashboards");
    return [...boards.flatMap((board) => board["tiles"] as { id: string }[]), ...(await recordsOn(sandbox, "alerts"))];
  };
  const before = [...(await parts(from)), ...(await parts(to))] as { id: string }[];
  const run = await stacks.run(command, hoursLater(hours));
  const text = run.stdout + run.stderr;
  expect(run.exitCode, text).toBe(exitCode);
  expect(before.map(({ id }) => id).filter((id) => text.includes(id))).toEqual([]);
  return text;
}

const page = (name: string): Promise<string> => readFile(join(stacks.cwd, name), "utf8");

/** Leaves only the first tile of the source's dashboard, so that the alert on the second goes, too. */
async function removeTiles(): Promise<void> {
  const [board] = await recordsOn(from, "dashboards");
  if (board === undefined) throw new Error("there is no dashboard");
  await changeDashboard(from, board, { tiles: (board["tiles"] as unknown[]).slice(0, 1) });
}

describe("records and tiles without a name are called by no id", () => {
  test("by an export, of a silence and of a tile that the API does not show", async () => {
    const text = await printed("export --from from --out first.zip");
    expect(text).toContain('("on Latency (Checkout)")');
    expect(text).toContain('"Checkout": tile 3');
  });

  test("by an import, its plan and its result", async () => {
    const text = await printed("migrate --from from --to to --yes", 0, 1);
    expect(text).toMatch(/silenced .* notify at once.*"on Latency \(Checkout\)"/);
    expect(text).toContain('"tile 3"');
  });

  test("by a page and a picture of an archive", async () => {
    await stacks.run("report first.zip --out first.html");
    expect(await page("first.html")).toContain(SECOND);
    const { stdout } = await stacks.run("report first.zip");
    expect(stdout).toContain(SECOND);
    expect(stdout).toContain("tile 2 on Checkout");
  });

  test("by updates that would delete the alert, merges, and mirrors that do", async () => {
    await stacks.run("backup from --to place", hoursLater(1));
    await removeTiles();
    const update = "migrate --from from --to to --dry-run --on-conflict overwrite";
    expect(await printed(update, 3, 2)).toMatch(/\(would-delete-alerts\)\n→ .*: on tile 2 \(Checkout\)/);
    const merge = "migrate --from from --to to --dry-run --on-conflict merge";
    expect(await printed(merge, 0, 3)).toContain("left as on the target: tile number 2 (kept)");
    const mirror = "migrate --from from --to to --mirror --on-conflict overwrite";
    expect(await printed(`${mirror} --dry-run`, 0, 4)).toContain(`- delete alert "${SECOND}"`);
    expect(await printed(`${mirror} --yes`, 0, 5)).toContain(`- deleted alert "${SECOND}"`);
  });

  test("by a rollback", async () => {
    expect(await printed("rollback --to to --run 2 --dry-run", 0, 6)).toContain(SECOND);
    await printed("rollback --to to --run 2 --yes", 0, 7);
  });

  test("by the history of the backups, and a search in them", async () => {
    await printed("backup from --to place", 0, 8);
    const log = await stacks.run("log place/from", hoursLater(9));
    expect(log.stdout, log.stderr).toContain(SECOND);
    const found = await stacks.json(`list place --include ${hexId("a", 33)}`, hoursLater(9));
    expect(found).toMatchObject({ found: [{ records: [{ name: "", displayName: SECOND }] }] });
    expect((await stacks.run(`list place --include ${hexId("a", 33)}`, hoursLater(9))).stdout).toContain(
      `alert "${SECOND}"`,
    );
    await stacks.run("report place/from --out log.html", hoursLater(9));
    expect(await page("log.html")).toContain(SECOND);
  });

  test("by comparisons, in text and Markdown", async () => {
    await stacks.run("export --from from --out last.zip");
    expect((await stacks.run("diff first.zip last.zip")).stdout).toContain(SECOND);
    const text = await printed("diff first.zip last.zip --markdown");
    expect(text).toContain(`alert "${SECOND}"`);
    expect(text).toContain("tile number 2");
  });
});

test("an alert without a name is called in a plan by what it watches, and one with a name by nothing else", async () => {
  const alerts = ["", "Busy"].map((name, at) => alert(hexId("a", 40 + at), name, checkout, hook));
  const stack = memoryStack({ ...bare, dashboards: [], alerts: [] });
  const { items } = await planInto(stack, records({ ...bare, dashboards: [checkout], alerts }));
  expect(items.flatMap(({ kind, displayName }) => (kind === "alerts" ? [displayName] : []))).toEqual([
    "on Latency (Checkout)",
    undefined,
  ]);
});
