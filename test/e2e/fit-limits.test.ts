import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { changesOf, readSandbox } from "../support/read-sandbox.ts";
import { documentOf } from "../support/run-cli.ts";
import { twoStacks } from "../support/sandbox-pair.ts";
import { emptyStack } from "../support/small-bench.ts";
import { alert, dashboard, hexId, asListedBy } from "../support/stack-records.ts";
import { allowUndescribed } from "../support/allow-undescribed.ts";

const LONG_TAG = "t".repeat(40);
const wide = dashboard(hexId("a", 16), "Made in the browser", hexId("a", 1), {
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
  sourceId: hexId("a", 1),
  tags: [LONG_TAG],
  filters: [
    { type: "lucene", condition: "ServiceName:checkout" },
    { type: "sql", condition: "ServiceName IN ('checkout', 'a and b')" },
    { type: "sql", condition: "a = 1 OR b = 2" },
  ],
};

const full = {
  ...emptyStack("a"),
  dashboards: [board],
  "saved-searches": [search],
  alerts: [alert(hexId("a", 32), "Busy", board, hexId("a", 2))],
};

async function pair(variant: "self-hosted" | "managed", more: Partial<SandboxSeed> = {}) {
  // The recordings show that the server refuses tiles that are too wide, but none has a tile that begins too far to the right.
  allowUndescribed(/\/x: is out of bounds$/);
  const stacks = await twoStacks(
    { variant, ids: "hex", seed: { ...asListedBy(variant, full), ...more } },
    { variant, ids: "hex", seed: emptyStack("b") },
  );
  const line = "migrate --from $FROM --to $TO --create saved-searches";
  return { ...stacks, migrate: (flags: string) => stacks.run(`${line} ${flags}`) };
}

describe.each(["self-hosted", "managed"] as const)(
  "records that a %s stack returns but refuses to store",
  (variant) => {
    it("are written with --fit-limits, each change named, and a second run writes nothing", async () => {
      await using stacks = await pair(variant);
      const dry = await stacks.migrate("--dry-run --fit-limits");
      expect(dry.stdout).toContain('dashboard "Made in the browser" /tiles/0/w: 24 instead of 30');
      const first = await stacks.migrate("--fit-limits --json --yes --report page.html");
      expect(documentOf(first)).toMatchObject({ exitCode: 0, counts: { create: 3 } });
      expect(documentOf(first)["fitted"]).toEqual([
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
      expect(await readFile(join(first.cwd, "page.html"), "utf8")).toContain("24 instead of 30");
      const dashboards = await readSandbox(stacks.to, "dashboards");
      expect(dashboards).toMatchObject([{ tags: ["t".repeat(32), "short"], tiles: [{ x: 23, w: 24 }] }]);
      expect(await readSandbox(stacks.to, "saved-searches")).toMatchObject([
        { tags: ["t".repeat(32)], filters: [{ condition: "ServiceName IN ('checkout', 'a and b')" }] },
      ]);
      expect((await readSandbox(stacks.to, "alerts")).map(({ name }) => name)).toEqual(["Busy"]);
      expect(changesOf(stacks.to)).toBe(3);

      const again = documentOf(await stacks.migrate("--fit-limits --json --yes --on-conflict update"));
      expect(again).toMatchObject({ exitCode: 0, counts: { unchanged: 2 } });
      expect(changesOf(stacks.to)).toBe(3);
    });
  },
);

describe("a label", () => {
  it("is checked against the limits of names and tags like the record's own", async () => {
    const plain = dashboard(hexId("a", 16), "n".repeat(1020), hexId("a", 1));
    await using stacks = await pair("self-hosted", { dashboards: [plain], alerts: [], "saved-searches": [] });
    const labels = `--name-prefix "copy " --tag ${"u".repeat(33)}`;
    const blocked = documentOf(await stacks.migrate(`${labels} --dry-run --json`));
    expect(blocked["outcomes"]).toContainEqual(
      expect.objectContaining({
        code: "needs-fitting",
        message: expect.stringMatching(/\/name: the first 1024 of 1025.*\/tags\/0: the first 32 of 33/),
      }),
    );
    expect(documentOf(await stacks.migrate(`${labels} --fit-limits --json --yes`))).toMatchObject({ exitCode: 0 });
    expect(await readSandbox(stacks.to, "dashboards")).toMatchObject([{ tags: ["u".repeat(32)] }]);
    const again = documentOf(await stacks.migrate(`${labels} --fit-limits --json --yes`));
    expect(again).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
  });
});
