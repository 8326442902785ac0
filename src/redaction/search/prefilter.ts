import { MAX_LISTS, literalSearch } from "./literal-search.ts";

/** So many texts are remembered, and none that is longer, so that no stack can fill the memory. */
const MAX_REMEMBERED = 20_000;
const MAX_LENGTH = 200;

/** What has to be in a text for a rule to find something in it. */
export interface Hint {
  readonly hint: RegExp;
  /** One of these is in every text in which the hint matches, in any case; without them the hint is tried on every text. Lower case. */
  readonly words?: readonly string[];
  /** What the hint is for is twenty characters of tokens in a row, or more (`hasLongRun`). */
  readonly isLong?: boolean;
}

/** How many characters of texts are still looked into; what comes after them is taken for what is looked for. */
export interface Budget {
  left: number;
}

/** The filter that keeps rules away from nearly every text. */
export interface Prefilter<Each extends Hint> {
  /** Whether any of the hints matches. @param budget for texts that have a word of some hint: to try those costs most */
  readonly passes: (text: string, budget?: Budget) => boolean;
  /** Those of the hints that match, in their order. */
  readonly matching: (text: string) => readonly Each[];
}

/** Makes a prefilter of hints. */
export type MakePrefilter = <Each extends Hint>(hints: readonly Each[]) => Prefilter<Each>;

/**
 * Makes the filter. Words are searched all at once; a hint that has some is only tried where one of them is. Most texts of a
 * stack are there many times, so clean ones are remembered.
 */
export const makePrefilter: MakePrefilter = <Each extends Hint>(hints: readonly Each[]) => {
  const worded = hints.filter(({ words }) => words !== undefined).slice(0, MAX_LISTS);
  const others = hints.filter((hint) => !worded.includes(hint));
  const wordsIn = literalSearch(worded.map(({ words = [] }) => words));
  const bitOf = new Map(worded.map((hint, index) => [hint, 1 << index]));
  const long = alternationsOf(others.filter(({ isLong }) => isLong === true));
  const any = alternationsOf(others.filter(({ isLong }) => isLong !== true));
  const isMarked = (text: string, budget: Budget): boolean => {
    if (any.some((alternation) => alternation.test(text))) return true;
    if (hasLongRun(text) && long.some((alternation) => alternation.test(text))) return true;
    const bits = wordsIn(text);
    if (bits === 0) return false;
    budget.left -= text.length;
    return budget.left < 0 || worded.some(({ hint }, index) => (bits & (1 << index)) !== 0 && hint.test(text));
  };
  const clean = new Set<string>();
  const passes = (text: string, budget: Budget = { left: Infinity }): boolean => {
    if (clean.has(text)) return false;
    if (isMarked(text, budget)) return true;
    if (clean.size >= MAX_REMEMBERED) clean.clear();
    if (text.length <= MAX_LENGTH) clean.add(text);
    return false;
  };
  const matching = (text: string): Each[] => {
    const bits = wordsIn(text);
    return hints.filter((each) =>
      ((bitOf.get(each) ?? -1) & bits) !== 0 || !bitOf.has(each) ? each.hint.test(text) : false,
    );
  };
  return { passes, matching };
};

/** The hints as one expression for each of their flags. */
function alternationsOf(hints: readonly Hint[]): RegExp[] {
  return [...new Set(hints.map(({ hint }) => hint.flags))].map((flags) => {
    const sources = hints.filter(({ hint }) => hint.flags === flags).map(({ hint }) => `(?:${hint.source})`);
    return new RegExp(sources.join("|"), flags);
  });
}

/** No token that begins with anything has fewer characters in a row. */
const LENGTH = 20;
const IS_OF_TOKEN = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w+/-]/.test(String.fromCharCode(code))));

/** Whether a text has so many characters of tokens in a row. Hardly any has, so every twentieth is looked at first. */
export function hasLongRun(text: string): boolean {
  for (let end = LENGTH - 1; end < text.length;) {
    let at = end;
    while (at > end - LENGTH && IS_OF_TOKEN[text.charCodeAt(at)] === 1) at -= 1;
    if (at === end - LENGTH) return true;
    end = at + LENGTH;
  }
  return false;
}
