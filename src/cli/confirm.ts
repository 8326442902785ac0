import { StackferryError } from "../domain/errors.ts";
import type { Session } from "./session.ts";

/** Whether there is somebody to ask. */
export function canAsk({ io }: Session): boolean {
  return io.stdin.isTTY && io.stderr.isTTY;
}

/** Asks before anything is written. @throws StackferryError `interrupted` for any answer but yes. */
export async function confirm(question: string, session: Session): Promise<void> {
  session.say(`${question} [y/N] `);
  const answer = await Promise.race([session.io.stdin.readLine(), aborted(session.signal)]);
  session.signal.throwIfAborted();
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new StackferryError("interrupted", "stopped before anything was written", { hint: "--yes does not ask" });
}

function aborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(""), { once: true });
  });
}
