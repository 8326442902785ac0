import { getOrMake } from "../core/collections.ts";

/** Functions that search a text for the words of several lists. */
export interface WordSearch {
  /** Returns the positions of the lists that have a word in the text. */
  readonly listsIn: (text: string) => ReadonlySet<number>;
  /** Tells whether any list has a word in the text. */
  readonly test: (text: string) => boolean;
}

/**
 * Creates a search for the words of many lists, in upper or lower case. It takes one pass over a text (Aho and Corasick, 1975). A
 * regular expression with as many alternatives takes ten times as long.
 * @param lists the words in lower case
 */
export function wordSearch(lists: readonly (readonly string[])[]): WordSearch {
  const key = JSON.stringify(lists);
  if (searches.size >= MAX_SEARCHES) searches.clear();
  return getOrMake(searches, key, () => makeSearch(lists));
}

/** Creates a test of whether a text has one of the words, in upper or lower case. */
export function wordTest(words: readonly string[]): (text: string) => boolean {
  return wordSearch([words]).test;
}

/** Cached searches: building one takes some milliseconds, and every run in this process needs the same searches. */
const searches = new Map<string, WordSearch>();
const MAX_SEARCHES = 20;

const NON_ASCII = /[\u0080-\uffff]/;

/**
 * Creates a search with two tables. Words with letters outside of ASCII have a table of their own, because they have hundreds of
 * letters, each a column of the table. It is built only for the first text with such a letter, because building it takes longer
 * than most short runs.
 */
function makeSearch(lists: readonly (readonly string[])[]): WordSearch {
  const only = (isForeign: boolean) =>
    tableSearch(lists.map((words) => words.filter((word) => NON_ASCII.test(word) === isForeign)));
  const ascii = only(false);
  let foreign: WordSearch | undefined;
  const foreignFor = (text: string) => (NON_ASCII.test(text) ? (foreign ??= only(true)) : undefined);
  return {
    listsIn: (text) => new Set([...ascii.listsIn(text), ...(foreignFor(text)?.listsIn(text) ?? [])]),
    test: (text) => ascii.test(text) || foreignFor(text)?.test(text) === true,
  };
}

function tableSearch(lists: readonly (readonly string[])[]): WordSearch {
  const { ascii, otherCodes, count: width } = characterClasses(lists.flat());
  const { next, matchingLists } = automaton(lists, { ascii, otherCodes, count: width });
  const ends = Uint8Array.from(matchingLists, (positions) => Number(positions.length > 0));
  /** Passes each state in which a word ends to `visit`, until `visit` returns true. */
  const walk = (text: string, visit: (state: number) => boolean): boolean => {
    let state = 0;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      const letter = code < 128 ? (ascii[code] ?? 0) : (otherCodes.get(code) ?? 0);
      state = next[state * width + letter] ?? 0;
      if (ends[state] === 1 && visit(state)) return true;
    }
    return false;
  };
  const listsIn = (text: string): Set<number> => {
    const positions = new Set<number>();
    walk(text, (state) => {
      for (const position of matchingLists[state] ?? []) positions.add(position);
      return false;
    });
    return positions;
  };
  return { listsIn, test: (text) => walk(text, () => true) };
}

/**
 * Numbers for characters: those of the words are numbered from 1, and both cases of a letter share a number. All other characters
 * have the number 0.
 */
interface Classes {
  readonly ascii: Uint16Array;
  readonly otherCodes: ReadonlyMap<number, number>;
  readonly count: number;
}

function characterClasses(words: readonly string[]): Classes {
  const ascii = new Uint16Array(128);
  const otherCodes = new Map<number, number>();
  let count = 1;
  for (const character of new Set(words.join("").split(""))) {
    for (const form of [character, character.toUpperCase()]) {
      const code = form.charCodeAt(0);
      // The Turkish dotless i is skipped: its capital is I, which is also the capital of i.
      if (form.length > 1 || form.toLowerCase() !== character) continue;
      if (code < 128) ascii[code] = count;
      else otherCodes.set(code, count);
    }
    count += 1;
  }
  return { ascii, otherCodes, count };
}

/** For each state: the next state by class of character, and the lists with a word that ends in the state. */
interface Automaton {
  readonly next: Uint16Array;
  readonly matchingLists: readonly (readonly number[])[];
}

function automaton(lists: readonly (readonly string[])[], { ascii, otherCodes, count: width }: Classes): Automaton {
  const size = lists.flat().reduce((sum, word) => sum + word.length, 1);
  const next = new Uint16Array(size * width);
  const matchingLists: number[][] = [[]];
  /** For each state, the cells that lead to a longer beginning of a word. */
  const ownCells: number[][] = [[]];
  for (const [list, words] of lists.entries()) {
    for (const word of words) {
      let state = 0;
      for (let index = 0; index < word.length; index += 1) {
        const code = word.charCodeAt(index);
        const cell = state * width + ((code < 128 ? ascii[code] : otherCodes.get(code)) ?? 0);
        if (next[cell] === 0) {
          next[cell] = matchingLists.push([]) - 1;
          ownCells[state]?.push(cell);
          ownCells.push([]);
        }
        state = next[cell] ?? 0;
      }
      matchingLists[state]?.push(list);
    }
  }
  linkFailures(next, matchingLists, ownCells, width);
  return { next: next.subarray(0, matchingLists.length * width), matchingLists };
}

/** Adds failure links: on a mismatch, the search continues with the longest suffix that is a prefix of some word. */
function linkFailures(
  next: Uint16Array,
  matchingLists: number[][],
  ownCells: readonly (readonly number[])[],
  width: number,
): void {
  const fallback = new Uint16Array(matchingLists.length);
  const queue = [0];
  for (const state of queue) {
    const inherited = matchingLists[fallback[state] ?? 0] ?? [];
    if (inherited.length > 0) matchingLists[state] = [...new Set([...(matchingLists[state] ?? []), ...inherited])];
    const children = (ownCells[state] ?? []).map((cell) => [cell, next[cell] ?? 0] as const);
    const fallbackRow = (fallback[state] ?? 0) * width;
    next.copyWithin(state * width, fallbackRow, fallbackRow + width);
    for (const [cell, child] of children) {
      fallback[child] = state === 0 ? 0 : (next[cell] ?? 0);
      next[cell] = child;
      queue.push(child);
    }
  }
}
