import { StackferryError } from "../core/errors.ts";
import { systemErrorCode } from "../files/errors.ts";
import type { Channel } from "./channel.ts";
import type * as exporters from "./otlp-export.ts";

/** A collector's port for OTLP over plain HTTP. */
const DEFAULT_PORT = "4318";

/** The optional packages that send OTLP: they take 40 MB, and most runs do not need them. */
const PACKAGES = ["exporter-metrics-otlp-http", "exporter-logs-otlp-http", "sdk-metrics", "sdk-logs", "resources"].map(
  (name) => `@opentelemetry/${name}`,
);

/** Options of an OTLP channel. Tests inject `load`. */
export interface OtlpOptions {
  /** Whether the address contained a port. Without a port, an http address means port 4318. */
  readonly hasPort: boolean;
  readonly timeoutMs: number;
  readonly load?: () => Promise<typeof exporters>;
}

/**
 * Returns the channel that sends a run to a collector as OTLP over HTTP: the run's metrics and one log record. The official
 * exporter reads the collector's own key from `OTEL_EXPORTER_OTLP_HEADERS`; the keys of stacks are never passed to it.
 * @param url the collector; `/v1/metrics` and `/v1/logs` are added to its path
 */
export function otlpChannel(
  url: URL,
  { hasPort, timeoutMs, load = () => import("./otlp-export.ts") }: OtlpOptions,
): Channel {
  const base = new URL(url);
  if (!hasPort && base.protocol === "http:") base.port = DEFAULT_PORT;
  const exportTarget = (signal: string): { url: string; timeoutMillis: number } => ({
    url: `${base.origin}${base.pathname.replace(/\/+$/, "")}/v1/${signal}`,
    timeoutMillis: timeoutMs,
  });
  return {
    label: base.origin,
    async end(summary) {
      const { sendMetrics, sendLog } = await load().catch((error: unknown) => {
        throw systemErrorCode(error) === "ERR_MODULE_NOT_FOUND" ? notInstalled() : error;
      });
      const sent = await Promise.allSettled([
        sendMetrics(summary, exportTarget("metrics")),
        sendLog(summary, exportTarget("logs")),
      ]);
      const failed = sent.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}

function notInstalled(): StackferryError {
  return new StackferryError(
    "usage",
    `OTLP needs packages that are not installed; add them where stackferry is installed: npm install ${PACKAGES.join(" ")}`,
  );
}
