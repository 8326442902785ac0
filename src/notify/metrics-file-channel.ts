import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { formatMetrics } from "./format-metrics.ts";
import type { Channel } from "./run-summary.ts";

/** The collector that picks the file up runs as another user, and nothing in it is secret. */
const MODE = 0o644;

/** Writes a run as Prometheus text, whole or not at all: a collector may read the file at any moment. */
export function metricsFileChannel(path: string): Channel {
  return {
    label: path,
    async end(summary, signal) {
      // Collectors read `*.prom`, so the temporary name must end otherwise.
      const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
      try {
        await writeFile(temporary, formatMetrics(summary), { flag: "wx", mode: MODE, signal });
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {});
        throw error;
      }
    },
  };
}
