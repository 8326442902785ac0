import { expect } from "vitest";
import type { ImportStage, JsonObject, StackRecord } from "./import-stage.ts";
import { rememberingStage, storedRecords, writesOn } from "./import-stage.ts";
import type { MemoryStack } from "./memory-stack.ts";
import { memoryStack } from "./memory-stack.ts";
import { alert, dashboard, hexId, records, source, webhook } from "./stack-records.ts";

interface Stage {
  readonly stack: MemoryStack;
  readonly stage: ImportStage;
}

const update = { onConflict: "update", source: { variant: "self-hosted", baseUrl: "http://other.test" } } as const;
const mirror = { ...update, mirror: {}, concurrency: 1 } as const;

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
const board = (number: number, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), `Board ${number}`, hexId("a", 1), more);
const alertOn = (number: number): JsonObject =>
  alert(hexId("a", 1000 + number), `Alert ${number}`, board(number), hexId("a", 2));

function archive(dashboards: readonly JsonObject[], alerts: readonly JsonObject[]): StackRecord[] {
  const logs = source(hexId("a", 1), "Logs", hexId("c", 1));
  return records({ dashboards, alerts, sources: [logs], webhooks: [webhook(hexId("a", 2), "oncall")] });
}

/** Forty dashboards with seven alerts. */
export const EARLIER = archive(
  range(16, 56).map((number) => board(number)),
  [20, 36, 37, 38, 39, 46, 47].map(alertOn),
);

/** Twenty renames, ten dashboards and four of their alerts gone, one dashboard changed, a dashboard and an alert new. */
export const LATER = archive(
  [
    ...range(16, 36).map((number) => board(number, { name: `Renamed ${number}` })),
    ...range(46, 55).map((number) => board(number)),
    board(55, { tags: ["new"] }),
    board(60),
  ],
  [...[20, 46, 47].map(alertOn), alert(hexId("a", 1060), "Alert 60", board(60), hexId("a", 2))],
);

let made: Promise<Stage> | undefined;

/** The target as the import of `EARLIER` and five hand edits have left it: the same each time. */
export async function movedOn(): Promise<Stage> {
  made ??= makeEdited();
  const { stack, stage } = await made;
  const copy = memoryStack(Object.fromEntries([...stack.records].map(([kind, of]) => [kind, [...of.values()]])));
  const again = rememberingStage(copy);
  again.memory = stage.memory;
  return { stack: copy, stage: again };
}

async function makeEdited(): Promise<Stage> {
  const there = {
    sources: [source(hexId("b", 1), "Logs", hexId("c", 2))],
    webhooks: [webhook(hexId("b", 2), "oncall")],
  };
  const stack = memoryStack({ dashboards: [], alerts: [], ...there });
  const stage = rememberingStage(stack);
  await stage.run(EARLIER, update);
  // Of one that was renamed, one that is gone, one that has changed, one that has not, and an alert of one that is gone.
  for (const number of [17, 40, 55, 50]) edit(stack, "dashboards", `Board ${number}`, { tags: ["theirs"] });
  edit(stack, "alerts", "Alert 39", { threshold: 99 });
  return { stack, stage };
}

function edit(stack: MemoryStack, kind: string, name: string, change: JsonObject): void {
  const body = theOne(stack, kind, name);
  stack.records.get(kind)?.set(String(body["id"]), { ...body, ...change });
}

function theOne(stack: MemoryStack, kind: string, name: string): JsonObject {
  const [found] = storedRecords(stack, kind).filter((body) => body["name"] === name);
  return found as JsonObject;
}

/** Nothing is doubled, what is gone is gone, and nobody's edits of what is gone or has not changed are lost. */
export function expectFollowed(stack: MemoryStack): void {
  const names = (kind: string): string[] =>
    storedRecords(stack, kind)
      .map(({ name }) => String(name))
      .toSorted();
  const numbers = [...range(46, 56), 39, 40, 60].map((number) => `Board ${number}`);
  expect(names("dashboards")).toEqual([...numbers, ...range(16, 36).map((number) => `Renamed ${number}`)].toSorted());
  expect(names("alerts")).toEqual(["Alert 20", "Alert 39", "Alert 46", "Alert 47", "Alert 60"]);
  const tags = (name: string): unknown => theOne(stack, "dashboards", name)["tags"];
  expect(["Renamed 17", "Board 40", "Board 50", "Board 55"].map(tags)).toEqual([[], ["theirs"], ["theirs"], ["new"]]);
}

/** How many writes a run takes that nobody kills. */
export async function writesToFollow(): Promise<number> {
  const { stack, stage } = await movedOn();
  await stage.run(LATER, mirror);
  return writesOn(stack).length;
}

/** Kills the run at a write, before it is carried out or after it, and expects that the next run ends as if nothing had been. */
export async function followAfterKill(moment: "intercept" | "interceptAfter", kill: number): Promise<void> {
  const { stack, stage } = await movedOn();
  let seen = 0;
  stack[moment] = (operation) => {
    if (!/^(?:create|update|delete)/.test(operation)) return;
    seen += 1;
    if (seen >= kill) throw new Error("killed");
  };
  await expect(stage.run(LATER, mirror)).rejects.toThrow("killed");
  // What the dead run had begun is dead, too.
  await new Promise((resolve) => setTimeout(resolve, 1));
  stack[moment] = () => {};
  await stage.run(LATER, mirror);
  expectFollowed(stack);
  stack.requests.length = 0;
  await stage.run(LATER, mirror);
  expect(writesOn(stack), `${moment} ${kill}`).toEqual([]);
}
