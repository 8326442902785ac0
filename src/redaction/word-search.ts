import { escapeForRegExp } from "../core/text/format.ts";

/** Functions that search a text for the words of several lists, in upper or lower case. */
export interface WordSearch {
  /** Returns the positions of the lists that have a word in the text. */
  readonly listsIn: (text: string) => ReadonlySet<number>;
  readonly hasWord: (text: string) => boolean;
}

/** A list of words that fits every text, because every text contains the empty word. */
export const EVERY_TEXT: readonly string[] = [""];
/** In a list of words, this stands for any run of twenty token characters. */
export const LONG_RUN = "\0";
const RUN = /[\w+/=-]{20}/;

/** Creates a test of whether a text has one of the words. The expression is made for the first text. */
export function createWordTest(words: readonly string[]): (text: string) => boolean {
  let expression: RegExp | undefined;
  return (text) => (expression ??= new RegExp(anyOf(words), "i")).test(text);
}

function anyOf(words: readonly string[]): string {
  return words.length === 0 ? "(?!)" : words.map(escapeForRegExp).join("|");
}

/** Creates a search for lists of words. Engines compile an expression of many words to one pass over the text. */
export function createWordSearch(lists: readonly (readonly string[])[]): WordSearch {
  const words = [...new Set(lists.flat())].filter((word) => word !== LONG_RUN);
  const positionsOf = (test: (word: string) => boolean): number[] =>
    lists.flatMap((list, position) => (list.some(test) ? [position] : []));
  const ofRuns = positionsOf((word) => word === LONG_RUN);
  const ofEveryText = positionsOf((word) => word === "");
  // At each place, the expression finds the longest word. All other words of that place are its beginnings.
  const longestFirst = words.filter((word) => word !== "").toSorted((left, right) => right.length - left.length);
  const expression = new RegExp(`(?=(${anyOf(longestFirst)}))`, "gi");
  const listsOf = new Map(
    longestFirst.map((longest) => [
      longest.toUpperCase(),
      positionsOf((word) => word !== "" && longest.startsWith(word)),
    ]),
  );
  const hasRun = (text: string): boolean => ofRuns.length > 0 && RUN.test(text);
  const hasAnyWord = createWordTest(words);
  const listsIn = (text: string): Set<number> => {
    const found = new Set([...ofEveryText, ...(hasRun(text) ? ofRuns : [])]);
    expression.lastIndex = 0;
    for (let match = expression.exec(text); match; match = expression.exec(text)) {
      for (const position of listsOf.get((match[1] ?? "").toUpperCase()) ?? []) found.add(position);
      expression.lastIndex = match.index + 1;
    }
    return found;
  };
  return { listsIn, hasWord: (text) => hasAnyWord(text) || hasRun(text) };
}
