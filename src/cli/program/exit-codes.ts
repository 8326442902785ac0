import { StackferryError, type ErrorCode } from "../../core/errors.ts";
import type { Outcome } from "../../core/outcome.ts";

/** Help texts and docs/outcomes-and-exit-codes.md repeat these meanings. */
export const exitCodes = {
  0: { short: "done", meaning: "everything is done" },
  1: {
    short: "unexpected",
    meaning: "unexpected failure, a file that cannot be read or written, or the question was not answered with yes",
  },
  2: { short: "wrong call", meaning: "the command line, a file that it names, or the configuration is wrong" },
  3: {
    short: "incomplete",
    meaning: "finished, but incomplete: records failed or blocked, or a kind could not be read",
  },
  4: {
    short: "archive damaged",
    meaning: "archive damaged, tampered with, of an unknown format, or encrypted for other keys",
  },
  5: { short: "credential", meaning: "the stack refused the credential or the permission" },
  6: {
    short: "stack failing",
    meaning: "the stack cannot be reached, is no stack of this API, or kept failing, be it for some records only",
  },
  7: { short: "locked", meaning: "another run holds the lock" },
  10: { short: "differences", meaning: "differences found, or another plan than the approved one" },
  130: { short: "interrupted", meaning: "interrupted" },
} as const;

export type ExitCode = keyof typeof exitCodes;

const byErrorCode: Readonly<Record<ErrorCode, ExitCode>> = {
  usage: 2,
  config: 2,
  journal: 2,
  "not-offered": 3,
  "not-found": 3,
  rejected: 3,
  "list-incomplete": 3,
  "changed-since": 3,
  "create-unknown": 3,
  "unreadable-record": 3,
  incomplete: 3,
  "archive-damaged": 4,
  "archive-unknown": 4,
  "wrong-key": 4,
  unauthorized: 5,
  forbidden: 5,
  unreachable: 6,
  unavailable: 6,
  "rate-limited": 6,
  protocol: 6,
  locked: 7,
  "archive-io": 1,
  "secret-in-output": 1,
  declined: 1,
  "plan-changed": 10,
  interrupted: 130,
};

export function exitCodeOfError(error: unknown): ExitCode {
  return error instanceof StackferryError ? byErrorCode[error.code] : 1;
}

export function sharedExitCode(codes: readonly ExitCode[]): ExitCode {
  const [code = 0, ...others] = new Set(codes);
  return others.length > 0 ? 3 : code;
}

/** True if only a failure of the stack prevented the write, so another run may succeed. */
function isStackFailure({ status, code }: Pick<Outcome, "status" | "code">): boolean {
  // `dependency-failed` always counts, because the needed record has an outcome of its own.
  return code === "dependency-failed" || (status === "failed" && Object(byErrorCode)[code ?? ""] === 6);
}

export function exitCodeOfEnd(
  outcomes: readonly Outcome[],
  isComplete: (outcomes: readonly Outcome[]) => boolean,
): ExitCode {
  if (isComplete(outcomes)) return 0;
  return isComplete(outcomes.filter((outcome) => !isStackFailure(outcome))) ? 6 : 3;
}

export function repeatAdvice(exitCode: ExitCode, stopped: StackferryError | undefined): string[] {
  if (stopped !== undefined || exitCode !== 6) return [];
  return ["Nothing but failures of the stack stopped these records: run the same command again."];
}
