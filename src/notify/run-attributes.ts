import type { RunSummary } from "./run-summary.ts";

/** OpenTelemetry's numbers for INFO and ERROR. */
const SEVERITY = { info: 9, error: 17 } as const;

/** What metrics and log record say of where they come from. */
export function resourceAttributes({ version }: RunSummary): Record<string, string> {
  return { "service.name": "stackferry", "service.version": version };
}

/** What both say of the run. */
export function runAttributes({ command, stack }: RunSummary): Record<string, string> {
  return { "stackferry.command": command, "stackferry.stack": stack };
}

/** How loud a run's log record is. */
export function severityOf({ exitCode }: RunSummary): { severityNumber: 9 | 17; severityText: "INFO" | "ERROR" } {
  return exitCode === 0
    ? { severityNumber: SEVERITY.info, severityText: "INFO" }
    : { severityNumber: SEVERITY.error, severityText: "ERROR" };
}
