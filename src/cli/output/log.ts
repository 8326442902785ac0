import { StackferryError, errorMessage } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";
import { printableText, printableJson } from "../../core/text/printable.ts";
import { createProgress, type Progress, type ProgressOptions } from "./progress.ts";

export interface RunLog extends Progress {
  begin(command: string): void;
  /** Prints the error that ended the run early, even with `--quiet`. */
  fail(error: unknown): void;
  finish(end: { readonly command: string; readonly exitCode: number; readonly durationMs: number }): void;
}

export type LogFormat = "text" | "json";

export function createRunLog(format: LogFormat, options: ProgressOptions): RunLog {
  if (format === "json") return createJsonLog(options);
  const progress = createProgress(options);
  return {
    ...progress,
    begin: () => {},
    fail: (error) => options.output.write(renderError(error, options)),
    finish: () => {},
  };
}

/**
 * Creates a log of one JSON object per line on stderr: `time` (ISO 8601, UTC), `level` (debug, info, warning, error), `event`,
 * and the members of that event. `quiet` keeps only warnings and errors, `verbose` adds every request.
 */
function createJsonLog({ output, now, quiet, verbose }: ProgressOptions): RunLog {
  const write = (level: string, event: string, members: object): void => {
    if (quiet && level !== "error" && level !== "warning") return;
    output.write(`${printableJson({ time: new Date(now()).toISOString(), level, event, ...members })}\n`);
  };
  return {
    begin: (command) => write("info", "begin", { command }),
    show(event) {
      const { level, members } = describeEvent(event, now());
      if (level !== "debug" || verbose) write(level, event.type, members);
    },
    say(text) {
      const message = text.trim();
      if (message !== "") write("info", "message", { message });
    },
    fail(error) {
      const { code, hint } = error instanceof StackferryError ? error : { code: "unexpected", hint: undefined };
      const isDefect = error instanceof Error && !(error instanceof StackferryError);
      const stack = verbose && isDefect ? { stack: error.stack } : {};
      write("error", "error", { code, message: errorMessage(error), hint, ...stack });
    },
    finish: (end) => write("info", "end", end),
    end: () => {},
  };
}

/** @param now Unix milliseconds */
function describeEvent(
  { type: _type, ...event }: RunEvent & { readonly type: string },
  now: number,
): { level: string; members: object } {
  const stack = event.stack === undefined ? {} : { stack: event.stack };
  if ("warning" in event) return { level: "warning", members: { ...stack, ...event.warning } };
  if ("outcome" in event)
    return { level: event.outcome.status === "failed" ? "error" : "info", members: { ...stack, ...event.outcome } };
  // Requests are shown with `--verbose` only.
  if ("status" in event) return { level: "debug", members: event };
  if ("waitMs" in event) {
    const until = new Date(now + event.waitMs).toISOString();
    return { level: "info", members: { ...stack, reason: event.reason, until } };
  }
  return { level: "info", members: event };
}

/** Renders an error for people: one sentence, the next step, and with `verbose` the causes. */
function renderError(error: unknown, { verbose, display }: ProgressOptions): string {
  const { bad, faint } = display.theme;
  const isExpected = error instanceof StackferryError;
  const sentence = isExpected ? error.message : `unexpected error: ${errorMessage(error)}`;
  const bug = "this is a bug in stackferry: please report it with the output of the same command and --verbose";
  const hint = isExpected ? error.hint : bug;
  const lines = [
    `${bad("stackferry:")} ${printableText(sentence)}`,
    ...(isExpected ? error.faults.map((fault) => `  ${printableText(fault)}`) : []),
    ...(hint === undefined ? [] : [`  ${printableText(hint)}`]),
    ...(verbose ? traces(error, isExpected).map((line) => faint(printableText(line))) : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** Returns the causes of an error, with stack traces only for a defect of this program: elsewhere they would not help. */
function traces(error: unknown, isExpected: boolean): string[] {
  if (!(error instanceof Error)) return [];
  const { stack = "", cause } = error;
  const frames = isExpected ? [] : stack.split("\n");
  if (cause === undefined) return frames;
  const link = isExpected ? `caused by: ${errorMessage(cause)}` : "caused by:";
  return [...frames, link, ...traces(cause, isExpected)];
}
