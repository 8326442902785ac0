import { MAX_LISTS, literalSearch } from "./literal-search.ts";

/** Limits of the cache of clean texts (entries, and characters of one text), so that no stack can fill the memory. */
const MAX_REMEMBERED = 20_000;
const MAX_LENGTH = 200;

/** A precondition of a rule: every text in which the rule finds a secret meets it. */
export interface Hint {
  readonly hint: RegExp;
  /**
   * Lower-case literals, at least one of which every text that matches the hint contains, in any case. Without them the hint is
   * tried on every text.
   */
  readonly words?: readonly string[];
  /** The hint only matches texts with at least twenty token characters in a row (`hasLongRun`). */
  readonly isLong?: boolean;
}

/** The number of characters that may still be tested. Texts beyond it count as matches. */
export interface Budget {
  left: number;
}

/** The filter that spares nearly every text the rules. */
export interface Prefilter<Each extends Hint> {
  /** Tells whether any hint matches. @param budget for texts that contain a word of a hint: testing those costs most */
  readonly passes: (text: string, budget?: Budget) => boolean;
  /** The hints that match, in their order. */
  readonly matching: (text: string) => readonly Each[];
}

/** Makes a prefilter of hints. */
export type MakePrefilter = <Each extends Hint>(hints: readonly Each[]) => Prefilter<Each>;

/**
 * Makes the prefilter. All words are searched in one pass, and a hint with words is tried only if one of them was found. Most texts
 * of a stack occur many times, so clean ones are cached.
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

/** Combines the hints into one expression per set of flags. */
function alternationsOf(hints: readonly Hint[]): RegExp[] {
  return [...new Set(hints.map(({ hint }) => hint.flags))].map((flags) => {
    const sources = hints.filter(({ hint }) => hint.flags === flags).map(({ hint }) => `(?:${hint.source})`);
    return new RegExp(sources.join("|"), flags);
  });
}

/** Minimum length of tokens whose form has no literal. */
const LENGTH = 20;
const IS_OF_TOKEN = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w+/-]/.test(String.fromCharCode(code))));

/** Tells whether a text has LENGTH token characters in a row. Almost none has, so every twentieth character is tested first. */
export function hasLongRun(text: string): boolean {
  for (let end = LENGTH - 1; end < text.length;) {
    let at = end;
    while (at > end - LENGTH && IS_OF_TOKEN[text.charCodeAt(at)] === 1) at -= 1;
    if (at === end - LENGTH) return true;
    end = at + LENGTH;
  }
  return false;
}
