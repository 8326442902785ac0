import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import type { Meter } from "@opentelemetry/api";
import { resourceAttributes, runAttributes } from "./run-attributes.ts";
import type { RunSummary } from "./run-summary.ts";

/** Collects when it is asked, once; the package's own readers send on a timer and keep failures to themselves. */
class OnceReader extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

/** Sends a run's figures as OTLP metrics. Throws where the collector does not take them. */
export async function sendMetrics(
  run: RunSummary,
  target: { readonly url: string; readonly timeoutMillis: number },
): Promise<void> {
  const exporter = new OTLPMetricExporter({ ...target, keepAlive: false });
  const reader = new OnceReader();
  const provider = new MeterProvider({ resource: resourceFromAttributes(resourceAttributes(run)), readers: [reader] });
  try {
    record(run, provider.getMeter("stackferry", run.version));
    const { resourceMetrics } = await reader.collect();
    await new Promise<void>((resolve, reject) => {
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the packages' declarations name the same enum twice
      exporter.export(resourceMetrics, ({ error }) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
  } finally {
    await provider.shutdown();
    await exporter.shutdown();
  }
}

function record(run: RunSummary, meter: Meter): void {
  const attributes = runAttributes(run);
  const gauge = (name: string, unit: string, value: number, more: Record<string, string> = {}): void =>
    meter.createGauge(`stackferry.run.${name}`, { unit }).record(value, { ...attributes, ...more });
  gauge("duration", "s", run.durationMs / 1000);
  for (const { stack, exitCode } of [run, ...run.stacks.filter((end) => end.stack !== run.stack)]) {
    gauge("success", "1", Number(exitCode === 0), { "stackferry.stack": stack });
    gauge("exit_code", "1", exitCode, { "stackferry.stack": stack });
  }
  gauge("requests", "{request}", run.requests);
  gauge("warnings", "{warning}", run.warnings);
  for (const [kind, count] of Object.entries(run.records)) {
    gauge("records", "{record}", count, { "stackferry.kind": kind });
  }
}
