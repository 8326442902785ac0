import { StackferryError } from "../../core/errors.ts";
import type { Session } from "../program/session.ts";

/** Whether questions can be shown and answered: stdin and stderr are terminals. */
export function canAsk({ io }: Session): boolean {
  return io.stdin.isTTY && io.stderr.isTTY;
}

/** Asks before anything is written. @throws StackferryError `interrupted` for any answer but yes. */
export async function confirm(question: string, session: Session): Promise<void> {
  const answer = await ask(`${question} [y/N] `, session);
  if (/^y(es)?$/i.test(answer)) return;
  throw new StackferryError("interrupted", "stopped before anything was written", { hint: "--yes does not ask" });
}

/** Asks something on the terminal. @throws the signal's reason when the run is interrupted meanwhile. */
export async function ask(question: string, session: Session): Promise<string> {
  session.say(question);
  const answer = await Promise.race([session.io.stdin.readLine(), aborted(session.signal)]);
  session.signal.throwIfAborted();
  return answer.trim();
}

function aborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(""), { once: true });
  });
}
