import { cutText, fitText } from "../../core/text/fit-width.ts";
import type { Line, Span, Words } from "../document.ts";

/** A part of a text that differs: the common tokens before it, what was removed there, and what was added. */
interface Hunk {
  readonly common: readonly string[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Maximum number of comparisons of tokens. In longer texts, all between the first and the last difference counts as one change. */
const MAX_COMPARISONS = 1_000_000;

/** Characters of the common text that are shown beside a change. */
const CONTEXT = 16;
/** Maximum width of one changed piece, unless all is to be shown. */
const PIECE_WIDTH = 60;

/** Lists the lines that differ between two texts. A line that was only changed shows its changed words. */
export function changedLines(from: string, to: string, whole: boolean): Line[] {
  const { hunks } = diffTokens(from.split("\n"), to.split("\n"));
  return hunks.flatMap(({ removed, added }): Line[] => {
    const [before, after] = [removed[0] ?? "", added[0] ?? ""];
    if (removed.length === 1 && added.length === 1 && before !== "" && after !== "") {
      return [{ mark: "~", words: changedWords(before, after, whole) }];
    }
    return [
      ...removed.map((line): Line => ({ mark: "-", words: line })),
      ...added.map((line): Line => ({ mark: "+", words: line })),
    ];
  });
}

/** Returns the words that differ between two texts, each with some of the common text around it. */
export function changedWords(from: string, to: string, whole: boolean): Words {
  const { hunks, rest } = diffTokens(tokensOf(from), tokensOf(to));
  const piece = (tokens: readonly string[]): string => {
    const text = tokens.join("");
    return whole ? text : fitText(text.slice(0, 1000), PIECE_WIDTH);
  };
  const spans = hunks.flatMap(({ common, removed, added }, index): Span[] => [
    contextBetween(common.join(""), index === 0 ? "start" : "middle"),
    ...(removed.length === 0 ? [] : [{ removed: piece(removed) }]),
    ...(added.length === 0 ? [] : [{ added: piece(added) }]),
  ]);
  return [...spans, contextBetween(rest.join(""), "end")].filter((span) => span !== "");
}

/** Cuts a common text, and marks the cut: its end before a change, its beginning after a change, both between two changes. */
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

function diffTokens(
  from: readonly string[],
  to: readonly string[],
): { hunks: readonly Hunk[]; rest: readonly string[] } {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let [fromEnd, toEnd] = [from.length, to.length];
  while (fromEnd > start && toEnd > start && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd -= 1;
    toEnd -= 1;
  }
  const rest = from.slice(fromEnd);
  const [left, right] = [from.slice(start, fromEnd), to.slice(start, toEnd)];
  const common = from.slice(0, start);
  if (left.length * right.length > MAX_COMPARISONS) return { hunks: [{ common, removed: left, added: right }], rest };
  const [first, ...others] = hunksOf(left, right);
  if (first === undefined) return { hunks: [], rest };
  return { hunks: [{ ...first, common: [...common, ...first.common] }, ...others], rest };
}

/** Finds the changes between two lists of tokens that begin and end with a difference. */
function hunksOf(left: readonly string[], right: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [common, at, to] = [[] as string[], 0, 0];
  for (const [nextAt, nextTo] of [...commonTokens(left, right), [left.length, right.length] as const]) {
    if (nextAt > at || nextTo > to) {
      hunks.push({ common, removed: left.slice(at, nextAt), added: right.slice(to, nextTo) });
      common = [];
    }
    if (nextAt < left.length) common.push(left[nextAt] ?? "");
    [at, to] = [nextAt + 1, nextTo + 1];
  }
  return hunks;
}

/** Returns the positions of the longest common subsequence of two lists. */
function commonTokens(left: readonly string[], right: readonly string[]): (readonly [at: number, to: number])[] {
  const lengths = commonLengths(left, right);
  const width = right.length + 1;
  const found: (readonly [number, number])[] = [];
  let [at, to] = [0, 0];
  while (at < left.length && to < right.length) {
    if (left[at] === right[to]) {
      found.push([at, to]);
      at += 1;
      to += 1;
    } else if ((lengths[(at + 1) * width + to] ?? 0) >= (lengths[at * width + to + 1] ?? 0)) at += 1;
    else to += 1;
  }
  return found;
}

/** Returns for each pair of positions the length of the longest common subsequence of what follows. */
function commonLengths(left: readonly string[], right: readonly string[]): Uint32Array {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let at = left.length - 1; at >= 0; at -= 1) {
    for (let to = right.length - 1; to >= 0; to -= 1) {
      const diagonal = (lengths[(at + 1) * width + to + 1] ?? 0) + 1;
      const best = Math.max(lengths[(at + 1) * width + to] ?? 0, lengths[at * width + to + 1] ?? 0);
      lengths[at * width + to] = left[at] === right[to] ? diagonal : best;
    }
  }
  return lengths;
}
