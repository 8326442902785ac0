import { labelOf } from "../../core/records/record.ts";
import { suspectReasonsOf, type JudgedArchive } from "../../backup/history.ts";
import { shrinkageText, type SuspectReason } from "../../backup/suspect.ts";
import { MAX_NAMED, joinNames, formatSize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import type { FoundRecords } from "../../history/find-records.ts";
import { nounOf, pluralOf } from "../../kinds/nouns.ts";
import type { OutputOptions } from "./terminal.ts";
import { renderTable, type Cell } from "./table.ts";

/** The reasons in a few words. The run that stored the backup has printed the whole sentence, and `check` prints it again. */
const SHORT_REASONS: Readonly<Partial<Record<SuspectReason["code"], string>>> = {
  empty: "no dashboards, no alerts",
  emptied: "the repository was emptied",
  "other-stack": "another address",
};

export function backupListText(archives: readonly JudgedArchive[], repository: string, display: OutputOptions): string {
  if (archives.length === 0) return `no backups in ${printableText(repository)}\n`;
  const rows = archives.map((archive): Cell[] => {
    const { stack, at, bytes, encrypted, refused, damaged, entry, isAccepted, state } = archive;
    const reasons = suspectReasonsOf(archive).map((reason) => SHORT_REASONS[reason.code] ?? reason.message);
    const suspect = reasons.length === 0 ? "" : `suspect: ${reasons.join("; ")}`;
    const unusable = damaged === undefined ? suspect : `damaged: ${damaged}`;
    const unused = state === "unfinished" ? `unfinished: ${refused}` : `refused: ${refused}`;
    const problem = refused === undefined ? unusable : unused;
    const accepted = isAccepted ? "accepted" : "";
    const unread = Object.keys(entry?.kinds ?? {}).filter((kind) => entry?.kinds[kind]?.status === "failed");
    const lacks = unread.length === 0 ? "" : `lacks ${unread.map(pluralOf).join(", ")}`;
    // For instance `alerts 14 → 10`.
    const shrunk = entry?.shrunkFrom === undefined ? "" : shrinkageText(entry.shrunkFrom, entry.kinds);
    const alsoShrunk = problem.includes(shrunk) ? [] : [shrunk];
    const text = [problem, accepted, lacks, ...alsoShrunk].filter((part) => part !== "").join("; ");
    const remark: Cell = problem + lacks === "" ? text : { text, paint: display.theme.bad };
    return [
      stack,
      new Date(at).toISOString().replace(".000", ""),
      formatSize(bytes),
      encrypted ? "encrypted" : "",
      remark,
    ];
  });
  const columns = ["STACK", "TIME (UTC)", { right: "SIZE" }, "", { below: "" }];
  return renderTable({ columns, rows }, display);
}

export function archiveMembers(archive: JudgedArchive): Readonly<Record<string, unknown>> {
  const { name, stack, at, bytes, encrypted, refused, damaged, entry, isAccepted, state } = archive;
  const changes = entry?.changes;
  return {
    stack,
    time: new Date(at).toISOString(),
    bytes,
    encrypted,
    name,
    suspect: suspectReasonsOf(archive),
    ...(changes !== undefined && { changes }),
    ...(entry?.shrunkFrom !== undefined && { shrunkFrom: entry.shrunkFrom }),
    ...(isAccepted && { accepted: true }),
    ...(state !== undefined && { state }),
    refused,
    damaged,
  };
}

export function foundRecordsText(found: readonly FoundRecords[], display: OutputOptions): string {
  const rows = found.flatMap(({ stack, records, searched, newest }) =>
    records.map((record): Cell[] => {
      const { kind, id, archives } = record;
      const isGone = archives.at(-1) !== newest;
      return [
        stack,
        `${nounOf(kind)} "${labelOf(record)}"`,
        id,
        timeInName(archives[0]),
        timeInName(archives.at(-1)),
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
    noteOn("not searched", [...encrypted], " (encrypted: --identity gives a key)"),
    noteOn("not searched", unusable, " (damaged or refused)"),
    noteOn("searched, although suspect", suspect),
  ];
  return `${rows.length === 0 ? "" : renderTable({ columns, rows }, display)}${notes.join("")}`;
}

/** Names the backups to which a note applies; empty if there are none. */
function noteOn(note: string, names: readonly string[], reason = ""): string {
  if (names.length === 0) return "";
  return `${printableText(`${note}: ${joinNames(names, MAX_NAMED, (name) => name)}${reason}`)}\n`;
}

/** Returns the time in the name of an archive, in the form that `restore REPO/STACK@TIME` takes. */
function timeInName(archive = ""): string {
  return /(\d{8}T\d{6}Z)/.exec(archive)?.[1] ?? archive;
}
