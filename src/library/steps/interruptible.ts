import { setImmediate } from "node:timers/promises";
import { StackferryError } from "../../core/errors.ts";
import type { Steps } from "../../core/steps.ts";

/** Short against the second within which a signal should take effect. */
const MAX_MS_WITHOUT_LISTENING = 50;

/** Does the work, and lets timers and signals have their turn meanwhile. @throws StackferryError `interrupted` */
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
