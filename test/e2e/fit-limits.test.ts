import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { recordsOn } from "../support/on-stack.ts";
import { changeCount } from "../support/read-sandbox.ts";
import { programForTwoStacks } from "../support/program.ts";
import { emptySeed } from "../support/program-with-archive.ts";
import { alert, dashboard, hexId, archiveIds } from "../support/stack-records.ts";
import { allowUndescribed } from "../support/allow-undescribed.ts";

const LONG_TAG = "t".repeat(40);
const wide = dashboard(hexId("a", 16), "Made in the browser", archiveIds.source, {
  tags: [LONG_TAG, `${"t".repeat(32)}!`, "short"],
});
const tile = (more: JsonObject): JsonObject => ({
  ...(wide["tiles"] as readonly JsonObject[])[0],
  ...more,
});
const board = { ...wide, tiles: [tile({ w: 30, x: 24 })] };
const search = {
  id: hexId("a", 48),
  name: "UI made",
  sourceId: archiveIds.source,
  tags: [LONG_TAG],
  filters: [
    { type: "lucene", condition: "ServiceName:checkout" },
    { type: "sql", condition: "ServiceName IN ('checkout', 'a and b')" },
    { type: "sql", condition: "a = 1 OR b = 2" },
  ],
};

const full = {
  ...emptySeed("a"),
  dashboards: [board],
  "saved-searches": [search],
  alerts: [alert(hexId("a", 32), "Busy", board, archiveIds.webhook)],
};

it("--fit-limits writes records that a stack returns but refuses to store, each change named, once", async () => {
  // The recordings show that the server refuses tiles that are too wide, but none has a tile that begins too far to the right.
  allowUndescribed(/\/x: is out of bounds$/);
  const variant = "self-hosted";
  await using stacks = await programForTwoStacks({ variant, seed: full }, { variant, seed: emptySeed("b") });
  const { to, run, json, cwd } = stacks;
  const line = "migrate --from $FROM --to $TO --create saved-searches --fit-limits";
  const dry = await run(`${line} --dry-run`);
  expect(dry.stdout).toContain('dashboard "Made in the browser" /tiles/0/w: 24 instead of 30');
  const first = await json(`${line} --report page.html`);
  expect(first).toMatchObject({ exitCode: 0, counts: { create: 3 } });
  expect(first["fitted"]).toEqual([
    {
      kind: "saved-searches",
      name: "UI made",
      sourceId: hexId("a", 48),
      fitted: [
        { pointer: "/tags/0", change: "the first 32 of 40 characters" },
        { pointer: "/filters/0", change: expect.stringContaining("left out") },
        { pointer: "/filters/2", change: expect.stringContaining("left out") },
      ],
    },
    {
      kind: "dashboards",
      name: "Made in the browser",
      sourceId: hexId("a", 16),
      fitted: [
        { pointer: "/tags/0", change: "the first 32 of 40 characters" },
        { pointer: "/tags/1", change: "the first 32 of 33 characters" },
        { pointer: "/tiles/0/x", change: "23 instead of 24" },
        { pointer: "/tiles/0/w", change: "24 instead of 30" },
      ],
    },
  ]);
  expect(await readFile(join(cwd, "page.html"), "utf8")).toContain("24 instead of 30");
  const dashboards = await recordsOn(to, "dashboards");
  expect(dashboards).toMatchObject([{ tags: ["t".repeat(32), "short"], tiles: [{ x: 23, w: 24 }] }]);
  expect(await recordsOn(to, "saved-searches")).toMatchObject([
    { tags: ["t".repeat(32)], filters: [{ condition: "ServiceName IN ('checkout', 'a and b')" }] },
  ]);
  expect((await recordsOn(to, "alerts")).map(({ name }) => name)).toEqual(["Busy"]);
  expect(changeCount(to)).toBe(3);

  expect(await json(`${line} --on-conflict overwrite`)).toMatchObject({ exitCode: 0, counts: { unchanged: 2 } });
  expect(changeCount(to)).toBe(3);
});
