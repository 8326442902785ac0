import { writeAtomically, refuseOtherFile } from "../files/atomic-write.ts";
import type { BackupFigures, Channel, RunSummary, StackEnd } from "./channel.ts";
import { recordsLost } from "./channel.ts";

/** Readable by all: the collector runs as another user, and the file contains no secret. */
const MODE = 0o644;

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

/**
 * Returns the channel that writes a run as Prometheus text. It replaces the file atomically, because a collector may read the file
 * at any moment. Collectors read only files called `*.prom`.
 */
export function metricsFileChannel(path: string): Channel {
  return {
    label: path,
    async end(summary, signal) {
      await refuseOtherFile(path, /^\s*#/, "a file of metrics");
      await writeAtomically(path, formatMetrics(summary), { mode: MODE, signal });
    },
  };
}

/** Returns a run as Prometheus text 0.0.4. An empty label `stack` means the run as a whole. */
export function formatMetrics(run: RunSummary): string {
  const labels = { command: run.command, stack: run.stack };
  const seconds = (ms: number): number => ms / 1000;
  const ends = [run, ...run.stacks.filter(({ stack }) => stack !== run.stack)];
  const perStack = (value: (end: StackEnd) => number): Sample[] =>
    ends.map((end) => [{ command: run.command, stack: end.stack }, value(end)]);
  const records = Object.entries(run.records).map(([kind, count]): Sample => [{ ...labels, kind }, count]);
  return [
    familyText(
      "last_run_timestamp_seconds",
      "When the last run ended, Unix time.",
      perStack(() => seconds(run.startedAt + run.durationMs)),
    ),
    familyText(
      "last_run_success",
      "1 when the last run ended with exit code 0, else 0.",
      perStack(({ exitCode }) => Number(exitCode === 0)),
    ),
    familyText(
      "last_run_exit_code",
      "Exit code of the last run.",
      perStack(({ exitCode }) => exitCode),
    ),
    familyText("last_run_duration_seconds", "How long the last run took.", [[labels, seconds(run.durationMs)]]),
    familyText("last_run_records", "Records that the last run dealt with, by kind.", records),
    familyText("last_run_requests", "Requests that the last run sent to stacks.", [[labels, run.requests]]),
    familyText("last_run_warnings", "Warnings that the last run gave.", [[labels, run.warnings]]),
    ...backupFamilies(run),
  ].join("");
}

/** Returns the metrics of each stack's backups, after a run of `backup` or `check`. */
function backupFamilies({ command, stacks, startedAt, durationMs }: RunSummary): string[] {
  const samplesOf = (of: (figures: BackupFigures, labels: Labels) => readonly Sample[]): Sample[] =>
    stacks.flatMap(({ stack, backup }) => (backup === undefined ? [] : of(backup, { command, stack })));
  const endedAt = (startedAt + durationMs) / 1000;
  return [
    familyText(
      "backup_records",
      "Records in the newest backup, by kind.",
      samplesOf(({ records = {} }, labels) =>
        Object.entries(records).map(([kind, count]): Sample => [{ ...labels, kind }, count]),
      ),
    ),
    familyText(
      "backup_records_lost",
      "Records that the newest backup lacks compared with the good one before it, by kind.",
      samplesOf((figures, labels) =>
        Object.entries(recordsLost(figures)).map(([kind, count]): Sample => [{ ...labels, kind }, count]),
      ),
    ),
    familyText(
      "backup_size_bytes",
      "Size of the newest backup.",
      samplesOf(({ bytes }, labels) => (bytes === undefined ? [] : [[labels, bytes]])),
    ),
    familyText(
      "backup_archives",
      "Backups of the stack in the repository.",
      samplesOf(({ archives }, labels) => [[labels, archives]]),
    ),
    familyText(
      "backup_suspect",
      "1 where the newest backup holds much less than the last good one, else 0.",
      samplesOf(({ suspect }, labels) => [[labels, Number(suspect)]]),
    ),
    familyText(
      "backup_newest_good_age_seconds",
      "Age of the newest good backup when the run ended.",
      samplesOf(({ newestGoodAgeSeconds: age }, labels) => (age === undefined ? [] : [[labels, age]])),
    ),
    familyText(
      "backup_newest_good_timestamp_seconds",
      "When the stack was last known to equal the newest good backup, Unix time; 0 where there is no good backup.",
      samplesOf(({ newestGoodAgeSeconds: age }, labels) => [[labels, age === undefined ? 0 : endedAt - age]]),
    ),
  ];
}

function familyText(name: string, help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return "";
  const lines = samples.map(([labels, value]) => `stackferry_${name}{${labelText(labels)}} ${value}\n`);
  return `# HELP stackferry_${name} ${help}\n# TYPE stackferry_${name} gauge\n${lines.join("")}`;
}

function labelText(labels: Labels): string {
  const escape = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escape(value)}"`)
    .join(",");
}
