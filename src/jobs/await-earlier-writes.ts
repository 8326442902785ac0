import { StackferryError } from "../domain/errors.ts";
import type { Clock } from "../domain/ports.ts";
import type { JobContext } from "./job-context.ts";
import type { JournalState } from "./journal-state.ts";

/** No request waits longer for its turn (the pacer's longest wait) and is repeated longer, all told. */
const LONGEST_ON_THE_WAY_MS = 60 * 60_000;

/**
 * Waits until the target's lists can be trusted to show what earlier runs have written: a run that was killed between a
 * write and its answer may be followed by the next within a second, and a list may lag that far behind.
 */
export async function awaitEarlierWrites(
  state: JournalState,
  { clock, settleMs }: { readonly clock: Clock; readonly settleMs: number },
  context: JobContext,
): Promise<void> {
  const now = clock.now();
  const isRecent = now - state.lastAt < LONGEST_ON_THE_WAY_MS;
  // A create is written down before it waits for its turn, so its line does not say when it was sent.
  const isOpen = isRecent && state.open.some(({ write }) => write === "create");
  // A clock that was set back must not make anyone wait longer than the lag itself.
  const until = isOpen ? now + settleMs : state.ended ? now : Math.min(state.lastAt + settleMs, now + settleMs);
  await pause(until, clock, context);
}

/** Waits, and says why. Throws `interrupted`. */
export async function pause(untilMs: number, clock: Clock, { events, signal }: JobContext): Promise<void> {
  if (untilMs <= clock.now()) return;
  events({ type: "wait", reason: "what the last run wrote may not be listed yet", untilMs });
  try {
    await clock.sleep(untilMs - clock.now(), signal);
  } catch (cause) {
    throw new StackferryError("interrupted", "the run was interrupted", { cause });
  }
}
