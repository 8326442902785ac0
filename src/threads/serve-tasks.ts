import { parentPort, workerData } from "node:worker_threads";
import type { Asked, Said, Work } from "./messages.ts";
import { packError } from "./sent-error.ts";

/** What a task came to. */
export interface Done<W extends Work> {
  readonly answer: W["answer"];
  /** Buffers in the answer that go over to the thread that asked. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** Makes this thread one of a pool: `begin` is given what the pool was made with, and its answer does each task. */
export function serveTasks<W extends Work>(begin: (data: W["data"]) => (task: W["task"]) => Promise<Done<W>>): void {
  const port = parentPort;
  if (port === null) throw new Error("this module is for a thread of its own");
  const perform = begin(workerData);
  const serve = async ({ number, task }: Asked<W>): Promise<void> => {
    const say = (said: Said<W>, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(said, transfer);
    try {
      const { answer, transfer } = await perform(task);
      say({ number, answer }, transfer);
    } catch (error) {
      say({ number, error: packError(error) });
    }
  };
  port.on("message", (asked: Asked<W>) => void serve(asked));
}
