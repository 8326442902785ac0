import { errorMessage, StackferryError } from "../../domain/errors.ts";
import type { JobEvent } from "../../domain/events.ts";
import type { TextOutput } from "../io.ts";
import { printableJson } from "./printable.ts";
import type { RunLog } from "./run-log.ts";

/** What a log of JSON lines is written with. */
export interface JsonLogOptions {
  readonly output: TextOutput;
  readonly now: () => number;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/**
 * Writes one JSON object a line on stderr: `time` (ISO 8601, UTC), `level` (debug, info, warning, error), `event`, and the
 * members of that event. `quiet` leaves errors only, `verbose` adds every request.
 */
export function createJsonLog({ output, now, quiet, verbose }: JsonLogOptions): RunLog {
  const write = (level: string, event: string, members: object): void => {
    if (quiet && level !== "error") return;
    output.write(`${printableJson({ time: new Date(now()).toISOString(), level, event, ...members })}\n`);
  };
  return {
    begin: (command) => write("info", "begin", { command }),
    show(event) {
      const { level, members } = described(event);
      if (level !== "debug" || verbose) write(level, event.type, members);
    },
    say(text) {
      const message = text.trim();
      if (message !== "") write("info", "message", { message });
    },
    fail(error) {
      const { code, hint } = error instanceof StackferryError ? error : { code: "unexpected", hint: undefined };
      const stack = verbose && error instanceof Error ? { stack: error.stack } : {};
      write("error", "error", { code, message: errorMessage(error), hint, ...stack });
    },
    finish: (end) => write("info", "end", end),
    end: () => {},
  };
}

function described({ type: _type, ...event }: JobEvent & { readonly type: string }): {
  level: string;
  members: object;
} {
  if ("warning" in event) return { level: "warning", members: event.warning };
  if ("outcome" in event)
    return { level: event.outcome.status === "failed" ? "error" : "info", members: event.outcome };
  // Every request of a run, only for whoever asks for them.
  if ("status" in event) return { level: "debug", members: event };
  if ("untilMs" in event) {
    return { level: "info", members: { reason: event.reason, until: new Date(event.untilMs).toISOString() } };
  }
  return { level: "info", members: event };
}
