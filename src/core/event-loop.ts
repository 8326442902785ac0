import { setImmediate } from "node:timers/promises";
import { StackferryError } from "./errors.ts";

/** Only a call after this time lets the event loop turn: a turn in every call would be slow. */
const MAX_MS_WITHOUT_TURN = 50;

let lastTurn = 0;

/**
 * Lets timers and signals run during a long computation.
 * @throws StackferryError `interrupted` if the signal is aborted
 */
export async function yieldToEventLoop(signal: AbortSignal | undefined): Promise<void> {
  if (performance.now() - lastTurn < MAX_MS_WITHOUT_TURN) return;
  await setImmediate();
  lastTurn = performance.now();
  if (signal?.aborted) throw new StackferryError("interrupted", "the run was interrupted before anything was written");
}
