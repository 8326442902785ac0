import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../support/import-stage.ts";
import { changeCount } from "../../support/read-sandbox.ts";
import { programForTwoStacks } from "../../support/program.ts";
import { emptySeed } from "../../support/program-with-archive.ts";
import { alert, dashboard, hexId, tileWith } from "../../support/stack-records.ts";

// Two tiles of one id: a stack may hold them and shows them, but refuses every write that has the id twice (recordings 61, 512).

/** Returns a stack with a dashboard of two tiles that have one id, and an alert on the first of them. */
function stackWith(letter: "a" | "b", queries: readonly string[], tags: readonly string[] = []) {
  const [logs, tileId] = [hexId(letter, 1), hexId(letter, 20)];
  const tiles = queries.map((where, at) => {
    const select = [{ aggFn: "count", where, whereLanguage: "lucene" }];
    const config = { displayType: "line", sourceId: logs, fillNulls: true, select };
    return tileWith(tileId, `Tile ${at}`, config, { y: at * 3 });
  });
  const board = dashboard(hexId(letter, 16), "Doubled", logs, { tiles, tags });
  return {
    ...emptySeed(letter),
    dashboards: [board],
    alerts: [alert(hexId(letter, 32), "Busy", board, hexId(letter, 2))],
  };
}

const tilesOf = (stored: readonly object[]) =>
  ((stored[0] as JsonObject | undefined)?.["tiles"] ?? []) as readonly JsonObject[];
const queriesOf = (stored: readonly object[]) =>
  tilesOf(stored).map(({ config }) => (config as { select: readonly { where: string }[] }).select[0]?.where);

describe("a dashboard with two tiles of one id", () => {
  it("is created with the alert on the first tile, and is written once", async () => {
    const variant = "self-hosted";
    const seed = stackWith("a", ["x", "y"]);
    await using stacks = await programForTwoStacks({ variant, seed }, { variant, seed: emptySeed("b") });
    const line = "migrate --from $FROM --to $TO --on-conflict overwrite --yes";
    expect(await stacks.json(line)).toMatchObject({ exitCode: 0, counts: { create: 2 } });
    const { dashboards, alerts } = stacks.to.stored();
    expect(queriesOf(dashboards)).toEqual(["x", "y"]);
    expect(alerts).toMatchObject([{ tileId: tilesOf(dashboards)[0]?.["id"] }]);
    const written = changeCount(stacks.to);
    expect(await stacks.json(line)).toMatchObject({ exitCode: 0, counts: { unchanged: 2 } });
    expect(changeCount(stacks.to)).toBe(written);
  });

  it("on the target loses neither when one of them is taken from the archive", async () => {
    const variant = "self-hosted";
    const seeds = [stackWith("a", ["z", "new"]), stackWith("b", ["x", "y"])] as const;
    await using stacks = await programForTwoStacks({ variant, seed: seeds[0] }, { variant, seed: seeds[1] });
    expect((await stacks.run("export --from $FROM --out a.zip")).exitCode).toBe(0);
    const line = 'import a.zip --to $TO --include Doubled --tile "Tile 0" --yes';
    expect(await stacks.json(line)).toMatchObject({ exitCode: 0, counts: { update: 1 } });
    expect(queriesOf(stacks.to.stored().dashboards)).toEqual(["z", "y"]);
  });

  it.each([
    ["the archive", stackWith("a", ["x", "z"]), { ...stackWith("b", ["x", "y"]) }, true],
    ["the target", stackWith("a", ["x", "z"]), stackWith("b", ["x", "y"]), false],
  ])("in %s is updated, keeps the alert on the first tile, and is written once", async (_, from, to, isDistinct) => {
    const variant = "self-hosted";
    const [board] = to.dashboards as readonly JsonObject[];
    const distinct = tilesOf([board ?? {}]).map((tile, at) => ({ ...tile, id: hexId("b", 20 + at) }));
    const held = isDistinct ? { ...to, dashboards: [{ id: "", ...board, tiles: distinct }] } : to;
    await using stacks = await programForTwoStacks({ variant, seed: from }, { variant, seed: held });
    const line = "migrate --from $FROM --to $TO --on-conflict overwrite --yes";
    const first = await stacks.json(line);
    expect(first).toMatchObject({ exitCode: 0, counts: { update: 1 } });
    expect(queriesOf(stacks.to.stored().dashboards)).toEqual(["x", "z"]);
    const [one, other] = tilesOf(stacks.to.stored().dashboards);
    expect([one?.["id"], one?.["id"] === other?.["id"]]).toEqual([hexId("b", 20), false]);
    expect(stacks.to.stored().alerts).toMatchObject([{ tileId: hexId("b", 20) }]);
    const written = changeCount(stacks.to);
    expect(await stacks.json(line)).toMatchObject({ exitCode: 0, counts: { unchanged: 2 } });
    expect(changeCount(stacks.to)).toBe(written);
  });
});
