import type { Diff, NotCompared, RecordChange } from "../../core/diff.ts";
import type { KindName } from "../../core/records/record.ts";
import { pluralize } from "../../core/text/format.ts";
import { pluralOf, inReadingOrder } from "../../kinds/registry.ts";

/** A comparison in the form that text, Markdown and pages show. */
export interface DiffView {
  /** The counts as a sentence: `1 added, 0 removed, 2 changed, 5 the same.` */
  readonly counts: string;
  /** The counts for a title: `1 added, 2 changed`, or `no difference`. */
  readonly title: string;
  readonly sections: readonly DiffSection[];
  /** A sentence for each kind that could not be compared. */
  readonly notCompared: readonly { readonly text: string; readonly isFailure: boolean }[];
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

const CHANGES = ["added", "removed", "changed"] as const;

/** Makes the view of a comparison. All outputs print this one view. */
export function diffView({ changes, same, notCompared }: Diff): DiffView {
  const kinds = inReadingOrder([...new Set(changes.map(({ kind }) => kind))], (kind) => kind);
  const counts = CHANGES.map((word) => ({ word, count: changes.filter(({ change }) => change === word).length }));
  const textOf = (some: typeof counts): string => some.map(({ word, count }) => `${count} ${word}`).join(", ");
  return {
    counts:
      changes.length === 0
        ? `No difference: ${pluralize(same, "record")} the same.`
        : `${textOf(counts)}, ${same} the same.`,
    title: changes.length === 0 ? "no difference" : textOf(counts.filter(({ count }) => count > 0)),
    sections: kinds.map((kind) => ({ kind, rows: changes.filter((change) => change.kind === kind).map(rowOf) })),
    notCompared: notCompared.map((entry) => ({ text: notComparedText(entry), isFailure: entry.reason === "failed" })),
  };
}

function rowOf(change: RecordChange): DiffRow {
  const { name, displayName = "", ambiguous } = change;
  return {
    change,
    name: name || displayName,
    note: ambiguous === true ? "several records on the right could match" : "",
  };
}

const REASONS: Readonly<Record<NotCompared["reason"], string>> = {
  failed: "could not be read completely",
  "not-offered": "are not listed there",
  "not-requested": "were not requested",
};

function notComparedText({ kind, side, reason }: NotCompared): string {
  return `Not compared: ${pluralOf(kind)}, which on the ${side} ${REASONS[reason]}.`;
}
