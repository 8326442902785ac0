import { describe, expect, it } from "vitest";
import { createBatches } from "../../../src/threads/batches.ts";

/** Batches that end when they are told to, and what became of them so far. */
function batches(most = 2) {
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const add = createBatches<number, string>({
    enough: 10,
    most,
    weigh: (item) => item,
    ask: (batch) => {
      log.push(`ask ${batch.join("+")}`);
      return new Promise((resolve) => ends.push(() => resolve(`answer of ${batch.join("+")}`)));
    },
    take: (batch, answer) => log.push(`${batch.join("+")}: ${answer}`),
  });
  const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await idle();
  };
  return { add, end, idle, log };
}

describe("batches", () => {
  it("are asked for at once when they are complete, no more than may be under way, in their order", async () => {
    const { add, end, log } = batches();
    for (const item of [4, 4, 4, 12, 5, 5, 3]) add(item);
    expect(log).toEqual(["ask 4+4+4", "ask 12"]);
    await end();
    expect(log).toEqual(["ask 4+4+4", "ask 12", "ask 5+5", "4+4+4: answer of 4+4+4"]);
  });

  it("wait for more as long as something is under way", async () => {
    const { add, end, idle, log } = batches();
    add(10);
    add(1);
    await idle();
    add(2);
    await idle();
    expect(log).toEqual(["ask 10"]);
    await end();
    await idle();
    expect(log).toEqual(["ask 10", "10: answer of 10", "ask 1+2"]);
  });

  it("wait for who adds to be done for now", async () => {
    const { add, idle, log } = batches();
    add(1);
    await Promise.resolve();
    add(2);
    expect(log).toEqual([]);
    await idle();
    expect(log).toEqual(["ask 1+2"]);
  });

  it("lose nothing", async () => {
    const { add, end, log } = batches(1);
    const items = Array.from({ length: 50 }, (_, number) => (number * 7) % 13);
    for (const item of items) add(item);
    for (let round = 0; round < items.length; round += 1) await end();
    const asked = log.filter((line) => line.startsWith("ask")).map((line) => line.slice("ask ".length));
    expect(asked.join("+").split("+").map(Number)).toEqual(items);
    expect(log.length).toBe(2 * asked.length);
  });
});
