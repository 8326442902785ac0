import { StackferryError } from "../core/errors.ts";
import { systemErrorCode } from "../files/errors.ts";
import type { Channel } from "./channel.ts";
import type * as exporters from "./otlp-export.ts";

const DEFAULT_PORT = "4318";

/** The packages are optional, because they take 40 MB and most runs do not need them. */
const PACKAGES = ["exporter-metrics-otlp-http", "exporter-logs-otlp-http", "sdk-metrics", "sdk-logs", "resources"].map(
  (name) => `@opentelemetry/${name}`,
);

export interface OtlpOptions {
  /** `URL` drops a default port, so the caller looks at the text of the address. */
  readonly hasPort: boolean;
  readonly timeoutMs: number;
  readonly load?: () => Promise<typeof exporters>;
}

/** The exporter reads the collector's key from `OTEL_EXPORTER_OTLP_HEADERS`, and never gets the keys of stacks. */
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
