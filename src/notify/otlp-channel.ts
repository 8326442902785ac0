import type { Channel } from "./run-summary.ts";

/** Where a collector listens for OTLP over plain HTTP (contract 4.1). */
const DEFAULT_PORT = "4318";

/**
 * Sends a run to a collector as OTLP over HTTP: its metrics and one log record. A collector's own key is taken by the official
 * exporter from `OTEL_EXPORTER_OTLP_HEADERS`; the keys of stacks never come here.
 * @param url the collector; `/v1/metrics` and `/v1/logs` are added to its path
 * @param portGiven whether the address named a port; without one, http means 4318
 */
export function otlpChannel(url: URL, portGiven: boolean, timeoutMs: number): Channel {
  const base = new URL(url);
  if (!portGiven && base.protocol === "http:") base.port = DEFAULT_PORT;
  return {
    label: base.origin,
    async end(summary) {
      // Loaded only here: the packages are many, and most runs do not need them.
      const { sendLog } = await import("./send-log.ts");
      const { sendMetrics } = await import("./send-metrics.ts");
      const to = (signal: string): string => `${base.origin}${base.pathname.replace(/\/+$/, "")}/v1/${signal}`;
      const sent = await Promise.allSettled([
        sendMetrics(summary, { url: to("metrics"), timeoutMillis: timeoutMs }),
        sendLog(summary, { url: to("logs"), timeoutMillis: timeoutMs }),
      ]);
      const failed = sent.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}
