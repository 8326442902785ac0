import { groupBy } from "../../core/collections.ts";
import type { BackupChanges, LoggedChange } from "../../core/diff.ts";
import { recordKey, type KindName, type RecordKey } from "../../core/records/record.ts";
import { joinNames, pluralize } from "../../core/text/format.ts";
import { fitText } from "../../core/text/fit-width.ts";
import { nounOf, pluralOf } from "../../kinds/nouns.ts";
import { plainWords } from "../document.ts";
import { changeLines } from "./changes.ts";
import { CHANGE_WORDS, renamedText } from "./diff.ts";

const INNER_WIDTH = 100;

/** Removed records come first, because an operator must not miss them. An alert shares the line of its added or removed dashboard. */
export function changedRecordLines(records: readonly LoggedChange[]): string[] {
  const whole = new Set(records.filter(({ change }) => change !== "changed").map(keyOf));
  const isWithHost = (record: LoggedChange): boolean => hostIn(record, whole) !== undefined;
  return CHANGE_WORDS.flatMap(({ word, mark }) =>
    records
      .filter((record) => record.change === word && !isWithHost(record))
      .map((record) => {
        const guests = records.filter((each) => hostIn(each, whole) === keyOf(record));
        return `${mark} ${lineOf(record)}${guestsText(guests)}`;
      }),
  );
}

export function changesSentence(
  records: Readonly<Record<KindName, number>>,
  changes: BackupChanges | undefined,
): string {
  const count = pluralize(
    Object.values(records).reduce((sum, ofKind) => sum + ofKind, 0),
    "record",
  );
  if (changes === undefined) return count;
  const { isSame, notRead, problem, since, recordsBefore } = changes;
  const then = timeInName(since);
  if (isSame) return `${count}, nothing changed since ${then}${notReadText(notRead)}`;
  if (problem === undefined) return `${count}, changed since ${then}${notReadText(notRead)}:`;
  const kinds = countsText(recordsBefore, records, (before, now) => before !== now);
  const counts = kinds === "" ? "" : `: ${kinds}`;
  if (problem.code === "wrong-key")
    return `${count}, changed since ${then}${counts} (what changed is not read: no given key opens these backups, --identity)`;
  return `${count}, changes since ${then} not read${counts} (${problem.message})`;
}

function countsText(
  recordsBefore: Readonly<Record<KindName, number>>,
  records: Readonly<Record<KindName, number>>,
  isShown: (before: number, now: number) => boolean,
): string {
  return Object.keys({ ...recordsBefore, ...records })
    .map((kind) => ({ kind, before: recordsBefore[kind] ?? 0, now: records[kind] ?? 0 }))
    .filter(({ before, now }) => isShown(before, now))
    .map(({ kind, before, now }) => `${pluralOf(kind)} ${before} → ${now}`)
    .join(", ");
}

const MAX_GONE = 5;

/** Empty if no record has disappeared. Names no record if the two backups could not be compared. */
export function disappearedText(
  records: Readonly<Record<KindName, number>>,
  { records: changed, recordsBefore, since }: BackupChanges,
): string {
  const then = timeInName(since);
  if (changed === undefined) {
    const fewer = countsText(recordsBefore, records, (before, now) => now < before);
    return fewer === "" ? "" : `fewer records than ${then}: ${fewer} (which ones is not read: --identity)`;
  }
  // A record that was deleted and created again is not gone.
  const isGone = (record: LoggedChange): boolean => {
    const alike = changed.filter((other) => sameName(other) === sameName(record)).map(({ change }) => change);
    const countOf = (word: LoggedChange["change"]): number => alike.filter((change) => change === word).length;
    return record.change === "removed" && countOf("removed") > countOf("added");
  };
  const lines = changedRecordLines(changed.filter(isGone));
  return lines.length === 0 ? "" : `gone since ${then}: ${joinNames(lines, MAX_GONE, (line) => line.slice(2))}`;
}

function sameName({ kind, name, livesOn }: LoggedChange): string {
  return JSON.stringify([kind, name, livesOn]);
}

function notReadText(notRead: BackupChanges["notRead"]): string {
  return notRead.length === 0 ? "" : `, ${notRead.map(({ kind }) => pluralOf(kind)).join(", ")} not read`;
}

function keyOf({ kind, leftId, rightId = leftId ?? "" }: LoggedChange): RecordKey {
  return recordKey(kind, rightId);
}

function hostIn({ livesOn = [] }: LoggedChange, keys: ReadonlySet<RecordKey>): RecordKey | undefined {
  return livesOn.find((host) => keys.has(host));
}

function guestsText(guests: readonly LoggedChange[]): string {
  const texts = [...groupBy(guests, ({ kind }) => kind)].map(([kind, { length }]) =>
    length === 1 ? nounOf(kind) : `${length} ${pluralOf(kind)}`,
  );
  return texts.length === 0 ? "" : ` and its ${texts.join(" and ")}`;
}

function lineOf(record: LoggedChange): string {
  const { kind, name, displayName, members } = record;
  const shown = name === "" ? (displayName ?? "(no name)") : `"${name}"`;
  const head = [`${nounOf(kind)} ${shown}`, renamedText(record)].filter((part) => part !== "");
  const inner = changeLines(members, false).map(
    ({ mark, words }) => `${mark === "~" ? "" : `${mark} `}${plainWords(words)}`,
  );
  return `${head.join(" ")}${inner.length === 0 ? "" : `: ${fitText(inner.join("; "), INNER_WIDTH)}`}`;
}

/** Returns a name without a time unchanged. */
export function timeInName(archive: string): string {
  const [, year, month, day, hour, minute, second] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(archive) ?? [];
  return year === undefined ? archive : `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
