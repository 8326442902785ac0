import { StackferryError, errorMessage } from "../domain/errors.ts";
import type { ErrorCode } from "../domain/errors.ts";

/** An error on its way between threads, which keeps only what plain data can hold. */
export interface SentError {
  /** Of a `StackferryError`. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  /** Of any other. */
  readonly stack?: string;
}

/** What of an error another thread has to know. */
export function packError(error: unknown): SentError {
  if (error instanceof StackferryError) {
    const { code, message, hint } = error;
    return { code, message, ...(hint !== undefined && { hint }) };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return { message: errorMessage(error), ...(stack !== undefined && { stack }) };
}

/** The error again. */
export function unpackError({ code, message, hint, stack }: SentError): Error {
  if (code !== undefined) return new StackferryError(code, message, hint === undefined ? {} : { hint });
  return Object.assign(new Error(message), stack === undefined ? {} : { stack });
}
