import { expect, test } from "vitest";
import type { Interceptor } from "../../src/sandbox/options.ts";
import { dashboard, hexId, linkingTable, tileWith } from "../support/stack-records.ts";
import { programForTwoStacks } from "../support/program.ts";
import { emptySeed } from "../support/program-with-archive.ts";

const COUNT = 8;

/** Counts the largest number of updates at the same time: of one dashboard, and of all dashboards. */
function countParallelUpdates() {
  const running = new Map<string, number>();
  const maximum = { ofOne: 0, ofAll: 0, updates: 0 };
  const intercept: Interceptor = async (request, proceed) => {
    if (request.route !== "PUT dashboards/{id}") return proceed();
    const { target } = request;
    running.set(target, (running.get(target) ?? 0) + 1);
    maximum.updates += 1;
    maximum.ofOne = Math.max(maximum.ofOne, ...running.values());
    maximum.ofAll = Math.max(
      maximum.ofAll,
      [...running.values()].reduce((sum, each) => sum + each, 0),
    );
    // Waits long enough for a next update to arrive, if the program sends one meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 40));
    const answer = await proceed();
    running.set(target, (running.get(target) ?? 1) - 1);
    return answer;
  };
  return { maximum, intercept };
}

/** Returns a dashboard that links to its two neighbours in a circle of dashboards, and to itself. */
function circle(letter: "a" | "b", number: number, links: boolean, tags: string[]) {
  const select = [{ aggFn: "count", whereLanguage: "lucene" }];
  const tiles = [1, COUNT - 1, 0].map((step, index) => {
    const linked = linkingTable(hexId(letter, 16 + ((number + step) % COUNT)), hexId(letter, 1));
    const config = { ...linked, select, onClick: links ? linked["onClick"] : undefined };
    return tileWith(hexId("d", number * 16 + index), `To ${step}`, config, { y: index, h: 1 });
  });
  return dashboard(hexId(letter, 16 + number), `Board ${number}`, "", { tiles, tags });
}

/** If two updates of one dashboard are sent at the same time, one may overwrite the other. */
test("no dashboard is updated twice at a time, whatever else is under way", async () => {
  const variant = "self-hosted";
  const numbers = Array.from({ length: COUNT }, (_, index) => index);
  const { maximum, intercept } = countParallelUpdates();
  const wanted = numbers.map((number) => circle("a", number, true, ["new"]));
  const there = numbers.slice(0, 4).map((number) => circle("b", number, false, ["old"]));
  await using stacks = await programForTwoStacks(
    { variant, ids: "hex", seed: { ...emptySeed("a"), dashboards: wanted } },
    { variant, ids: "hex", seed: { ...emptySeed("b"), dashboards: there }, intercept },
  );
  const { run, json } = stacks;
  const words = "--on-conflict overwrite --concurrency 8";
  const updated = await json(`migrate --from $FROM --to $TO ${words}`);
  expect(updated).toMatchObject({ exitCode: 0, counts: { update: 4, create: 4 } });
  expect(maximum).toMatchObject({ ofOne: 1 });
  expect(maximum.ofAll).toBeGreaterThan(1);
  const updates = maximum.updates;
  const back = await run(`rollback --to $TO --run ${String(updated["run"])} --yes`);
  expect(back.exitCode, back.stdout + back.stderr).toBe(0);
  expect(maximum.updates).toBeGreaterThan(updates);
  expect(maximum.ofOne).toBe(1);
});
