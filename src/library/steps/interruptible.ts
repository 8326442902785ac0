import { setImmediate } from "node:timers/promises";
import { StackferryError } from "../../core/errors.ts";
import type { Steps } from "../../core/steps.ts";

/** Maximum time without a turn for timers and signals, far below the second within which a signal should take effect. */
const MAX_MS_WITHOUT_LISTENING = 50;

/** Runs the steps and yields to timers and signals in between. @throws StackferryError `interrupted` */
export async function runInterruptibly<Result>(steps: Steps<Result>, signal: AbortSignal | undefined): Promise<Result> {
  for (let since = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < MAX_MS_WITHOUT_LISTENING) continue;
    await setImmediate();
    if (signal?.aborted) throw new StackferryError("interrupted", "it was interrupted before anything was written");
    since = performance.now();
  }
}
