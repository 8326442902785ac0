import type { NotCompared } from "../../core/diff.ts";
import { joinNames, pluralize, upperFirst } from "../../core/text/format.ts";
import type { LoggedChange, LogEntry, StackLog } from "../../core/log.ts";
import { pluralOf } from "../../kinds/registry.ts";
import type { DiffView } from "./diff.ts";
import { diffView } from "./diff.ts";

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
  /** The counts of the changes: `1 changed, 1 removed`; empty if no change is known. */
  readonly counts: string;
  readonly sections: DiffView["sections"];
  /** Sentences about the backup as a whole. */
  readonly notes: readonly { readonly text: string; readonly isFailure: boolean }[];
}

const REASONS: Readonly<Record<NotCompared["reason"], string>> = {
  failed: "could not be read by this backup",
  "not-offered": "were not offered by the stack at this time",
  "not-requested": "were left out of this backup",
};

const PROBLEMS: Readonly<Record<NonNullable<LogEntry["problem"]>["code"], string>> = {
  "suspect-backup": "suspect, and not compared",
  "damaged-backup": "damaged, and not compared",
  "not-comparable": "not compared, because a record cannot be read",
  "refused-backup": "not compared",
  "encrypted-backup": "not compared",
};

function problemOf(code: keyof typeof PROBLEMS, isComparedInPart: boolean): string {
  return isComparedInPart ? "More may have changed, but a record cannot be read" : `This backup is ${PROBLEMS[code]}`;
}

/** Makes the view of a stack's history. All outputs print this one view. */
export function logView({ entries, compared, first }: StackLog): LogView {
  const differing = entries.filter(({ changes }) => changes.length > 0).length;
  const difference = differing === 1 ? "1 differs" : `${differing} differ`;
  return {
    entries: entries.map(viewOf),
    summary:
      compared < 2
        ? `${pluralize(compared, "backup")} can be compared: a change needs two.`
        : `${pluralize(compared, "backup")} compared; ${differing === 0 ? "none differs" : difference} from the one before.`,
    start:
      first === undefined ? "" : `The oldest of them, ${first.archive}, has ${pluralize(first.records, "record")}.`,
  };
}

function viewOf(entry: LogEntry): LogViewEntry {
  const { changes, notRead, movedFrom, problem } = entry;
  const { sections } = diffView({ changes, same: 0, notCompared: [] });
  const counts = (["added", "removed", "changed"] as const).flatMap((word) => {
    const count = changes.filter(({ change }) => change === word).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const notes = [
    ...(problem === undefined
      ? []
      : [{ text: `${problemOf(problem.code, changes.length > 0)}: ${problem.message}.`, isFailure: true }]),
    ...(movedFrom === undefined
      ? []
      : [
          {
            text: `This backup is of another stack than the one before it (${movedFrom.baseUrl}): records have other ids there.`,
            isFailure: false,
          },
        ]),
    ...[...new Set(notRead.map(({ reason }) => reason))].map((reason) => ({
      text: `${upperFirst(
        joinNames(
          notRead.filter((kind) => kind.reason === reason),
          20,
          ({ kind }) => pluralOf(kind),
        ),
      )} ${REASONS[reason]}; their changes appear with the next backup.`,
      isFailure: reason === "failed",
    })),
  ];
  return { entry, counts: counts.join(", "), sections, notes };
}

/** Returns `(was "Checkout")` for a record that was renamed from that name, and an empty text for any other record. */
export function renamedText({ formerName }: LoggedChange): string {
  return formerName === undefined ? "" : `(was "${formerName}")`;
}
