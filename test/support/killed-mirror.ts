import { expect } from "vitest";
import { changeOn, recordOn, sortedNamesOn } from "./on-stack.ts";
import { importStage, writesOn } from "./import-stage.ts";
import { memoryStack, type MemoryStack } from "./memory-stack.ts";
import { board } from "./import-samples.ts";
import { alertOn, archive, mirror, stageAfterImportOf, type MirrorStage as Stage } from "./mirror-stage.ts";
import { alert, hexId, archiveIds } from "./stack-records.ts";

const follow = { ...mirror, concurrency: 1 } as const;

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

/** Forty dashboards with seven alerts. */
export const EARLIER = archive(
  range(16, 56).map((number) => board(number)),
  [20, 36, 37, 38, 39, 46, 47].map(alertOn),
);

/** The same stack later: twenty dashboards are renamed, ten deleted with four alerts, one changed; a dashboard and an alert are new. */
export const LATER = archive(
  [
    ...range(16, 36).map((number) => board(number, { name: `Renamed ${number}` })),
    ...range(46, 55).map((number) => board(number)),
    board(55, { tags: ["new"] }),
    board(60),
  ],
  [...[20, 46, 47].map(alertOn), alert(hexId("a", 1060), "Alert 60", board(60), archiveIds.webhook)],
);

let made: Promise<Stage> | undefined;

/** Makes a target, imports `EARLIER` and edits five records by hand. The result is the same each time. */
export async function targetBehindSource(): Promise<Stage> {
  made ??= makeEdited();
  const { stack, stage } = await made;
  const copy = memoryStack(Object.fromEntries([...stack.records].map(([kind, of]) => [kind, [...of.values()]])));
  const again = importStage(copy);
  again.history.push(...stage.history);
  return { stack: copy, stage: again };
}

async function makeEdited(): Promise<Stage> {
  const made = await stageAfterImportOf(EARLIER);
  // In `LATER`, these dashboards are renamed, deleted, changed and unchanged; the alert is on a deleted dashboard.
  for (const number of [17, 40, 55, 50]) changeOn(made.stack, "dashboards", { tags: ["theirs"] }, `Board ${number}`);
  changeOn(made.stack, "alerts", { threshold: 99 }, "Alert 39");
  return made;
}

/** Expects no doubled record, the deletions of the source, and the edits of deleted records. */
export function expectSourceFollowed(stack: MemoryStack): void {
  const numbers = [...range(46, 56), 39, 40, 60].map((number) => `Board ${number}`);
  expect(sortedNamesOn(stack)).toEqual([...numbers, ...range(16, 36).map((number) => `Renamed ${number}`)].toSorted());
  expect(sortedNamesOn(stack, "alerts")).toEqual(["Alert 20", "Alert 39", "Alert 46", "Alert 47", "Alert 60"]);
  const tags = (name: string): unknown => recordOn(stack, "dashboards", name)["tags"];
  expect(["Renamed 17", "Board 40", "Board 50", "Board 55"].map(tags)).toEqual([[], ["theirs"], [], ["new"]]);
}

/** Returns the number of writes of a run that is not killed. */
export async function writesToFollow(): Promise<number> {
  const { stack, stage } = await targetBehindSource();
  await stage.run(LATER, follow);
  return writesOn(stack).length;
}

/** Kills a run at a write, before or after the write is carried out. Expects that the next run ends as if nothing had happened. */
export async function followAfterKill(moment: "intercept" | "interceptAfter", kill: number): Promise<void> {
  const { stack, stage } = await targetBehindSource();
  let seen = 0;
  stack[moment] = (operation) => {
    if (!/^(?:create|update|delete)/.test(operation)) return;
    seen += 1;
    if (seen >= kill) throw new Error("killed");
  };
  await expect(stage.run(LATER, follow)).rejects.toThrow("killed");
  // Waits for the requests that the killed run had begun.
  await new Promise((resolve) => setTimeout(resolve, 1));
  stack[moment] = () => {};
  await stage.run(LATER, follow);
  expectSourceFollowed(stack);
  stack.requests.length = 0;
  await stage.run(LATER, follow);
  expect(writesOn(stack), `${moment} ${kill}`).toEqual([]);
}
