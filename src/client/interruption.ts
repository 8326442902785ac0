import { StackferryError } from "../domain/errors.ts";

/** The error for a request that the caller's signal kept from being sent, or took back. */
export function interruption(signal: AbortSignal, what: string): StackferryError {
  const reason: unknown = signal.reason;
  if (reason instanceof StackferryError && reason.code === "interrupted") return reason;
  return new StackferryError("interrupted", `interrupted: ${what}`, {
    cause: reason,
    hint: "run the same command again to go on",
  });
}

/** Throws when the caller has asked to stop. */
export function throwIfInterrupted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw interruption(signal, what);
}
