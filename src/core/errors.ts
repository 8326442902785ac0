/** The codes of errors (docs/outcomes-and-exit-codes.md#error-codes). */
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
  /** The next step for the user. */
  readonly hint?: string;
  /** The individual faults, if the error reports several. */
  readonly faults?: readonly string[];
}

/** An error that the user can act on. Message, hint and faults contain no secret. */
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
  /** Never contains the credential. */
  readonly path: string;
  readonly status?: number;
  readonly requestId?: string;
  /** For people. Present only if the stack itself answered 401 or 403. */
  readonly right?: string;
  readonly excerpt?: string;
  /** `no`: a write was certainly not carried out. `unknown`: its response was lost, or had status 5xx, 408, 302 or 303. */
  readonly applied: "no" | "unknown";
}

/** An error of a request to a stack. */
export class StackError extends StackferryError {
  readonly failure: RequestFailure;

  constructor(code: ErrorCode, message: string, failure: RequestFailure) {
    super(code, message, failure);
    this.name = "StackError";
    this.failure = failure;
  }
}

export function neededRightHint(right: string): string {
  return `the key needs ${right}`;
}

export function rewordError(cause: StackferryError, message: string, hint = cause.hint): StackferryError {
  return new StackferryError(cause.code, message, { cause, hint, faults: cause.faults });
}

/** For places that show no hint, such as the outcome of a record. */
export function messageWithHint({ message, hint = "" }: StackferryError): string {
  const next = `${hint.charAt(0).toLowerCase()}${hint.slice(1)}`;
  return hint === "" ? message : `${message}; ${next.replace(/\.$/, "")}`;
}

export function mapErrorTexts(error: StackferryError, change: (text: string) => string): StackferryError {
  const { code, message, hint, faults, cause } = error;
  const details = { cause, faults: faults.map(change), hint: hint && change(hint) };
  if (!(error instanceof StackError)) return new StackferryError(code, change(message), details);
  const { excerpt, ...failure } = error.failure;
  return new StackError(code, change(message), { ...failure, ...details, excerpt: excerpt && change(excerpt) });
}

export function isStoppedBeforeWrite(error: unknown): boolean {
  if (!(error instanceof StackferryError) || error.code !== "interrupted") return false;
  return !(error instanceof StackError) || error.failure.applied === "no";
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
