import type { BackupFigures, Channel, RunSummary, StackEnd } from "./channel.ts";
import { refuseOtherFile, writeAtomically } from "../files/atomic-write.ts";

export interface Metric {
  readonly subject: "run" | "backup";
  readonly name: string;
  readonly unit: string;
  readonly help: string;
  /** An empty label `stack` stands for the whole run. */
  readonly samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

type Value = number | Readonly<Record<string, number | Readonly<Record<string, number>>>> | undefined;

type Row<Source> = readonly [
  name: string,
  unit: string,
  help: string,
  valueOf: (source: Source, run: RunSummary) => Value,
];

const OF_EACH_STACK: readonly Row<StackEnd>[] = [
  ["timestamp", "s", "When the last run ended, Unix time.", (_, run) => (run.startedAt + run.durationMs) / 1000],
  ["success", "1", "1 when the last run ended with exit code 0, else 0.", ({ exitCode }) => Number(exitCode === 0)],
  ["exit_code", "1", "Exit code of the last run.", ({ exitCode }) => exitCode],
];

const OF_RUN: readonly Row<RunSummary>[] = [
  ["duration", "s", "How long the last run took.", ({ durationMs }) => durationMs / 1000],
  ["records", "{record}", "Records that the last run dealt with, by kind.", ({ records }) => records],
  ["requests", "{request}", "Requests that the last run sent to stacks.", ({ requests }) => requests],
  ["warnings", "{warning}", "Warnings that the last run gave.", ({ warnings }) => warnings],
];

const AGE = "Age of the newest good backup when the run ended.";
const CHANGES = "Records that differ from the last good backup, by kind and change.";
const SUSPECT = "1 where the newest backup holds much less than the last good one, else 0.";
const TIMESTAMP =
  "When the stack was last known to equal the newest good backup, Unix time; 0 where there is no good backup.";

const OF_BACKUPS: readonly Row<BackupFigures>[] = [
  ["records", "{record}", "Records in the newest backup, by kind.", ({ records }) => records],
  ["changes", "{record}", CHANGES, ({ changes }) => changes],
  ["size", "By", "Size of the newest backup.", ({ bytes }) => bytes],
  ["archives", "{archive}", "Backups of the stack in the repository.", ({ archives }) => archives],
  ["suspect", "1", SUSPECT, ({ suspect }) => Number(suspect)],
  ["newest_good_age", "s", AGE, ({ newestGoodAgeSeconds }) => newestGoodAgeSeconds],
  ["newest_good_timestamp", "s", TIMESTAMP, ({ newestGoodAt = 0 }) => newestGoodAt],
];

export function metricsOf(run: RunSummary): Metric[] {
  const ends = [run, ...run.stacks.filter(({ stack }) => stack !== run.stack)];
  const backups = run.stacks.flatMap(({ stack, backup }) => (backup === undefined ? [] : [[stack, backup] as const]));
  return [
    ...fillIn(
      "run",
      OF_EACH_STACK,
      ends.map((end) => [end.stack, end]),
      run,
    ),
    ...fillIn("run", OF_RUN, [[run.stack, run]], run),
    ...fillIn("backup", OF_BACKUPS, backups, run),
  ].filter(({ samples }) => samples.length > 0);
}

function fillIn<Source>(
  subject: Metric["subject"],
  rows: readonly Row<Source>[],
  sources: readonly (readonly [stack: string, source: Source])[],
  run: RunSummary,
): Metric[] {
  return rows.map(([name, unit, help, valueOf]) => {
    const { command } = run;
    const samples = sources.flatMap(([stack, source]) => samplesOf({ command, stack }, valueOf(source, run)));
    return { subject, name, unit, help, samples };
  });
}

function samplesOf(labels: Readonly<Record<string, string>>, value: Value): Metric["samples"] {
  if (value === undefined) return [];
  if (typeof value === "number") return [[labels, value]];
  return Object.entries(value).flatMap(([kind, counts]): Metric["samples"] =>
    typeof counts === "number"
      ? [[{ ...labels, kind }, counts]]
      : Object.entries(counts).map(([change, count]) => [{ ...labels, kind, change }, count]),
  );
}

/** All users may read the file, because the collector may run as another user. */
const MODE = 0o644;

/** Replaces the file atomically, because a collector may read it at any moment. */
export function metricsFileChannel(path: string): Channel {
  return {
    label: path,
    async end(summary, signal) {
      await refuseOtherFile(path, /^\s*#/, "a file of metrics");
      await writeAtomically(path, formatPrometheusText(summary), { mode: MODE, signal });
    },
  };
}

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
