import { expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import { alert, dashboard, hexId, shownBy, tileWith } from "../support/stack-records.ts";
import { twoStacks } from "../support/sandbox-pair.ts";
import { emptyStack } from "../support/small-bench.ts";

const DASHBOARDS = 20;
const ALERTS = 30;
const TILES = ["Requests", "Errors", "Latency"];
const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

/** The same twenty dashboards by name, each stack with ids of its own, and tiles in its own order. */
function stackOf(letter: "a" | "b", tileLetter: "c" | "d", tiles: readonly string[], more: JsonObject = {}) {
  const select = [{ aggFn: "count", where: "", whereLanguage: "lucene" }];
  const config = { displayType: "line", fillNulls: true, sourceId: hexId(letter, 1), select, ...more };
  const tile = (number: number, name: string, at: number): JsonObject =>
    tileWith(hexId(tileLetter, number * 10 + TILES.indexOf(name)), name, config, { x: at * 8, w: 8 });
  return {
    ...emptyStack(letter),
    dashboards: upTo(DASHBOARDS).map((number) =>
      dashboard(hexId(letter, 16 + number), `Dashboard ${number}`, "", {
        tiles: tiles.map((name, at) => tile(number, name, at)),
      }),
    ),
  };
}

it.each(["self-hosted", "managed"] as const)(
  "an update of 20 dashboards leaves all 30 alerts of a %s target as they are, with their ids",
  async (variant) => {
    const theirs = stackOf("b", "d", TILES);
    // Alerts that only the target has, spread over the tiles.
    const alerts = upTo(ALERTS).map((number) => {
      const tileId = hexId("d", (number % DASHBOARDS) * 10 + (number % TILES.length));
      const board = theirs.dashboards[number % DASHBOARDS] ?? {};
      return alert(hexId("b", 100 + number), `Alert ${number}`, board, hexId("b", 2), { tileId });
    });
    const ours = {
      variant: "self-hosted",
      seed: stackOf("a", "c", TILES.toReversed(), { groupBy: "ServiceName" }),
    } as const;
    await using stacks = await twoStacks(ours, { variant, ids: "hex", seed: shownBy(variant, { ...theirs, alerts }) });
    const { run, json, to } = stacks;
    const before = await readSandbox(to, "alerts");
    expect(before).toHaveLength(ALERTS);
    await run("export --from $FROM --out a.zip --quiet");
    const line = "import a.zip --to $TO --on-conflict update";
    expect(await json(line)).toMatchObject({ exitCode: 0, counts: { update: DASHBOARDS } });
    expect(await readSandbox(to, "alerts")).toEqual(before);
    const after = await readSandbox(to, "dashboards");
    expect(after).toHaveLength(DASHBOARDS);
    for (const { tiles } of after) expect(JSON.stringify(tiles)).toContain("ServiceName");
    expect(await json(`${line} --journal other`)).toMatchObject({ exitCode: 0, counts: { unchanged: DASHBOARDS } });
  },
);
