import { getOrMake } from "../../core/collections.ts";

/** Tells which of several lists of literals have a match in a text, as a bit set: the first list is bit 0. */
export type LiteralSearch = (text: string) => number;

/** Lists per search: the number of bits in the result. */
export const MAX_LISTS = 32;

/**
 * Searches a text for many literals at once, in any case, in one pass (Aho and Corasick, 1975). A regular expression with as many
 * alternatives takes ten times as long.
 * @param lists literals in lower case
 */
export function literalSearch(lists: readonly (readonly string[])[]): LiteralSearch {
  const key = JSON.stringify(lists);
  if (made.size >= MAX_KEPT) made.clear();
  return getOrMake(made, key, () => makeSearch(lists));
}

/** Cached searches: building one takes some milliseconds, and a program with several runs asks for the same ones in each. */
const made = new Map<string, LiteralSearch>();
const MAX_KEPT = 20;

function makeSearch(lists: readonly (readonly string[])[]): LiteralSearch {
  const classes = characterClasses(lists.flat());
  const width = classes.count;
  const { next, found } = automaton(lists, classes);
  const { ascii, others } = classes;
  return (text) => {
    let [state, bits] = [0, 0];
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      const letter = code < 128 ? (ascii[code] ?? 0) : (others.get(code) ?? 0);
      state = next[state * width + letter] ?? 0;
      bits |= found[state] ?? 0;
    }
    return bits;
  };
}

/** The characters of the literals, numbered from 1; both cases of a letter share a number. All other characters are 0. */
interface Classes {
  readonly ascii: Uint16Array;
  readonly others: ReadonlyMap<number, number>;
  readonly count: number;
}

function characterClasses(literals: readonly string[]): Classes {
  const ascii = new Uint16Array(128);
  const others = new Map<number, number>();
  let count = 1;
  for (const character of new Set(literals.join("").split(""))) {
    for (const form of [character, character.toUpperCase()]) {
      const code = form.charCodeAt(0);
      // The Turkish dotless i is skipped: its capital is I, which is also the capital of i.
      if (form.length > 1 || form.toLowerCase() !== character) continue;
      if (code < 128) ascii[code] = count;
      else others.set(code, count);
    }
    count += 1;
  }
  return { ascii, others, count };
}

/**
 * The table of the automaton: the next state for each state and class of characters, and the lists with a literal that ends in it.
 */
function automaton(lists: readonly (readonly string[])[], { ascii, others, count: width }: Classes) {
  const size = lists.flat().reduce((sum, literal) => sum + literal.length, 1);
  const next = new Uint16Array(size * width);
  const found = new Int32Array(size);
  let states = 1;
  for (const [list, literals] of lists.entries()) {
    for (const literal of literals) {
      let state = 0;
      for (let index = 0; index < literal.length; index += 1) {
        const code = literal.charCodeAt(index);
        const at = state * width + ((code < 128 ? ascii[code] : others.get(code)) ?? 0);
        if (next[at] === 0) next[at] = states++;
        state = next[at] ?? 0;
      }
      found[state] = (found[state] ?? 0) | (1 << list);
    }
  }
  linkFailures(next, found, width);
  return { next: next.subarray(0, states * width), found };
}

/** Failure links: on a mismatch, continue with the longest suffix that is a prefix of some literal. */
function linkFailures(next: Uint16Array, found: Int32Array, width: number): void {
  const fallback = new Uint16Array(found.length);
  const queue = [...new Set(next.subarray(0, width))].filter((state) => state !== 0);
  for (const state of queue) {
    const other = fallback[state] ?? 0;
    found[state] = (found[state] ?? 0) | (found[other] ?? 0);
    for (let letter = 0; letter < width; letter += 1) {
      const target = next[state * width + letter] ?? 0;
      const elsewhere = next[other * width + letter] ?? 0;
      if (target === 0) next[state * width + letter] = elsewhere;
      else {
        fallback[target] = elsewhere;
        queue.push(target);
      }
    }
  }
}
