import { setImmediate } from "node:timers/promises";
import { StackferryError } from "./errors.ts";

/** Maximum time without a turn for timers and signals, far below the second within which a signal should take effect. */
const MAX_MS_WITHOUT_TURN = 50;

let lastTurn = 0;

/**
 * Lets timers and signals be handled in the midst of long computations, which call this for each record. Does nothing if the event
 * loop had a turn a short time ago.
 * @throws StackferryError `interrupted` if the signal is aborted by then
 */
export async function yieldToEventLoop(signal: AbortSignal | undefined): Promise<void> {
  if (performance.now() - lastTurn < MAX_MS_WITHOUT_TURN) return;
  await setImmediate();
  lastTurn = performance.now();
  if (signal?.aborted) throw new StackferryError("interrupted", "the run was interrupted before anything was written");
}
