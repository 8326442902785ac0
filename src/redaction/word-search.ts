/** Functions that search a text for the words of several lists. */
export interface WordSearch {
  /** Returns the positions of the lists that have a word in the text. */
  readonly listsIn: (text: string) => ReadonlySet<number>;
  /** Tells whether any list has a word in the text. */
  readonly hasWord: (text: string) => boolean;
}

/** A list of words that fits every text, because every text contains the empty word. */
export const EVERY_TEXT: readonly string[] = [""];
/** In a list of words, this stands for any run of twenty token characters. */
export const LONG_RUN = "\0";
const RUN_LENGTH = 20;
const IN_RUN = new Uint8Array(0x1_00_00);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=-")
  IN_RUN[character.charCodeAt(0)] = 1;

/**
 * The searches of `createWordTest` by their lists. They are kept, because building a search takes some milliseconds, and most lists
 * live as long as the process.
 */
const searches = new WeakMap<readonly string[], WordSearch>();

/** Creates a test of whether a text has one of the words, in upper or lower case. The search is built for the first text. */
export function createWordTest(words: readonly string[]): (text: string) => boolean {
  let search: WordSearch | undefined;
  return (text) => (search ??= searchFor(words)).hasWord(text);
}

function searchFor(words: readonly string[]): WordSearch {
  const search = searches.get(words) ?? createWordSearch([words]);
  searches.set(words, search);
  return search;
}

/** Creates a search for lists of words in lower case (Aho and Corasick, 1975): one pass over a text in any case. */
export function createWordSearch(lists: readonly (readonly string[])[]): WordSearch {
  const listsOfRuns = lists.flatMap((words, position) => (words.includes(LONG_RUN) ? [position] : []));
  const { classes, width, next, matchingLists } = automaton(
    lists.map((words) => words.filter((word) => word !== LONG_RUN)),
  );
  const ends = Uint8Array.from(matchingLists, (positions) => Number(positions.length > 0));
  const runLength = listsOfRuns.length > 0 ? RUN_LENGTH : Infinity;
  /** Passes the lists of each word to `visit`, until `visit` returns true. */
  const walk = (text: string, visit: (positions: readonly number[]) => boolean): boolean => {
    let [state, run] = [0, 0];
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      state = next[state * width + (classes[code] ?? 0)] ?? 0;
      run = IN_RUN[code] === 1 ? run + 1 : 0;
      if (ends[state] === 1 && visit(matchingLists[state] ?? [])) return true;
      if (run === runLength && visit(listsOfRuns)) return true;
    }
    return false;
  };
  const listsIn = (text: string): Set<number> => {
    const found = new Set<number>();
    walk(text, (positions) => {
      for (const position of positions) found.add(position);
      return false;
    });
    return found;
  };
  return { listsIn, hasWord: (text) => walk(text, () => true) };
}

/** The states of the search. Each state is a beginning of a word; the first state is the empty beginning. */
interface Automaton {
  /** A number for each character code. Both cases of a letter share one; characters that are in no word have 0. */
  readonly classes: Uint16Array;
  readonly width: number;
  /** The next state, by state and class. */
  readonly next: Uint16Array;
  /** For each state, the lists with a word that ends there. */
  readonly matchingLists: readonly (readonly number[])[];
}

function automaton(lists: readonly (readonly string[])[]): Automaton {
  const { classes, width } = characterClasses(lists.flat());
  const size = lists.flat().reduce((sum, word) => sum + word.length, 1);
  const next = new Uint16Array(size * width);
  const matchingLists: number[][] = [[]];
  /** For each state, the cells that lead to a longer beginning of a word. */
  const ownCells: number[][] = [[]];
  /** Returns the state after a character; makes it if no word has led there yet. */
  const follow = (state: number, code: number): number => {
    const cell = state * width + (classes[code] ?? 0);
    if (next[cell] === 0) {
      next[cell] = matchingLists.push([]) - 1;
      ownCells[state]?.push(cell);
      ownCells.push([]);
    }
    return next[cell] ?? 0;
  };
  for (const [list, words] of lists.entries()) {
    for (const word of words) {
      let state = 0;
      for (let index = 0; index < word.length; index += 1) state = follow(state, word.charCodeAt(index));
      matchingLists[state]?.push(list);
    }
  }
  linkFailures(next, matchingLists, ownCells, width);
  return { classes, width, next: next.subarray(0, matchingLists.length * width), matchingLists };
}

function characterClasses(words: readonly string[]): Pick<Automaton, "classes" | "width"> {
  const classes = new Uint16Array(0x1_00_00);
  let width = 1;
  for (const character of new Set(words.join("").split(""))) {
    for (const form of [character, character.toUpperCase()]) {
      // The Turkish dotless i is skipped: its capital is I, which is also the capital of i.
      if (form.length === 1 && form.toLowerCase() === character) classes[form.charCodeAt(0)] = width;
    }
    width += 1;
  }
  return { classes, width };
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
