/** The format in which the self-hosted variant sends a refusal. The managed variant sends every format except `page` as JSON. */
export type RefusalFormat = "json" | "text" | "html" | "page";

/** An error that a handler throws to respond with an error status. The variant's envelope builds the response body. */
export class Refusal extends Error {
  readonly status: number;
  readonly format: RefusalFormat;

  constructor(status: number, message: string, format: RefusalFormat = "json") {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.format = format;
  }
}

/** `sandbox-usage`: an invalid option; `sandbox-io`: the port cannot be used. */
export type SandboxErrorCode = "sandbox-usage" | "sandbox-io";

/** Returns a plain `Error` with a `code`. The code lets callers tell the sandbox's errors apart without importing the sandbox. */
export function sandboxError(code: SandboxErrorCode, message: string, cause?: unknown): Error & { code: string } {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  return Object.assign(error, { code });
}
