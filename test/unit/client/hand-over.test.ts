import { describe, expect, test } from "vitest";
import { handOver } from "../../../src/client/hand-over.ts";

describe("handing over", () => {
  test("gives every item, then the result, no faster than they are taken", async () => {
    const log: string[] = [];
    const items = handOver<number, string>(async (give) => {
      for (const item of [1, 2, 3]) {
        await give(item);
        log.push(`taken ${item}`);
      }
      return "done";
    });
    expect(await items.next()).toEqual({ done: false, value: 1 });
    await Promise.resolve();
    expect(log).toEqual([]);
    expect(await items.next()).toEqual({ done: false, value: 2 });
    expect(log).toEqual(["taken 1"]);
    expect(await items.next()).toEqual({ done: false, value: 3 });
    expect(await items.next()).toEqual({ done: true, value: "done" });
  });

  test("what the operation throws reaches the reader, after what it gave", async () => {
    const items = handOver(async (give: (item: number) => Promise<void>) => {
      await give(1);
      throw new Error("broken");
    });
    expect(await items.next()).toEqual({ done: false, value: 1 });
    await expect(items.next()).rejects.toThrow("broken");
  });

  test("a reader that stops early stops the operation", async () => {
    let refused: unknown;
    let stopped = false;
    const items = handOver<number, void>(async (give, signal) => {
      signal.addEventListener("abort", () => (stopped = true));
      await give(1).catch((error: unknown) => (refused = error));
      await give(2).catch(() => {});
    });
    for await (const item of items) if (item === 1) break;
    expect(stopped).toBe(true);
    expect(refused).toBeInstanceOf(DOMException);
  });

  test("the caller's own signal reaches the operation too", async () => {
    const outer = new AbortController();
    const items = handOver<number, boolean>(async (give, signal) => {
      await give(1);
      return signal.aborted;
    }, outer.signal);
    await items.next();
    outer.abort();
    expect(await items.next()).toEqual({ done: true, value: true });
  });
});
