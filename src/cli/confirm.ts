import { StackferryError } from "../domain/errors.ts";
import { ask } from "./ask.ts";
import type { Session } from "./session.ts";

/** Whether there is somebody to ask. */
export function canAsk({ io }: Session): boolean {
  return io.stdin.isTTY && io.stderr.isTTY;
}

/** Asks before anything is written. @throws StackferryError `interrupted` for any answer but yes. */
export async function confirm(question: string, session: Session): Promise<void> {
  const answer = await ask(`${question} [y/N] `, session);
  if (/^y(es)?$/i.test(answer)) return;
  throw new StackferryError("interrupted", "stopped before anything was written", { hint: "--yes does not ask" });
}
