import { readHistory, suspectReasonsOf, type JudgedArchive } from "../../backup/history.ts";
import { repositoryArgument, stackFilterFlag } from "../program/flags.ts";
import { emitEmptiedWarning, emitMissingWarning } from "../../backup/earlier-backups.ts";
import { findRecordsInBackups, type FoundRecords } from "../../history/find-records.ts";
import type { ArchiveEntry, SuspectReason } from "../../backup/archive-entry.ts";
import { countsOf } from "../../backup/suspect.ts";
import { labelOf } from "../../core/records/record.ts";
import { formatSize, joinNames, MAX_NAMED } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { nounOf, pluralOf } from "../../kinds/nouns.ts";
import { timeInName } from "../../report/view/backup-changes.ts";
import { renderTable, type Cell } from "../output/table.ts";
import type { OutputOptions } from "../output/terminal.ts";
import { defineCommand } from "../program/define-command.ts";
import { createRunRedactor } from "../inputs/config.ts";
import { createBackupContext, openRepositoryFor } from "../inputs/repository.ts";
import { listBackedUpStacks } from "../inputs/argument.ts";

/** Without `--include`, opens only backups whose entry is missing or wrong. */
export const command = defineCommand({
  positionals: { repository: repositoryArgument },
  flags: {
    stack: stackFilterFlag,
    include: {
      array: true,
      describe: "Show which backups have a record of this name or id (* and ? allowed); repeatable",
    },
  },
  examples: [
    ["list /var/backups/stacks", "every backup by stack, the newest first, and which are suspect"],
    ['list /var/backups/stacks --include "Checkout"', "the first and the last backup that has a dashboard"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  run: async (request, session) => {
    await using repository = await openRepositoryFor(request.repository, session);
    const { address } = repository;
    const context = await createBackupContext(repository, session);
    const { stored, stacks } = await listBackedUpStacks(request, repository, session);
    if (request.stack.length === 0) emitEmptiedWarning(stored, context);
    const archives: JudgedArchive[] = [];
    for (const stack of stacks) {
      const history = await readHistory(stack, context);
      archives.push(...history.archives);
      await emitMissingWarning(history, context);
    }
    if (request.include.length === 0) {
      return {
        exitCode: 0,
        text: (display) => backupListText(archives, address, display),
        details: { repository: address, archives: archives.map(archiveMembers) },
      };
    }
    const redact = await createRunRedactor(session);
    const found = await findRecordsInBackups(stacks, request.include, redact, context);
    return {
      exitCode: found.some(({ unread }) => unread.length > 0) ? 3 : 0,
      text: (display) => foundRecordsText(found, display),
      details: { repository: address, found },
    };
  },
});

/** `backup` and `check` print the whole sentence. */
const SHORT_REASONS: Readonly<Partial<Record<SuspectReason["code"], string>>> = {
  empty: "no dashboards, no alerts",
  "missing-backup": "the repository was emptied",
  "other-stack": "another address",
  "wrong-key": "other readers than before",
};

function backupListText(archives: readonly JudgedArchive[], repository: string, display: OutputOptions): string {
  if (archives.length === 0) return `no backups in ${printableText(repository)}\n`;
  const rows = archives.map((archive): Cell[] => {
    const { name, stack, bytes, entry } = archive;
    const { text, isBad } = remarkOn(archive);
    return [
      stack,
      timeInName(name),
      entry === undefined ? "" : String(Object.values(countsOf(entry.kinds)).reduce((sum, count) => sum + count, 0)),
      formatSize(bytes),
      isBad ? { text, paint: display.theme.bad } : text,
    ];
  });
  const columns = ["STACK", "TIME", { right: "RECORDS" }, { right: "SIZE" }, { below: "CHANGES" }];
  return renderTable({ columns, rows }, display);
}

function remarkOn(archive: JudgedArchive): { readonly text: string; readonly isBad: boolean } {
  const { encrypted, entry, isSigned, isAccepted } = archive;
  const problem = problemOf(archive);
  const unread = Object.keys(entry?.kinds ?? {}).filter((kind) => entry?.kinds[kind]?.status === "failed");
  const lacks = unread.length === 0 ? "" : `lacks ${unread.map(pluralOf).join(", ")}`;
  const parts = [
    changesText(entry?.changes),
    encrypted ? "encrypted" : "",
    isSigned ? "signed" : "",
    problem,
    isAccepted ? "accepted" : "",
    lacks,
  ];
  return { text: parts.filter((part) => part !== "").join("; "), isBad: problem + lacks !== "" };
}

function problemOf(archive: JudgedArchive): string {
  const { flaw } = archive;
  if (flaw === undefined) return archive.entry === undefined ? "no entry fits it: `check` with its key tells more" : "";
  const reasons = suspectReasonsOf(archive).map((reason) => SHORT_REASONS[reason.code] ?? reason.message);
  const what = flaw.code === "suspect-backup" ? reasons.join("; ") : flaw.message;
  return `${flaw.code.replace("-backup", "")}: ${what}`;
}

function changesText(changes: ArchiveEntry["changes"]): string {
  if (changes === undefined) return "";
  const count = (word: "added" | "removed" | "changed"): number =>
    Object.values(changes).reduce((sum, ofKind) => sum + ofKind[word], 0);
  const parts = [
    ["+", count("added")],
    ["-", count("removed")],
    ["~", count("changed")],
  ] as const;
  return parts.flatMap(([mark, records]) => (records > 0 ? [`${mark}${records}`] : [])).join(" ") || "no change";
}

function archiveMembers(archive: JudgedArchive): Readonly<Record<string, unknown>> {
  const { name, stack, at, bytes, encrypted, flaw, entry, isSigned, isAccepted } = archive;
  return {
    stack,
    time: new Date(at).toISOString(),
    bytes,
    encrypted,
    signed: isSigned,
    records: entry && countsOf(entry.kinds),
    name,
    suspect: suspectReasonsOf(archive),
    changes: entry?.changes,
    ...(isAccepted && { accepted: true }),
    flaw,
  };
}

function foundRecordsText(found: readonly FoundRecords[], display: OutputOptions): string {
  const rows = found.flatMap(({ stack, records, searched, newest }) =>
    records.map((record): Cell[] => {
      const { kind, id, archives } = record;
      const isGone = archives.at(-1) !== newest;
      return [
        stack,
        `${nounOf(kind)} "${labelOf(record)}"`,
        id,
        timeInName(archives[0] ?? ""),
        timeInName(archives.at(-1) ?? ""),
        `${archives.length} of ${searched}`,
        isGone ? { text: "not in the newest backup", paint: display.theme.bad } : "",
      ];
    }),
  );
  const columns = ["STACK", "RECORD", "ID", "FIRST", "LAST", { right: "BACKUPS" }, ""];
  const encrypted = new Set(found.flatMap((stack) => stack.encrypted));
  const unusable = found.flatMap(({ unread }) => unread.filter((name) => !encrypted.has(name)));
  const suspect = found.flatMap((stack) => stack.suspect);
  const notes = [
    noteOn("not searched", [...encrypted], " (encrypted, and no given key opens them: --identity)"),
    noteOn("not searched", unusable, " (damaged or refused)"),
    noteOn("searched, although suspect", suspect),
  ];
  return `${rows.length === 0 ? "" : renderTable({ columns, rows }, display)}${notes.join("")}`;
}

function noteOn(note: string, names: readonly string[], reason = ""): string {
  if (names.length === 0) return "";
  return `${printableText(`${note}: ${joinNames(names, MAX_NAMED, (name) => name)}${reason}`)}\n`;
}
