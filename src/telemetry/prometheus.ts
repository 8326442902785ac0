import { writeAtomically, refuseOtherFile } from "../files/atomic-write.ts";
import type { Channel, RunSummary } from "./channel.ts";
import { metricsOf, type Metric } from "./metrics.ts";

/** Readable by all: the collector runs as another user, and the file contains no secret. */
const MODE = 0o644;

/** Replaces the file atomically, because a collector may read it at any moment. Collectors read only files called `*.prom`. */
export function metricsFileChannel(path: string): Channel {
  return {
    label: path,
    async end(summary, signal) {
      await refuseOtherFile(path, /^\s*#/, "a file of metrics");
      await writeAtomically(path, formatPrometheusText(summary), { mode: MODE, signal });
    },
  };
}

/** Returns a run as Prometheus text 0.0.4. */
export function formatPrometheusText(run: RunSummary): string {
  return metricsOf(run).map(familyText).join("");
}

const PREFIXES = { run: "last_run", backup: "backup" } as const;
const SUFFIXES: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes" };

function familyText({ subject, name, unit, help, samples }: Metric): string {
  const family = `stackferry_${PREFIXES[subject]}_${name}${SUFFIXES[unit] ?? ""}`;
  const lines = samples.map(([labels, value]) => `${family}{${labelText(labels)}} ${value}\n`);
  return `# HELP ${family} ${help}\n# TYPE ${family} gauge\n${lines.join("")}`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const escape = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escape(value)}"`)
    .join(",");
}
