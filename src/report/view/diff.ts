import type { Diff, LogEntry, LoggedChange, NotCompared, RecordChange, StackLog } from "../../core/diff.ts";
import type { KindName } from "../../core/records/record.ts";
import { joinNames, pluralize, upperFirst } from "../../core/text/format.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import { groupByKind } from "./outcomes.ts";

/** A comparison in the form that text, Markdown and pages show. */
export interface DiffView {
  /** The counts as a sentence: `1 added, 0 removed, 2 changed, 5 the same.` */
  readonly counts: string;
  /** The counts for a title: `1 added, 2 changed`, or `no difference`. */
  readonly title: string;
  readonly sections: readonly DiffSection[];
  /** A sentence for each kind that could not be compared. */
  readonly notCompared: readonly ViewNote[];
}

export interface ViewNote {
  readonly text: string;
  readonly isFailure: boolean;
}

/** The records of one kind that differ. */
export interface DiffSection {
  readonly kind: KindName;
  readonly rows: readonly DiffRow[];
}

export interface DiffRow {
  readonly change: RecordChange;
  /** The name, or the display name of a record without one; empty if it has neither. */
  readonly name: string;
  /** A doubt about the match of the record; empty if there is none. */
  readonly note: string;
}

export function countChanges(changes: readonly RecordChange[]) {
  return (["added", "removed", "changed"] as const).map((word) => ({
    word,
    count: changes.filter(({ change }) => change === word).length,
  }));
}

function countsText(counts: ReturnType<typeof countChanges>): string {
  return counts.map(({ word, count }) => `${count} ${word}`).join(", ");
}

/** Makes the view of a comparison. All outputs print this one view. */
export function diffView({ changes, same, notCompared }: Diff): DiffView {
  const counts = countChanges(changes);
  const isSame = changes.length === 0;
  return {
    counts: isSame
      ? `No difference: ${pluralize(same, "record")} the same.`
      : `${countsText(counts)}, ${same} the same.`,
    title: isSame ? "no difference" : countsText(counts.filter(({ count }) => count > 0)),
    sections: changeSections(changes),
    notCompared: notCompared.map(({ kind, side, reason }) => ({
      text: `Not compared: ${pluralOf(kind)}, which ${NOT_COMPARED[reason](side)}.`,
      isFailure: reason === "failed",
    })),
  };
}

function changeSections(changes: readonly RecordChange[]): DiffSection[] {
  return groupByKind(changes).map(([kind, group]) => ({ kind, rows: group.map(rowOf) }));
}

function rowOf(change: RecordChange): DiffRow {
  const { name, displayName = "", ambiguous } = change;
  const note = ambiguous === true ? "several records on the right could match" : "";
  return { change, name: name || displayName, note };
}

const NOT_COMPARED: Readonly<Record<NotCompared["reason"], (side: string) => string>> = {
  failed: (side) => `could not be read completely on the ${side}`,
  "not-offered": (side) => `the ${side} side does not list`,
  "not-requested": (side) => `were not requested on the ${side}`,
};

/** The history of a stack in the form that text and pages show. */
export interface LogView {
  readonly entries: readonly LogViewEntry[];
  /** A sentence that tells how many backups were compared and how many differ from the one before. */
  readonly summary: string;
  /** A sentence about the oldest backup that was compared; empty if none was. */
  readonly start: string;
}

export interface LogViewEntry {
  readonly entry: LogEntry;
  readonly sections: readonly DiffSection[];
  /** Sentences about the backup as a whole. */
  readonly notes: readonly ViewNote[];
}

/** Makes the view of a stack's history. All outputs print this one view. */
export function logView({ entries, compared, first }: StackLog): LogView {
  const differing = entries.filter(({ changes }) => changes.length > 0).length;
  const difference = differing === 0 ? "none differs" : differing === 1 ? "1 differs" : `${differing} differ`;
  return {
    entries: entries.map((entry) => ({
      entry,
      sections: changeSections(entry.changes),
      notes: notesOn(entry),
    })),
    summary:
      compared < 2
        ? `${pluralize(compared, "backup")} can be compared: a change needs two.`
        : `${pluralize(compared, "backup")} compared; ${difference} from the one before.`,
    start:
      first === undefined ? "" : `The oldest of them, ${first.archive}, has ${pluralize(first.records, "record")}.`,
  };
}

const PROBLEMS: Readonly<Record<NonNullable<LogEntry["problem"]>["code"], string>> = {
  "suspect-backup": "suspect, and not compared",
  "damaged-backup": "damaged, and not compared",
  "not-comparable": "not compared, because a record cannot be read",
  "refused-backup": "not compared",
  "encrypted-backup": "not compared",
};

const NOT_READ: Readonly<Record<NotCompared["reason"], string>> = {
  failed: "could not be read by this backup",
  "not-offered": "were not offered by the stack at this time",
  "not-requested": "were left out of this backup",
};

function notesOn({ changes, notRead, movedFrom, problem }: LogEntry): ViewNote[] {
  const notes: ViewNote[] = [];
  if (problem !== undefined) {
    const text =
      changes.length > 0
        ? "More may have changed, but a record cannot be read"
        : `This backup is ${PROBLEMS[problem.code]}`;
    notes.push({ text: `${text}: ${problem.message}.`, isFailure: true });
  }
  if (movedFrom !== undefined) {
    const text = `This backup is of another stack than the one before it (${movedFrom.baseUrl}): records have other ids there.`;
    notes.push({ text, isFailure: false });
  }
  for (const reason of new Set(notRead.map((kind) => kind.reason))) {
    const kinds = notRead.filter((kind) => kind.reason === reason);
    const names = upperFirst(joinNames(kinds, 20, ({ kind }) => pluralOf(kind)));
    const text = `${names} ${NOT_READ[reason]}; their changes appear with the next backup.`;
    notes.push({ text, isFailure: reason === "failed" });
  }
  return notes;
}

/** Returns `(was "Checkout")` for a record that was renamed from that name, and an empty text for any other record. */
export function renamedText({ formerName }: LoggedChange): string {
  return formerName === undefined ? "" : `(was "${formerName}")`;
}
