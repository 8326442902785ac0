import type { NotCompared } from "../../core/diff.ts";
import { joinNames, pluralize, upperFirst } from "../../core/text/format.ts";
import type { LoggedChange, LogEntry, StackLog } from "../../core/log.ts";
import { pluralOf } from "../../kinds/names.ts";
import type { DiffView } from "./diff.ts";
import { diffView } from "./diff.ts";

/** The view of a log. Text and page print the same. */
export interface LogView {
  readonly entries: readonly LogViewEntry[];
  /** `3 backups differ from the one before; 12 were compared.` */
  readonly summary: string;
  /** The backup before the first change. */
  readonly start: string;
}

export interface LogViewEntry {
  readonly entry: LogEntry;
  /** `1 changed, 1 removed`; empty if no change is known. */
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

/** Makes the one view of a log that all outputs print. */
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
      )} ${REASONS[reason]}; their changes are told with the next one.`,
      isFailure: reason === "failed",
    })),
  ];
  return { entry, counts: counts.join(", "), sections, notes };
}

/** `(was "Checkout")` for a renamed record; empty for any other. */
export function renamedText({ formerName }: LoggedChange): string {
  return formerName === undefined ? "" : `(was "${formerName}")`;
}
