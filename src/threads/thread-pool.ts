import { Worker } from "node:worker_threads";
import type { Asked, Said, Work } from "./messages.ts";
import { unpackError } from "./sent-error.ts";

/** Threads that do tasks of one kind. */
export interface ThreadPool<W extends Work> extends AsyncDisposable {
  /**
   * Gives a task to the thread that has the least to do. Rejects with what the task threw there. Where a thread has ended
   * before its time, its tasks are rejected, and all that come after them.
   * @param transfer buffers in the task that go over to the thread, and are gone from this one
   */
  run(task: W["task"], transfer?: readonly ArrayBuffer[]): Promise<W["answer"]>;
}

/** What a pool is made of. */
export interface ThreadPoolOptions<W extends Work> {
  /** Of a module that calls `serveTasks`. */
  readonly module: URL;
  /** What that is given. */
  readonly data: W["data"];
  /** Threads at most; each is started when all before it are busy. */
  readonly threads: number;
  /** Most of what is made for a task is gone with it: a small nursery keeps the memory of a thread small. */
  readonly nurseryMb: number;
}

/** Makes a pool. Nothing runs before the first task. */
export function createThreadPool<W extends Work>(options: ThreadPoolOptions<W>): ThreadPool<W> {
  const threads: Thread<W>[] = [];
  let closed = false;
  return {
    async run(task, transfer = []) {
      // A thread that is started now would never be stopped, and keep the process alive.
      if (closed) throw new Error("the pool of threads has been closed");
      const [idlest] = threads.toSorted((left, right) => left.open - right.open);
      const isFree = idlest !== undefined && (idlest.open === 0 || threads.length >= options.threads);
      const thread = isFree ? idlest : new Thread(options);
      if (!isFree) threads.push(thread);
      return thread.run(task, transfer);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}

interface Waiting<W extends Work> {
  readonly done: (answer: W["answer"]) => void;
  readonly failed: (error: Error) => void;
}

class Thread<W extends Work> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting<W>>();
  #asked = 0;
  #ended: Error | undefined;

  constructor({ module, data, nurseryMb }: ThreadPoolOptions<W>) {
    const resourceLimits = { maxYoungGenerationSizeMb: nurseryMb };
    // Without the options of the process: what they load is meant for the process, not for each of its threads.
    this.#worker = new Worker(module, { workerData: data, execArgv: [], resourceLimits });
    this.#worker.on("message", (said: Said<W>) => this.#hear(said));
    this.#worker.on("messageerror", (error) => this.#end(error));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(new Error("a thread ended before its tasks did")));
  }

  /** Tasks that it has not done yet. */
  get open(): number {
    return this.#waiting.size;
  }

  run(task: W["task"], transfer: readonly ArrayBuffer[]): Promise<W["answer"]> {
    const number = (this.#asked += 1);
    const asked: Asked<W> = { number, task };
    return new Promise((done, failed) => {
      if (this.#ended !== undefined) return failed(this.#ended);
      this.#worker.postMessage(asked, transfer);
      this.#waiting.set(number, { done, failed });
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #hear(said: Said<W>): void {
    const waiting = this.#waiting.get(said.number);
    this.#waiting.delete(said.number);
    if ("error" in said) waiting?.failed(unpackError(said.error));
    else waiting?.done(said.answer);
  }

  #end(error: unknown): void {
    this.#ended ??= error instanceof Error ? error : new Error(String(error));
    for (const { failed } of this.#waiting.values()) failed(this.#ended);
    this.#waiting.clear();
  }
}
