import { renderError } from "./error-text.ts";
import { createJsonLog } from "./json-log.ts";
import { createProgress } from "./progress.ts";
import type { Progress, ProgressOptions } from "./progress.ts";

/** Everything that a run writes on stderr. */
export interface RunLog extends Progress {
  begin(command: string): void;
  /** Says why the run ended early, whether quiet or not. */
  fail(error: unknown): void;
  finish(end: { readonly command: string; readonly exitCode: number; readonly durationMs: number }): void;
}

/** How `--log-format` wants it. */
export type LogFormat = "text" | "json";

/** A log for people or for programs. */
export function createRunLog(format: LogFormat, options: ProgressOptions): RunLog {
  if (format === "json") return createJsonLog(options);
  const progress = createProgress(options);
  const { output, verbose, view } = options;
  return {
    ...progress,
    begin: () => {},
    fail: (error) => output.write(renderError(error, { verbose, view })),
    finish: () => {},
  };
}
