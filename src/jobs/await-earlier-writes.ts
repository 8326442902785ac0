import { StackferryError } from "../domain/errors.ts";
import type { Clock } from "../domain/ports.ts";
import type { JobContext } from "./job-context.ts";
import type { JournalState } from "./journal-state.ts";

/**
 * Waits until the target's lists can be trusted to show what earlier runs have written: a run that was killed between a
 * write and its answer may be followed by the next within a second, and a list may lag that far behind.
 */
export async function awaitEarlierWrites(
  state: JournalState,
  { clock, settleMs }: { readonly clock: Clock; readonly settleMs: number },
  context: JobContext,
): Promise<void> {
  // A clock that was set back must not make anyone wait longer than the lag itself.
  const until = Math.min(state.lastAt + settleMs, clock.now() + settleMs);
  if (state.ended || until <= clock.now()) return;
  context.events({
    type: "wait",
    reason: "the last run was cut short, and what it wrote may not be listed yet",
    untilMs: until,
  });
  try {
    await clock.sleep(until - clock.now(), context.signal);
  } catch (cause) {
    throw new StackferryError("interrupted", "the run was interrupted", { cause });
  }
}
