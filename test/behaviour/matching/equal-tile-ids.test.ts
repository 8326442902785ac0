import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../support/import-stage.ts";
import { changeCount } from "../../support/read-sandbox.ts";
import { programForTwoStacks, type ProgramForTwoStacks } from "../../support/program.ts";
import { emptySeed } from "../../support/program-with-archive.ts";
import { alert, dashboard, hexId, tileWith } from "../../support/stack-records.ts";

// Two tiles of one id: a stack may hold them and shows them, but refuses every write that has the id twice (recordings 61, 512).

/** Returns a stack with a dashboard of a tile for each query, and an alert on the first of them. */
function stackWith(letter: "a" | "b", queries: readonly string[], areDistinct = false) {
  const logs = hexId(letter, 1);
  const tiles = queries.map((where, at) => {
    const select = [{ aggFn: "count", where, whereLanguage: "lucene" }];
    const config = { displayType: "line", sourceId: logs, fillNulls: true, select };
    return tileWith(hexId(letter, areDistinct ? 20 + at : 20), `Tile ${at}`, config, { y: at * 3 });
  });
  const board = dashboard(hexId(letter, 16), "Doubled", logs, { tiles });
  const alerts = [alert(hexId(letter, 32), "Busy", board, hexId(letter, 2))];
  return { ...emptySeed(letter), dashboards: [board], alerts };
}

type Seed = Parameters<typeof programForTwoStacks>[0]["seed"];
const twoStacks = (from: Seed, to: Seed): Promise<ProgramForTwoStacks> =>
  programForTwoStacks({ variant: "self-hosted", seed: from }, { variant: "self-hosted", seed: to });

const tilesOn = ({ to }: ProgramForTwoStacks): JsonObject[] =>
  to.stored().dashboards.flatMap(({ tiles }) => tiles as JsonObject[]);
const queriesOn = (stacks: ProgramForTwoStacks): unknown[] =>
  tilesOn(stacks).map(({ config }) => (config as { select: readonly { where: string }[] }).select[0]?.where);

/** Migrates twice. Expects these counts, and no write of the second run. */
async function migrateTwice(stacks: ProgramForTwoStacks, counts: Readonly<Record<string, number>>): Promise<void> {
  const line = "migrate --from $FROM --to $TO --on-conflict overwrite --yes";
  expect(await stacks.json(line)).toMatchObject({ exitCode: 0, counts });
  const written = changeCount(stacks.to);
  expect(await stacks.json(line)).toMatchObject({ exitCode: 0, counts: { unchanged: 2 } });
  expect(changeCount(stacks.to)).toBe(written);
}

describe("a dashboard with two tiles of one id", () => {
  it("is created with the alert on the first tile, and is written once", async () => {
    await using stacks = await twoStacks(stackWith("a", ["x", "y"]), emptySeed("b"));
    await migrateTwice(stacks, { create: 2 });
    expect(queriesOn(stacks)).toEqual(["x", "y"]);
    expect(stacks.to.stored().alerts).toMatchObject([{ tileId: tilesOn(stacks)[0]?.["id"] }]);
  });

  it("on the target loses neither when one of them is taken from the archive", async () => {
    await using stacks = await twoStacks(stackWith("a", ["z", "new"]), stackWith("b", ["x", "y"]));
    expect((await stacks.run("export --from $FROM --out a.zip")).exitCode).toBe(0);
    const line = 'import a.zip --to $TO --include Doubled --tile "Tile 0" --yes';
    expect(await stacks.json(line)).toMatchObject({ exitCode: 0, counts: { update: 1 } });
    expect(queriesOn(stacks)).toEqual(["z", "y"]);
  });

  it.each([
    ["the archive alone", true],
    ["both stacks", false],
  ])("in %s is updated, keeps the alert on the first tile, and is written once", async (_, areDistinct) => {
    await using stacks = await twoStacks(stackWith("a", ["x", "z"]), stackWith("b", ["x", "y"], areDistinct));
    await migrateTwice(stacks, { update: 1 });
    expect(queriesOn(stacks)).toEqual(["x", "z"]);
    const [one, other] = tilesOn(stacks).map(({ id }) => id);
    expect([one, one === other]).toEqual([hexId("b", 20), false]);
    expect(stacks.to.stored().alerts).toMatchObject([{ tileId: hexId("b", 20) }]);
  });
});
