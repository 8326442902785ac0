import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documentOf } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import { emptyStack, outcomesOf, smallBench } from "../support/small-bench.ts";
import { hexId, source } from "../support/stack-records.ts";

/** The target has two sources of the name that the archive's source has. */
function twoLogs(): Promise<SmallBench> {
  const seed = emptyStack("b");
  return smallBench({ ...seed, sources: [...(seed.sources ?? []), source(hexId("b", 4), "Logs", hexId("b", 8))] });
}

it.each([
  ["where dashboards need one of them", [], 3],
  ["where nothing that is written needs one of them", ["--kinds", "sources,saved-searches"], 0],
] as const)("two sources of one name are ambiguous, and the drafted map asks which, %s", async (_, more, exitCode) => {
  await using stage = await twoLogs();
  const run = await stage.import("--dry-run", "--draft-map", "map.yaml", ...more);
  expect(run.exitCode, run.stdout).toBe(exitCode);
  const { unresolved } = documentOf(run);
  const candidates = [{ id: hexId("b", 1) }, { id: hexId("b", 4) }];
  expect(unresolved).toMatchObject([{ space: "sources", id: hexId("a", 1), reason: "ambiguous", candidates }]);
  expect(outcomesOf(run)).toContainEqual(expect.objectContaining({ kind: "sources", code: "ambiguous-source" }));
  const map = await readFile(join(stage.cwd, "map.yaml"), "utf8");
  for (const id of [hexId("a", 1), hexId("b", 1), hexId("b", 4)]) expect(map).toContain(id);
  const before = outcomesOf(run).filter(({ action }) => action === "create");
  expect(before).toEqual([]);
});
