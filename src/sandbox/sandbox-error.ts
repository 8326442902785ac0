/** `sandbox-usage`: an option that makes no sense; `sandbox-io`: the port or the data file cannot be used. */
export type SandboxErrorCode = "sandbox-usage" | "sandbox-io";

/** A plain `Error` with a `code`, so that callers need nothing of the sandbox to tell its errors apart. */
export function sandboxError(code: SandboxErrorCode, message: string, cause?: unknown): Error & { code: string } {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  return Object.assign(error, { code });
}
