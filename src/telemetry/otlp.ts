import type { Dispatcher } from "undici";
import { StackferryError } from "../core/errors.ts";
import { post, withPath, type Channel, type RunSummary } from "./channel.ts";
import { metricsOf } from "./metrics.ts";

/** A collector's port for OTLP over plain HTTP. */
const DEFAULT_PORT = "4318";

export interface OtlpOptions {
  /** Whether the address contained a port. Without a port, an http address means port 4318. */
  readonly hasPort: boolean;
  /** The collector's own key, as `OTEL_EXPORTER_OTLP_HEADERS` has it; the keys of stacks are never sent to a collector. */
  readonly headers?: string | undefined;
  /** Creates the connections of one request. */
  readonly connect: () => Dispatcher;
}

/**
 * Returns the channel that sends a run to a collector as OTLP over HTTP, in its JSON form: the run's metrics and one log record.
 * @param url the collector; `/v1/metrics` and `/v1/logs` are added to its path
 */
export function otlpChannel(url: URL, { hasPort, headers = "", connect }: OtlpOptions): Channel {
  const base = new URL(url);
  if (!hasPort && base.protocol === "http:") base.port = DEFAULT_PORT;
  return {
    label: base.origin,
    async end(summary, signal) {
      const send = (path: string, body: object): Promise<void> =>
        post(withPath(base, path), body, connect, signal, parseHeaders(headers));
      const sent = await Promise.allSettled([
        send("v1/metrics", otlpMetrics(summary)),
        send("v1/logs", otlpLog(summary)),
      ]);
      const failed = sent.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}

/** Parses `name=value` pairs separated by commas, with percent-encoded values. No message quotes them. */
function parseHeaders(text: string): [name: string, value: string][] {
  try {
    const pairs = text.split(",").filter((pair) => pair.trim() !== "");
    const headers = new Headers(
      pairs.map((pair): [string, string] => {
        const [name = "", ...value] = pair.split("=");
        return [name.trim(), decodeURIComponent(value.join("=").trim())];
      }),
    );
    return [...headers];
  } catch {
    throw new StackferryError("usage", "OTEL_EXPORTER_OTLP_HEADERS must hold name=value pairs, separated by commas");
  }
}

/** Returns the figures of a run as the JSON of an OTLP request for metrics. */
function otlpMetrics(run: RunSummary): object {
  const timeUnixNano = endOf(run);
  const metrics = metricsOf(run).map(({ subject, name, unit, samples }) => ({
    name: `stackferry.${subject}.${name}`,
    unit,
    gauge: {
      dataPoints: samples.map(([labels, asDouble]) => ({ attributes: attributesOf(labels), timeUnixNano, asDouble })),
    },
  }));
  return { resourceMetrics: [{ resource: resourceOf(run), scopeMetrics: [{ scope: scopeOf(run), metrics }] }] };
}

/** Returns the outcome of a run as the JSON of an OTLP request for one log record. */
function otlpLog(run: RunSummary): object {
  const { command, stack, exitCode, durationMs, requests, warnings, counts, error } = run;
  const record = {
    timeUnixNano: endOf(run),
    observedTimeUnixNano: endOf(run),
    ...(exitCode === 0 ? { severityNumber: 9, severityText: "INFO" } : { severityNumber: 17, severityText: "ERROR" }),
    body: { stringValue: sentenceOf(run) },
    attributes: attributesOf({
      command,
      stack,
      exit_code: exitCode,
      duration_ms: durationMs,
      requests,
      warnings,
      ...Object.fromEntries(Object.entries(counts).map(([action, count]) => [`count.${action}`, count])),
      ...(error !== undefined && { error_code: error.code }),
    }),
  };
  return { resourceLogs: [{ resource: resourceOf(run), scopeLogs: [{ scope: scopeOf(run), logRecords: [record] }] }] };
}

function sentenceOf({ command, stack, exitCode, error }: RunSummary): string {
  const what = stack === "" ? command : `${command} ${stack}`;
  const how = exitCode === 0 ? "done" : `ended with exit code ${exitCode}`;
  return `stackferry ${what}: ${how}${error === undefined ? "" : `: ${error.message}`}`;
}

/** Returns the end of a run in nanoseconds, as a text: JSON's numbers are too short for it. */
function endOf({ startedAt, durationMs }: RunSummary): string {
  return `${Math.round(startedAt + durationMs)}000000`;
}

function resourceOf({ version }: RunSummary): object {
  const names = { "service.name": "stackferry", "service.version": version };
  return { attributes: Object.entries(names).map(([key, stringValue]) => ({ key, value: { stringValue } })) };
}

function scopeOf({ version }: RunSummary): object {
  return { name: "stackferry", version };
}

function attributesOf(members: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(members).map(([name, value]) => ({ key: `stackferry.${name}`, value: valueOf(value) }));
}

function valueOf(value: string | number): object {
  if (typeof value === "string") return { stringValue: value };
  return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
}
