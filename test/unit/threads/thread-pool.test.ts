import { describe, expect, it } from "vitest";
import { createThreadPool } from "../../../src/threads/thread-pool.ts";
import type { ThreadPool } from "../../../src/threads/thread-pool.ts";

const module = new URL("../../support/odd-thread.js", import.meta.url);

interface Odd<Answer> {
  readonly data: { readonly note: string };
  readonly task: unknown;
  readonly answer: Answer;
}

function pool<Answer = unknown>(threads = 2): ThreadPool<Odd<Answer>> {
  return createThreadPool<Odd<Answer>>({ module, data: { note: "given" }, threads, nurseryMb: 4 });
}

describe("a pool of threads", () => {
  it("does tasks elsewhere, with what it was made with", async () => {
    await using threads = pool<{ readonly threadId: number }>();
    const answer = await threads.run("where");
    expect(answer).toEqual({ threadId: expect.any(Number), data: { note: "given" } });
    expect(answer.threadId).toBeGreaterThan(0);
  });

  it("starts another thread only while all are busy, and no more than it may", async () => {
    await using threads = pool<{ readonly threadId: number }>();
    const where = async (): Promise<number> => (await threads.run("where")).threadId;
    const first = await where();
    expect(await where()).toBe(first);
    const waiting = threads.run("wait");
    expect(new Set(await Promise.all([where(), where(), where(), where()])).size).toBeLessThanOrEqual(2);
    await waiting;
  });

  it("hands buffers over and back", async () => {
    await using threads = pool<Uint8Array>();
    const bytes = Uint8Array.from([1, 2, 3]);
    const back = await threads.run(bytes, [bytes.buffer]);
    expect(bytes.length).toBe(0);
    expect([...back]).toEqual([1, 2, 3]);
  });

  it("rejects with what the task threw, and goes on", async () => {
    await using threads = pool(1);
    const [refused, broken, done] = await Promise.allSettled(
      ["refuse", "break", "this"].map((task) => threads.run(task)),
    );
    expect(refused).toMatchObject({
      reason: { name: "StackferryError", code: "protocol", message: "not this one", hint: "try another" },
    });
    expect(broken).toMatchObject({ reason: { message: "broken", stack: expect.stringContaining("odd-thread.js") } });
    expect(done).toMatchObject({ value: "this" });
  });

  it.each(["die", "crash"] as const)("does not wait for ever for a thread that is told to %s", async (end) => {
    await using threads = pool(1);
    const [ended, beside] = await Promise.allSettled([
      threads.run(end),
      threads.run("wait").then(() => threads.run(end)),
    ]);
    expect(ended.status).toBe("rejected");
    expect(beside.status).toBe("rejected");
    // A thread that is gone does nothing more.
    await expect(threads.run("again")).rejects.toThrow(end === "die" ? "a thread ended" : "nobodyKnowsThis");
  });

  it("rejects what is under way when it is disposed of", async () => {
    const threads = pool();
    const waiting = threads.run("wait");
    await Promise.all([threads[Symbol.asyncDispose](), expect(waiting).rejects.toThrow("thread")]);
    await expect(threads.run("late")).rejects.toThrow("closed");
  });
});
