/** So many texts are remembered, and none that is longer, so that no stack can fill the memory. */
const MOST_REMEMBERED = 20_000;
const LONGEST = 200;

/** Says whether rules have to look at a text. */
export type Prefilter = (text: string) => boolean;

/** Makes a prefilter that lets every text pass in which one of the hints matches. */
export type MakePrefilter = (hints: readonly RegExp[]) => Prefilter;

/**
 * Makes the filter that keeps rules away from nearly every text. Hints without flags become one alternation, and those with `i`
 * another, as one expression is faster than many. Most texts of a stack are there many times, so clean ones are remembered.
 */
export const makePrefilter: MakePrefilter = (hints) => {
  const alternations = [...new Set(hints.map(({ flags }) => flags))].map((flags) => {
    const sources = hints.filter((hint) => hint.flags === flags).map(({ source }) => `(?:${source})`);
    return new RegExp(sources.join("|"), flags);
  });
  const clean = new Set<string>();
  return (text) => {
    if (clean.has(text)) return false;
    if (alternations.some((alternation) => alternation.test(text))) return true;
    if (clean.size >= MOST_REMEMBERED) clean.clear();
    if (text.length <= LONGEST) clean.add(text);
    return false;
  };
};
