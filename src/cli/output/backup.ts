import type { BackupEnd } from "../../backup/backup-all.ts";
import type { BackupResult } from "../../backup/backup.ts";
import type { StackCheck } from "../../backup/check.ts";
import type { JudgedArchive } from "../../backup/history/read-history.ts";
import { suspicion } from "../../backup/history/read-history.ts";
import type { BackupState } from "../../backup/history/state.ts";
import type { PruneVerdict, StayReason } from "../../backup/prune.ts";
import { counted } from "../../core/text/plural.ts";
import { printable } from "../../core/text/printable.ts";
import { sizeText } from "../../core/text/size-text.ts";
import type { BackupFigures } from "../../telemetry/channel.ts";
import type { RestoreTest } from "../wiring/restore-test.ts";
import type { Cell } from "./terminal/table.ts";
import { renderTable } from "./terminal/table.ts";
import type { OutputOptions } from "./terminal/theme.ts";

/** What notifications say of a stack's backups. */
export function backupFigures({ suspect, records, bytes, ageMs }: BackupState): BackupFigures {
  return {
    suspect,
    ...(records !== undefined && { records }),
    ...(bytes !== undefined && { bytes }),
    ...(ageMs !== undefined && { newestGoodAgeSeconds: ageMs / 1000 }),
  };
}

/** How each stack of a backup fared. */
export function backupText(ends: readonly BackupEnd[], repository: string, display: OutputOptions): string {
  const { theme } = display;
  if (ends.length === 0) return "no stack falls into this share\n";
  const rows = ends.map((end): Cell[] => {
    if (end.result === "failed") return [end.stack, { text: "✗ failed", paint: theme.bad }, "", "", end.error.code];
    const removed = end.pruned.filter(({ action }) => action === "remove").length;
    const isSuspect = end.suspect.length > 0;
    const word = isSuspect ? `✗ ${end.result}, suspect` : `✓ ${end.result}`;
    return [
      end.stack,
      { text: word, paint: isSuspect ? theme.bad : theme.good },
      sizeText(end.bytes),
      String(removed),
      end.archive,
    ];
  });
  const columns = [
    { title: "STACK" },
    { title: "RESULT" },
    { title: "STORED", align: "right" as const },
    { title: "REMOVED", align: "right" as const },
    { title: "NEWEST" },
  ];
  const failed = ends.flatMap((end) => (end.result === "failed" ? [end] : []));
  const problems = failed.map(({ stack, error }) => {
    const hint = error.hint === undefined ? "" : `  ${printable(error.hint)}\n`;
    return `${theme.bad("✗")} ${printable(`${stack}: ${error.message}`)}\n${hint}`;
  });
  const suspects = ends.flatMap((end) => (end.result === "failed" ? [] : suspectLines(end, repository, display)));
  const good = ends.length - failed.length;
  const summary = `${good} of ${ends.length} backed up to ${printable(repository)}\n`;
  // A single failure is said as the error of the run already.
  return [renderTable({ columns, rows }, display), ...(ends.length > 1 ? problems : []), ...suspects, summary].join("");
}

function suspectLines(
  { stack, archive, suspect }: BackupResult,
  repository: string,
  { theme }: OutputOptions,
): string[] {
  if (suspect.length === 0) return [];
  const lines = suspect.map(({ message }) => `${theme.bad("✗")} ${printable(`${archive} is suspect: ${message}`)}\n`);
  return [...lines, `  ${printable(acceptHint(stack, repository))}\n`];
}

/** What to do about a suspect backup. */
function acceptHint(stack: string, repository: string): string {
  const command = `stackferry check ${repository} --stack ${stack} --newest --accept-shrink`;
  return `check the stack, its address and its key; if it holds so little on purpose: ${command}`;
}

const WORDS: Readonly<Record<StayReason, string>> = {
  last: "last",
  hourly: "hourly",
  daily: "daily",
  weekly: "weekly",
  monthly: "monthly",
  yearly: "yearly",
  within: "within",
  "newest-good": "the newest good one",
  "no-good-archive": "no good backup is known",
  "not-recognised": "not a backup that stackferry made",
};

/** Why each backup stays, and which go. */
export function pruneText(verdicts: readonly PruneVerdict[], dryRun: boolean, display: OutputOptions): string {
  const { theme } = display;
  const rows = verdicts.map(({ archive, action, reasons }): Cell[] => [
    archive.name,
    sizeText(archive.bytes),
    action === "keep" ? { text: "keep", paint: theme.good } : { text: "remove", paint: theme.bad },
    reasons.map((reason) => WORDS[reason]).join(", "),
  ]);
  const columns = [{ title: "BACKUP" }, { title: "SIZE", align: "right" as const }, { title: "" }, { title: "WHY" }];
  const removed = verdicts.filter(({ action }) => action === "remove");
  const bytes = removed.reduce((sum, { archive }) => sum + archive.bytes, 0);
  const [verb, kept] = [dryRun ? "would be removed" : "removed", verdicts.length - removed.length];
  const summary = `${removed.length} ${verb} (${sizeText(bytes)}), ${kept} kept. Hours, days and weeks are those of UTC.\n`;
  return renderTable({ columns, rows }, display) + summary;
}

