import type { Session } from "./session.ts";

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
