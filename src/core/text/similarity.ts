import { distance } from "fastest-levenshtein";

/** Share of letters that may differ; two swapped letters count as two. */
const MAX_DIFFERENT = 0.5;

export function closestName(typed: string, knownNames: readonly string[]): string | undefined {
  const typedName = typed.toLowerCase();
  // A whole word of exactly one name means that name: `searches` is `saved-searches`.
  const [ofWord, ...others] = knownNames.filter((name) =>
    name
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .includes(typedName),
  );
  if (ofWord !== undefined && others.length === 0) return ofWord;
  const [closest] = knownNames
    .map((name) => ({ name, edits: distance(typedName, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(name.length * MAX_DIFFERENT)))
    // Swapped letters are a common mistake, so they decide between equally close names.
    .sort((a, b) => a.edits - b.edits || rankOf(a.name, typedName) - rankOf(b.name, typedName));
  return closest?.name;
}

function rankOf(name: string, typedName: string): number {
  return letters(name.toLowerCase()) === letters(typedName) ? -1 : Math.abs(name.length - typedName.length);
}

function letters(text: string): string {
  return text.split("").sort().join("");
}

const MIN_SIMILAR = 0.2;

/** From 0 to 1. Case and accents do not count, and punctuation counts as a space. */
export function nameSimilarity(left: string, right: string): number {
  const leftLetters = plainLetters(left);
  const rightLetters = plainLetters(right);
  if (leftLetters === "" || rightLetters === "") return 0;
  const similarity = 1 - distance(leftLetters, rightLetters) / Math.max(leftLetters.length, rightLetters.length);
  return similarity < MIN_SIMILAR ? 0 : similarity;
}

function plainLetters(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

export function rankCandidates<Candidate extends { readonly name: string }>(
  name: string,
  candidates: readonly Candidate[],
): Candidate[] {
  const scoreOf = (other: string): number => Math.max(nameSimilarity(name, other), wordSimilarity(name, other));
  return candidates.toSorted((a, b) => scoreOf(b.name) - scoreOf(a.name));
}

/** Similarity of two names of which one has all words of the other, such as "Logs" and "Application logs". */
const ALL_WORDS = 0.7;

function wordSimilarity(left: string, right: string): number {
  const [ours, theirs] = [left, right].map((name) => new Set(name.toLowerCase().match(/[\p{L}\p{N}]+/gu)));
  if (ours === undefined || theirs === undefined || ours.size === 0 || theirs.size === 0) return 0;
  const isWithin = [...ours].every((word) => theirs.has(word)) || [...theirs].every((word) => ours.has(word));
  return isWithin ? ALL_WORDS : 0;
}
