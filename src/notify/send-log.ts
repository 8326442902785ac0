import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { LoggerProvider } from "@opentelemetry/sdk-logs";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import { resourceAttributes, runAttributes, severityOf } from "./run-attributes.ts";
import type { RunSummary } from "./run-summary.ts";

/** Sends one OTLP log record that says how a run ended. Throws where the collector does not take it. */
export async function sendLog(
  run: RunSummary,
  target: { readonly url: string; readonly timeoutMillis: number },
): Promise<void> {
  const exporter = new OTLPLogExporter({ ...target, keepAlive: false });
  const records: ReadableLogRecord[] = [];
  // The package's own processors send on their own account and keep failures to themselves.
  const collect = {
    onEmit: (record: ReadableLogRecord) => void records.push(record),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const resource = resourceFromAttributes(resourceAttributes(run));
  const provider = new LoggerProvider({ resource, processors: [collect] });
  try {
    provider.getLogger("stackferry", run.version).emit({
      timestamp: run.startedAt + run.durationMs,
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is in a package that only the SDK needs
      ...severityOf(run),
      body: bodyOf(run),
      attributes: { ...runAttributes(run), ...detailsOf(run) },
    });
    await new Promise<void>((resolve, reject) => {
      exporter.export(records, ({ error }) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
  } finally {
    await provider.shutdown();
    await exporter.shutdown();
  }
}

function bodyOf({ command, stack, exitCode, error }: RunSummary): string {
  const what = stack === "" ? command : `${command} ${stack}`;
  const how = exitCode === 0 ? "done" : `ended with exit code ${exitCode}`;
  return `stackferry ${what}: ${how}${error === undefined ? "" : `: ${error.message}`}`;
}

function detailsOf(run: RunSummary): Record<string, string | number> {
  const counts = Object.entries(run.counts).map(([action, count]) => [`stackferry.count.${action}`, count] as const);
  return {
    "stackferry.exit_code": run.exitCode,
    "stackferry.duration_ms": run.durationMs,
    "stackferry.requests": run.requests,
    "stackferry.warnings": run.warnings,
    ...Object.fromEntries(counts),
    ...(run.error !== undefined && { "stackferry.error_code": run.error.code }),
  };
}
