/** The format of a refusal on the self-hosted variant; the managed variant sends all except `page` as JSON. */
export type RefusalFormat = "json" | "text" | "html" | "page";

/** Thrown by a handler to respond with an error status; the envelope of the variant builds the body. */
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

/** `sandbox-usage`: an invalid option; `sandbox-io`: the port or the data file cannot be used. */
export type SandboxErrorCode = "sandbox-usage" | "sandbox-io";

/** A plain `Error` with a `code`, so that callers can tell its errors apart without importing from the sandbox. */
export function sandboxError(code: SandboxErrorCode, message: string, cause?: unknown): Error & { code: string } {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  return Object.assign(error, { code });
}
