import { diffArrays, type ArrayChange } from "diff";
import { cutText, fitText } from "../../core/text/fit-width.ts";
import type { Line, Span, Words } from "../document.ts";

/** Texts with more edits have one change, from the first difference to the last. */
const MAX_EDITS = 1000;

/** Characters of the common text beside a change. */
const CONTEXT = 16;
const PIECE_WIDTH = 60;

/** A single changed line shows only its changed words. */
export function changedLines(from: string, to: string, whole: boolean): Line[] {
  const changes = diffTokens(from.split("\n"), to.split("\n"));
  return changes.flatMap(({ added, removed, value }, index): Line[] => {
    const [before, after] = [changes[index - 1], changes[index + 1]];
    if (removed && isOneLine(value) && after?.added === true && isOneLine(after.value)) {
      return [{ mark: "~", words: changedWords(value.join(""), after.value.join(""), whole) }];
    }
    const isTold = added && before?.removed === true && isOneLine(before.value) && isOneLine(value);
    if (isTold || (!added && !removed)) return [];
    return value.map((line): Line => ({ mark: added ? "+" : "-", words: line }));
  });
}

function isOneLine(lines: readonly string[]): boolean {
  return lines.length === 1 && lines[0] !== "";
}

export function changedWords(from: string, to: string, whole: boolean): Words {
  const changes = diffTokens(tokensOf(from), tokensOf(to));
  const piece = (text: string): string => (whole ? text : fitText(text.slice(0, 1000), PIECE_WIDTH));
  const spans = changes.map(({ added, removed, value }, index): Span => {
    const text = value.join("");
    if (removed) return { removed: piece(text) };
    if (added) return { added: piece(text) };
    return contextBetween(text, index === 0 ? "start" : index === changes.length - 1 ? "end" : "middle");
  });
  return spans.filter((span) => span !== "");
}

function contextBetween(text: string, place: "start" | "middle" | "end"): string {
  const end = `…${text.slice(-CONTEXT)}`;
  if (text.length <= CONTEXT * (place === "middle" ? 2 : 1) + 1) return text;
  if (place === "start") return end;
  const beginning = `${cutText(text, CONTEXT)}…`;
  return place === "end" ? beginning : `${beginning}${end.slice(1)}`;
}

function tokensOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function diffTokens(from: string[], to: string[]): ArrayChange<string>[] {
  const found = diffArrays(from, to, { maxEditLength: MAX_EDITS });
  if (found !== undefined) return found;
  let start = 0;
  while (start < from.length && from[start] === to[start]) start += 1;
  const most = Math.min(from.length, to.length) - start;
  let end = 0;
  while (end < most && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  const changeOf = (value: string[], mark?: "added" | "removed"): ArrayChange<string> => {
    return { value, count: value.length, added: mark === "added", removed: mark === "removed" };
  };
  return [
    changeOf(from.slice(0, start)),
    changeOf(from.slice(start, from.length - end), "removed"),
    changeOf(to.slice(start, to.length - end), "added"),
    changeOf(from.slice(from.length - end)),
  ];
}
