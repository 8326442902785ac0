import type { BackupEnd, BackupResult } from "../../backup/backup.ts";
import type { JudgedArchive, BackupState } from "../../backup/history/read-history.ts";
import { suspectReasonsOf } from "../../backup/history/read-history.ts";
import { shrinkageText } from "../../backup/history/suspect.ts";
import type { PruneVerdict, StayReason } from "../../backup/prune.ts";
import { joinNames, sizeText } from "../../core/text/format.ts";
import { printable } from "../../core/text/printable.ts";
import type { FoundRecords } from "../../history/find-records.ts";
import { nounOf } from "../../kinds/nouns.ts";
import type { BackupFigures } from "../../telemetry/channel.ts";
import type { Cell, OutputOptions } from "./terminal.ts";
import { problemLine, renderTable } from "./terminal.ts";

export function backupFigures({ archives, suspect, records, shrunkFrom, bytes, ageMs }: BackupState): BackupFigures {
  return {
    archives,
    suspect,
    records,
    shrunkFrom,
    bytes,
    ...(ageMs !== undefined && { newestGoodAgeSeconds: ageMs / 1000 }),
  };
}

/** Renders the result of a backup run: a row for each stack, then the problems. */
export function backupText(ends: readonly BackupEnd[], repository: string, display: OutputOptions): string {
  const { theme } = display;
  if (ends.length === 0) return "no stack belongs to this shard\n";
  const rows = ends.map((end): Cell[] => {
    if (end.result === "failed")
      return [end.stack, { text: `✗ failed: ${end.error.code}`, paint: theme.bad }, "", "", ""];
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
  const columns = ["STACK", "RESULT", { right: "STORED" }, { right: "REMOVED" }, { below: "NEWEST" }];
  const failed = ends.flatMap((end) => (end.result === "failed" ? [end] : []));
  const problems = failed.map(({ stack, error }) => problemLine(`${stack}: ${error.message}`, error.hint, theme));
  const suspects = ends.flatMap((end) =>
    end.result === "failed"
      ? []
      : [
          ...firstLines(end, repository, display),
          ...shrinkageLines(end, display),
          ...suspectLines(end, repository, display),
        ],
  );
  const good = ends.length - failed.length;
  const summary = `${good} of ${ends.length} backed up to ${printable(repository)}\n`;
  // A single failure is already printed as the error of the run.
  return [renderTable({ columns, rows }, display), ...(ends.length > 1 ? problems : []), ...suspects, summary].join("");
}

/** Renders a line for a first backup. An emptied repository also looks like one if nothing knows its past, so the user is told. */
function firstLines({ stack, isFirst }: BackupResult, repository: string, { theme }: OutputOptions): string[] {
  return isFirst ? [theme.notice(`${printable(`first backup of ${stack} here (${repository})`)}\n`)] : [];
}

/** Renders a line for a backup that holds less than the one before: only a person can tell whether that was intended. */
function shrinkageLines({ stack, archive, shrinkage }: BackupResult, { theme }: OutputOptions): string[] {
  return shrinkage === "" ? [] : [theme.notice(`${printable(`${stack}: ${shrinkage} (${archive})`)}\n`)];
}

function suspectLines(
  { stack, archive, suspect, newlyPartial }: BackupResult,
  repository: string,
  { theme }: OutputOptions,
): string[] {
  const partial = newlyPartial.map((kind) => {
    const problem = `${archive} lacks some of the ${kind} of the stack, as the warnings say`;
    return problemLine(`${problem}; from the next run on, that is a warning alone`, undefined, theme);
  });
  if (suspect.length === 0) return partial;
  const lines = suspect.map(({ message }) => problemLine(`${archive} is suspect: ${message}`, undefined, theme));
  return [...partial, ...lines, `  ${printable(acceptHint(stack, repository))}\n`];
}

/** Returns the next step after a suspect backup. */
export function acceptHint(stack: string, repository: string): string {
  const command = `stackferry check ${repository} --stack ${stack} --newest --accept-suspect`;
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
  "not-recognised": "refused, as `list` says",
  damaged: "damaged: kept, and not counted",
  "clock-ahead": "this machine's clock is ahead of the repository's",
  "clock-jump": "this machine's clock may have been ahead",
};

/** Renders why each backup is kept, and which ones are removed. */
export function pruneText(verdicts: readonly PruneVerdict[], dryRun: boolean, display: OutputOptions): string {
  const { theme } = display;
  const rows = verdicts.map(({ archive, action, reasons }): Cell[] => [
    archive.name,
    sizeText(archive.bytes),
    action === "keep" ? { text: "keep", paint: theme.good } : { text: "remove", paint: theme.bad },
    reasons.map((reason) => WORDS[reason]).join(", "),
  ]);
  const columns = ["BACKUP", { right: "SIZE" }, "", { below: "WHY" }];
  const removed = verdicts.filter(({ action }) => action === "remove");
  const bytes = removed.reduce((sum, { archive }) => sum + archive.bytes, 0);
  const [verb, keptCount] = [dryRun ? "would be removed" : "removed", verdicts.length - removed.length];
  const summary = `${removed.length} ${verb} (${sizeText(bytes)}), ${keptCount} kept. Hours, days and weeks are those of UTC.\n`;
  return renderTable({ columns, rows }, display) + summary;
}

export function describeVerdict({ archive, action, reasons }: PruneVerdict): Readonly<Record<string, unknown>> {
  const { name, stack, at, bytes } = archive;
  return { name, stack, time: new Date(at).toISOString(), bytes, action, reasons };
}

export function listText(archives: readonly JudgedArchive[], repository: string, display: OutputOptions): string {
  if (archives.length === 0) return `no backups in ${printable(repository)}\n`;
  const rows = archives.map((archive): Cell[] => {
    const { stack, at, bytes, encrypted, refused, damaged } = archive;
    const reasons = suspectReasonsOf(archive).map(({ message }) => message);
    const suspect = reasons.length === 0 ? "" : `suspect: ${reasons.join("; ")}`;
    const unusable = damaged === undefined ? suspect : `damaged: ${damaged}`;
    const problem = refused === undefined ? unusable : `refused: ${refused}`;
    const accepted = archive.entry?.accepted === true ? "accepted" : "";
    const shrunk = shrinkageOf(archive);
    const alsoShrunk = problem.includes(shrunk) ? [] : [shrunk];
    const text = [problem, accepted, ...alsoShrunk].filter((part) => part !== "").join("; ");
    const remark: Cell = problem === "" ? text : { text, paint: display.theme.bad };
    return [
      stack,
      new Date(at).toISOString().replace(".000", ""),
      sizeText(bytes),
      encrypted ? "encrypted" : "",
      remark,
    ];
  });
  const columns = ["STACK", "TIME (UTC)", { right: "SIZE" }, "", { below: "" }];
  return renderTable({ columns, rows }, display);
}

/** Returns the counts that are lower than in the previous good backup: `alerts 14 → 10`. */
function shrinkageOf({ entry }: JudgedArchive): string {
  return entry?.shrunkFrom === undefined ? "" : shrinkageText(entry.shrunkFrom, entry.kinds);
}

export function describeArchive(archive: JudgedArchive): Readonly<Record<string, unknown>> {
  const { name, stack, at, bytes, encrypted, refused, damaged, entry } = archive;
  return {
    stack,
    time: new Date(at).toISOString(),
    bytes,
    encrypted,
    name,
    suspect: suspectReasonsOf(archive),
    ...(entry?.shrunkFrom !== undefined && { shrunkFrom: entry.shrunkFrom }),
    ...(entry?.accepted === true && { accepted: true }),
    refused,
    damaged,
  };
}

/** Renders which backups have the records that were searched for. */
export function foundText(found: readonly FoundRecords[], display: OutputOptions): string {
  const rows = found.flatMap(({ stack, records, searched, newest }) =>
    records.map(({ kind, id, name, archives }): Cell[] => {
      const isGone = archives.at(-1) !== newest;
      return [
        stack,
        `${nounOf(kind)} ${name === "" ? id : `"${name}"`}`,
        id,
        timeInName(archives[0]),
        timeInName(archives.at(-1)),
        `${archives.length} of ${searched}`,
        isGone ? { text: "not in the newest backup", paint: display.theme.bad } : "",
      ];
    }),
  );
  const columns = ["STACK", "RECORD", "ID", "FIRST", "LAST", { right: "BACKUPS" }, ""];
  const notes = [
    notSearched(found, ({ unread }) => unread, "they are damaged, encrypted or refused"),
    notSearched(found, ({ suspect }) => suspect, "they are suspect"),
  ];
  return `${renderTable({ columns, rows }, display)}${notes.join("")}`;
}

const MAX_NAMED = 5;

/** Names the backups that were not searched, and the reason; empty if there are none. */
function notSearched(
  found: readonly FoundRecords[],
  backupsOf: (stack: FoundRecords) => readonly string[],
  reason: string,
): string {
  const names = found.flatMap(backupsOf);
  if (names.length === 0) return "";
  return `${printable(`Not searched, because ${reason}: ${joinNames(names, MAX_NAMED, (name) => name)}.`)}\n`;
}

/** Returns the time in the name of an archive, in the form that `restore REPO/STACK@TIME` takes. */
function timeInName(archive = ""): string {
  return /(\d{8}T\d{6}Z)/.exec(archive)?.[1] ?? archive;
}
