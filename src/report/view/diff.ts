import type { Diff, LogEntry, LoggedChange, NotCompared, RecordChange, StackLog } from "../../core/diff.ts";
import { joinNames, pluralize, upperFirst } from "../../core/text/format.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import type { Block, Document, Fact, Mark, Note, RecordBlock, RecordItem } from "../document.ts";
import { changeLines } from "./changes.ts";
import { groupByKind } from "./outcomes.ts";
import { addressInWords } from "./words.ts";

export interface ComparedSides {
  readonly diff: Diff;
  readonly left: string;
  readonly right: string;
  readonly facts: readonly Fact[];
  readonly whole: boolean;
  /** False if a side is code files, whose ids are invented. */
  readonly hasIds: boolean;
}

export function diffDocument({ diff, left, right, facts, whole, hasIds }: ComparedSides): Document {
  const { changes, same, notCompared } = diff;
  const counts = changeCounts(changes);
  const notes = notCompared.map(({ kind, side, reason }) => ({
    text: `Not compared: ${pluralOf(kind)}, which ${NOT_COMPARED[reason](side)}.`,
    isFailure: reason === "failed",
  }));
  return {
    headline: `${left} → ${right}`,
    notes,
    facts,
    blocks: changeBlocks(changes, { whole, hasIds }),
    label: "Comparison",
    summary: `${counts}; ${pluralize(same, "record")} the same`,
    next: [],
  };
}

export function changeCounts(changes: readonly RecordChange[]): string {
  const counts = CHANGE_WORDS.map(({ word }) => ({
    word,
    count: changes.filter(({ change }) => change === word).length,
  }));
  const found = counts.filter(({ count }) => count > 0).map(({ word, count }) => `${count} ${word}`);
  return found.length === 0 ? "no difference" : found.join(", ");
}

/** In reading order: losses come first. */
export const CHANGE_WORDS = [
  { word: "removed", mark: "-" },
  { word: "changed", mark: "~" },
  { word: "added", mark: "+" },
] as const satisfies readonly { word: RecordChange["change"]; mark: Mark }[];

type ChangeOptions = Pick<ComparedSides, "whole" | "hasIds">;

function changeBlocks(changes: readonly LoggedChange[], options: ChangeOptions): RecordBlock[] {
  return CHANGE_WORDS.flatMap(({ word, mark }): RecordBlock[] => {
    const found = groupByKind(changes.filter(({ change }) => change === word)).flatMap(([, group]) => group);
    if (found.length === 0) return [];
    const records = found.map((change) => changeItem(change, options));
    return [{ is: "records", id: word, title: upperFirst(word), mark, word, groups: [{ records }], isWhole: true }];
  });
}

function changeItem(record: LoggedChange, { whole, hasIds }: ChangeOptions): RecordItem {
  const { kind, name, displayName = "", leftId = "", rightId = leftId, members, ambiguous } = record;
  const doubt = ambiguous === true ? "; several records on the right could match" : "";
  const renamed = renamedText(record);
  const ids = [...new Set([leftId, rightId])].filter((id) => id !== "").join(" → ");
  const facts: Fact[] = hasIds ? [["Id", { code: ids }]] : [];
  return {
    kind,
    id: rightId,
    name: name || displayName,
    more: `${renamed === "" ? "" : ` ${renamed}`}${doubt}`,
    lines: changeLines(members, whole),
    facts,
  };
}

const NOT_COMPARED: Readonly<Record<NotCompared["reason"], (side: string) => string>> = {
  failed: (side) => `could not be read completely on the ${side}`,
  "not-offered": (side) => `the ${side} side does not list`,
  "not-requested": (side) => `were not requested on the ${side}`,
};

export function logDocument(log: StackLog, facts: readonly Fact[], whole: boolean): Document {
  const { stack, entries, compared, first } = log;
  const differing = entries.filter(({ changes }) => changes.length > 0).length;
  const difference = differing === 0 ? "none differs" : differing === 1 ? "1 differs" : `${differing} differ`;
  const blocks = entries.map((entry): Block => {
    const { archive, time, changes } = entry;
    return {
      is: "section",
      id: archive.replaceAll(/[^\w-]/g, "-"),
      title: `${time.replace(".000", "")}  ${archive}`,
      blocks: [{ is: "notes", notes: notesOn(entry) }, ...changeBlocks(changes, { whole, hasIds: true })],
    };
  });
  const start =
    first === undefined ? "" : `; the oldest of them, ${first.archive}, has ${pluralize(first.records, "record")}`;
  return {
    headline: `History of ${stack}`,
    notes: [],
    facts,
    blocks,
    label: "History",
    summary:
      compared < 2
        ? `${pluralize(compared, "backup")} can be compared: a change needs two${start}`
        : `${pluralize(compared, "backup")} compared, ${difference} from the one before${start}`,
    next: [],
  };
}

const NOT_READ: Readonly<Record<NotCompared["reason"], string>> = {
  failed: "could not be read by this backup",
  "not-offered": "were not offered by the stack at this time",
  "not-requested": "were left out of this backup",
};

export function notesOn({ changes, notRead, movedFrom, problem }: LogEntry): Note[] {
  const notes: Note[] = [];
  if (problem !== undefined) {
    const text =
      changes.length > 0 ? "More may have changed, but a record cannot be read" : "This backup is not compared";
    notes.push({ text: `${text} (${problem.code}): ${problem.message}.`, isFailure: true });
  }
  if (movedFrom !== undefined) {
    const text = `This backup is of another stack than the one before it (${addressInWords(movedFrom)}): records have other ids there.`;
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

export function renamedText({ formerName }: LoggedChange): string {
  return formerName === undefined ? "" : `(was "${formerName}")`;
}
