import { expect } from "vitest";
import { archiveOf, newStage } from "../../support/import-samples.ts";
import type { ImportStage, JsonObject, RunOptions, StackRecord } from "../../support/import-stage.ts";
import type { MemoryStack } from "../../support/memory-stack.ts";
import { recordOn } from "../../support/on-stack.ts";
import { archiveIds, dashboard, hexId, linkingTable, tileWith } from "../../support/stack-records.ts";

/** Returns a dashboard with one table tile for each dashboard in `to`; a click on the tile leads there. */
export function linking(number: number, name: string, to: readonly number[]): JsonObject {
  const tiles = to.map((each) =>
    tileWith(hexId("d", number * 16 + each), `To ${each}`, linkingTable(hexId("a", each), archiveIds.source)),
  );
  return dashboard(hexId("a", number), name, "", { tiles });
}

/** Returns a dashboard with this text, in which a test puts the id of another dashboard. */
export function mentioning(number: number, name: string, markdown: string): JsonObject {
  const tiles = [tileWith(hexId("d", number), "Notes", { displayType: "markdown", markdown })];
  return dashboard(hexId("a", number), name, "", { tiles });
}

export const circle = archiveOf(linking(16, "One", [17]), linking(17, "Two", [16]));
export const chain = archiveOf(linking(16, "One", [17]), linking(17, "Two", []), linking(18, "Three", [17]));

/** Returns the id that a dashboard has on the target. */
export const idOf = (stack: MemoryStack, name: string): string => recordOn(stack, "dashboards", name).id;
/** Returns, for each tile, the id to which a click on it leads. */
export const linksOf = (body: object): unknown[] =>
  (body as { tiles: { config: { onClick?: { target: { id: string } } } }[] }).tiles.map(
    ({ config }) => config.onClick?.target.id,
  );

/** Expects that this dashboard's links on the target lead to exactly these dashboards. */
export function expectLinks(stack: MemoryStack, name: string, ...to: readonly string[]): void {
  const links = linksOf(recordOn(stack, "dashboards", name));
  expect(links, name).toEqual(to.map((each) => idOf(stack, each)));
}

/** Imports an archive onto a stack that has none of its records. */
export async function imported(
  archive: readonly StackRecord[],
  options: RunOptions = {},
): Promise<{ stack: MemoryStack; stage: ImportStage }> {
  const { stack, stage } = newStage();
  expect((await stage.run(archive, options)).exitCode).toBe(0);
  return { stack, stage };
}
