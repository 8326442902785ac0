import { setImmediate } from "node:timers/promises";
import { StackferryError } from "./errors.ts";

/** Maximum time without a turn of the event loop: a signal should take effect within a second. */
const MAX_MS_WITHOUT_TURN = 50;

let lastTurn = 0;

/**
 * Lets the process handle timers and signals during a long computation, which calls this function for each record.
 * @throws StackferryError `interrupted`
 */
export async function yieldToEventLoop(signal: AbortSignal | undefined): Promise<void> {
  if (performance.now() - lastTurn < MAX_MS_WITHOUT_TURN) return;
  await setImmediate();
  lastTurn = performance.now();
  if (signal?.aborted) throw new StackferryError("interrupted", "the run was interrupted before anything was written");
}