/** A verdict in the JSON document. */
export function describeVerdict({ archive, action, reasons }: PruneVerdict): Readonly<Record<string, unknown>> {
  const { name, stack, at, bytes } = archive;
  return { name, stack, time: new Date(at).toISOString(), bytes, action, reasons };
}

/** The backups in a repository. */
export function listText(archives: readonly JudgedArchive[], repository: string, display: OutputOptions): string {
  if (archives.length === 0) return `no backups in ${printable(repository)}\n`;
  const rows = archives.map((archive): Cell[] => {
    const { stack, at, bytes, encrypted, refused } = archive;
    const reasons = suspicion(archive).map(({ message }) => message);
    const suspect = reasons.length === 0 ? "" : `suspect: ${reasons.join("; ")}`;
    const problem = refused === undefined ? suspect : `refused: ${refused}`;
    const accepted = archive.entry?.accepted === true ? "accepted" : "";
    const remark: Cell = problem === "" ? accepted : { text: problem, paint: display.theme.bad };
    return [
      stack,
      new Date(at).toISOString().replace(".000", ""),
      sizeText(bytes),
      encrypted ? "encrypted" : "",
      remark,
    ];
  });
  const columns = [
    { title: "STACK" },
    { title: "TIME (UTC)" },
    { title: "SIZE", align: "right" as const },
    { title: "" },
    { title: "" },
  ];
  return renderTable({ columns, rows }, display);
}

/** A stored archive in the JSON document. */
export function describeArchive(archive: JudgedArchive): Readonly<Record<string, unknown>> {
  const { name, stack, at, bytes, encrypted, refused, entry } = archive;
  return {
    stack,
    time: new Date(at).toISOString(),
    bytes,
    encrypted,
    name,
    suspect: suspicion(archive),
    ...(entry?.accepted === true && { accepted: true }),
    ...(refused !== undefined && { refused }),
  };
}

/** What checking the backups of a repository found. */
export function checkText(
  checks: readonly StackCheck[],
  restoreTests: readonly RestoreTest[],
  repository: string,
  display: OutputOptions,
): string {
  const { theme } = display;
  const rows = checks.map(
    ({ stack, archives, checked, damaged, refused, encrypted, newestGood, ageMs, tooOld }): Cell[] => [
      stack,
      String(archives),
      String(checked - encrypted),
      badCount(damaged.length + refused.length, theme),
      { text: ageMs === undefined ? "none" : ageText(ageMs), paint: tooOld ? theme.bad : theme.good },
      newestGood ?? "",
    ],
  );
  const columns = [
    { title: "STACK" },
    { title: "BACKUPS", align: "right" as const },
    { title: "READ", align: "right" as const },
    { title: "DAMAGED", align: "right" as const },
    { title: "AGE", align: "right" as const },
    { title: "NEWEST GOOD" },
  ];
  const damaged = checks.flatMap((check) => [...check.damaged, ...check.refused]);
  const problems = damaged.map(({ archive, problem }) => `${theme.bad("✗")} ${printable(`${archive}: ${problem}`)}\n`);
  const encrypted = checks.reduce((sum, check) => sum + check.encrypted, 0);
  const notice = encrypted === 0 ? "" : theme.notice(`${encrypted} encrypted, not read: --identity gives a key\n`);
  const late = checks.filter(({ tooOld }) => tooOld).map(({ stack }) => `${theme.bad("✗")} ${lateText(stack)}\n`);
  return [
    renderTable({ columns, rows }, display),
    ...problems,
    ...checks.flatMap((check) => suspectChecks(check, repository, display)),
    notice,
    ...late,
    ...restoreTests.map((restoreTest) => restoreTestText(restoreTest, display)),
  ].join("");
}

function badCount(count: number, theme: OutputOptions["theme"]): Cell {
  return { text: String(count), paint: count > 0 ? theme.bad : theme.good };
}

function suspectChecks({ stack, suspect }: StackCheck, repository: string, { theme }: OutputOptions): string[] {
  if (suspect.length === 0) return [];
  const lines = suspect.map(
    ({ archive, problem }) => `${theme.bad("✗")} ${printable(`${archive} is suspect: ${problem}`)}\n`,
  );
  return [...lines, `  ${printable(acceptHint(stack, repository))}\n`];
}

function lateText(stack: string): string {
  return printable(`${stack}: there is no good backup that is recent enough`);
}

function restoreTestText({ stack, archive, ok, counts, problems }: RestoreTest, { theme }: OutputOptions): string {
  const created = counts["create"] ?? 0;
  const head = `${ok ? theme.good("✓") : theme.bad("✗")} ${printable(`${stack}: restoring ${archive} onto a sandbox`)}`;
  const lines = problems.map(({ kind, name, code, message }) => {
    return `  ${printable(`${kind} "${name}": ${code ?? ""} ${message ?? ""}`)}\n`;
  });
  return `${head} made ${counted(created, "record")}, ${problems.length} not restored\n${lines.join("")}`;
}

function ageText(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 1) return `${Math.max(0, Math.round(ms / 60_000))} min`;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} d`;
}
