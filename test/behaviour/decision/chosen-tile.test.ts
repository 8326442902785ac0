import { expect, it } from "vitest";
import type { JsonObject } from "../../support/import-stage.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { programForTwoStacks } from "../../support/program.ts";
import { emptySeed } from "../../support/program-with-archive.ts";
import { changeDashboard } from "../../support/read-sandbox.ts";
import { dashboard, hexId, tileWith } from "../../support/stack-records.ts";

const errors = (id: string, where: string): JsonObject => {
  const select = [{ aggFn: "count", where, whereLanguage: "lucene" }];
  return tileWith(id, "Errors", { displayType: "line", sourceId: hexId("a", 1), fillNulls: true, select });
};

it("a chosen tile is added beside the imported tile of its name that the source has removed", async () => {
  const variant = "self-hosted";
  const board = dashboard(hexId("a", 16), "Errors of all", hexId("a", 1), {
    tiles: [errors(hexId("a", 20), "level:error")],
  });
  const seed = { ...emptySeed("a"), dashboards: [board] };
  await using stacks = await programForTwoStacks({ variant, seed }, { variant, seed: emptySeed("b") });
  expect((await stacks.run("migrate --from $FROM --to $TO --yes")).exitCode).toBe(0);
  const [stored] = await recordsOn(stacks.from, "dashboards");
  if (stored === undefined) throw new Error("there is no dashboard");
  await changeDashboard(stacks.from, stored, { tiles: [errors(hexId("a", 21), "level:fatal")] });

  expect((await stacks.run("export --from $FROM --out a.zip")).exitCode).toBe(0);
  const line = 'import a.zip --to $TO --include "Errors of all" --tile Errors --yes';
  expect(await stacks.json(line)).toMatchObject({ exitCode: 0, counts: { update: 1 } });

  const [written] = await recordsOn(stacks.to, "dashboards");
  if (written === undefined) throw new Error("there is no dashboard");
  const tiles = written["tiles"] as { config: { select: { where: string }[] } }[];
  expect(tiles.map(({ config }) => config.select[0]?.where)).toEqual(["level:error", "level:fatal"]);
});
