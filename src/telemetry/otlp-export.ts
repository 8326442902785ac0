import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { LoggerProvider, type ReadableLogRecord } from "@opentelemetry/sdk-logs";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import type { RunSummary } from "./channel.ts";
import { metricsOf } from "./metrics.ts";

// The OpenTelemetry packages are optional, so only otlp.ts imports this file, and only to send.

interface Target {
  readonly url: string;
  readonly timeoutMillis: number;
}

/** `rejectUnauthorized` is explicit, so NODE_TLS_REJECT_UNAUTHORIZED=0 does not turn off certificate checks. */
const CONNECTION = { httpAgentOptions: { keepAlive: false, rejectUnauthorized: true } };

/** OpenTelemetry's own readers send on a timer and hide failures. */
class OnceReader extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

export async function sendMetrics(run: RunSummary, target: Target): Promise<void> {
  const exporter = new OTLPMetricExporter({ ...target, ...CONNECTION });
  const reader = new OnceReader();
  const provider = new MeterProvider({ resource: resourceOf(run), readers: [reader] });
  try {
    const meter = provider.getMeter("stackferry", run.version);
    for (const { subject, name, unit, samples } of metricsOf(run)) {
      const gauge = meter.createGauge(`stackferry.${subject}.${name}`, { unit });
      for (const [labels, value] of samples) gauge.record(value, attributesOf(labels));
    }
    const { resourceMetrics } = await reader.collect();
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the packages' declarations name the same enum twice
    await sent((done) => exporter.export(resourceMetrics, done));
  } finally {
    await provider.shutdown();
    await exporter.shutdown();
  }
}

function sent(send: (done: (result: { readonly error?: Error }) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    send(({ error }) => (error === undefined ? resolve() : reject(error)));
  });
}

export async function sendLog(run: RunSummary, target: Target): Promise<void> {
  const exporter = new OTLPLogExporter({ ...target, ...CONNECTION });
  const records: ReadableLogRecord[] = [];
  // OpenTelemetry's own processors send on a timer and hide failures.
  const collect = {
    onEmit: (record: ReadableLogRecord) => void records.push(record),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const provider = new LoggerProvider({ resource: resourceOf(run), processors: [collect] });
  try {
    provider.getLogger("stackferry", run.version).emit({
      timestamp: run.startedAt + run.durationMs,
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- `SeverityNumber` is in @opentelemetry/api-logs, which is no dependency
      ...(run.exitCode === 0 ? INFO : ERROR),
      body: bodyOf(run),
      attributes: { ...attributesOf({ command: run.command, stack: run.stack }), ...detailsOf(run) },
    });
    await sent((done) => exporter.export(records, done));
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

const INFO = { severityNumber: 9, severityText: "INFO" } as const;
const ERROR = { severityNumber: 17, severityText: "ERROR" } as const;

function resourceOf({ version }: RunSummary) {
  return resourceFromAttributes({ "service.name": "stackferry", "service.version": version });
}

function attributesOf(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([label, value]) => [`stackferry.${label}`, value]));
}
