/**
 * The kinds of errors, by the exit code that each leads to (docs/outcomes-and-exit-codes.md lists them all):
 * - usage, config: the call or the configuration is wrong (2)
 * - archive-damaged, archive-unknown: the bytes do not match their checksums, or are no archive that this version reads (4)
 * - wrong-key: no given key opens an encrypted archive (4)
 * - unauthorized, forbidden: the credential or its permission was refused (5)
 * - unreachable, unavailable, rate-limited, protocol: only failures or no response for too long, or no response of this API (6)
 * - locked: another run is at work (7)
 * - interrupted: the user stopped the run (130)
 * - declined: the user was asked and did not say yes (1)
 * - not-offered, not-found, rejected, list-incomplete, incomplete, changed-since, create-unknown, unreadable-record: about kinds
 * or records (3 where the run goes on)
 * - journal: the journal cannot be read or written, or belongs to another import (2)
 * - plan-changed: another plan than the approved one (10)
 * - archive-io, secret-in-output: a file cannot be read or written, or the credential check refused to write a credential (1)
 */
export type ErrorCode =
  | "usage"
  | "config"
  | "archive-damaged"
  | "archive-unknown"
  | "wrong-key"
  | "archive-io"
  | "unauthorized"
  | "forbidden"
  | "unreachable"
  | "unavailable"
  | "rate-limited"
  | "locked"
  | "interrupted"
  | "declined"
  | "not-offered"
  | "not-found"
  | "rejected"
  | "protocol"
  | "list-incomplete"
  | "journal"
  | "changed-since"
  | "create-unknown"
  | "unreadable-record"
  | "secret-in-output"
  | "incomplete"
  | "plan-changed";

export interface ErrorDetails {
  readonly cause?: unknown;
  /** The next step for the user, in one sentence. */
  readonly hint?: string;
  /** The individual faults, if the error reports several. */
  readonly faults?: readonly string[];
}

/** An error that the user can act on: one clear sentence, a stable code, and the next step. Never holds a secret. */
export class StackferryError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly faults: readonly string[];

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "StackferryError";
    this.code = code;
    this.hint = details.hint;
    this.faults = details.faults ?? [];
  }
}

export interface RequestFailure extends ErrorDetails {
  readonly method: string;
  /** Path and query, never the credential. */
  readonly path: string;
  readonly status?: number;
  readonly requestId?: string;
  /** For a request that the stack itself answered 401 or 403: the right that the key needs, for people. */
  readonly right?: string;
  /** A bounded excerpt of the response's body, control characters removed. */
  readonly excerpt?: string;
  /** "no" if a write was certainly not carried out; "unknown" if the response was lost, or was a 5xx, a 408 or a redirect. */
  readonly applied: "no" | "unknown";
}

/** A request to a stack that did not succeed. */
export class StackError extends StackferryError {
  readonly failure: RequestFailure;

  constructor(code: ErrorCode, message: string, failure: RequestFailure) {
    super(code, message, failure);
    this.name = "StackError";
    this.failure = failure;
  }
}

/** Returns the hint for a key that lacks a right. @param right as in `RequestFailure` */
export function neededRightHint(right: string): string {
  return `the key needs ${right}`;
}

/** Returns an error with the same code and faults as `cause`, but another message, and another hint if one is given. */
export function rewordError(cause: StackferryError, message: string, hint = cause.hint): StackferryError {
  return new StackferryError(cause.code, message, { cause, hint, faults: cause.faults });
}

/** Returns an error's message and its hint as one text, for places that print no hint, such as the outcome of a record. */
export function messageWithHint({ message, hint = "" }: StackferryError): string {
  const next = `${hint.charAt(0).toLowerCase()}${hint.slice(1)}`;
  return hint === "" ? message : `${message}; ${next.replace(/\.$/, "")}`;
}

/** Changes the texts of an error. Its class, its code and the facts about a failed request stay. */
export function mapErrorTexts(error: StackferryError, change: (text: string) => string): StackferryError {
  const { code, message, hint, faults, cause } = error;
  const details = { cause, faults: faults.map(change), ...(hint !== undefined && { hint: change(hint) }) };
  if (!(error instanceof StackError)) return new StackferryError(code, change(message), details);
  const { excerpt, ...failure } = error.failure;
  const excerpts = excerpt === undefined ? {} : { excerpt: change(excerpt) };
  return new StackError(code, change(message), { ...failure, ...details, ...excerpts });
}

/** Tells whether an error means that the user stopped the run before a write was sent. The record is then unchanged. */
export function isStoppedBeforeWrite(error: unknown): boolean {
  if (!(error instanceof StackferryError) || error.code !== "interrupted") return false;
  return !(error instanceof StackError) || error.failure.applied === "no";
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
