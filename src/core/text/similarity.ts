import { distance } from "fastest-levenshtein";

/** A name is suggested if at most this share of its letters differs. Two swapped letters count as two. */
const MAX_DIFFERENT = 0.5;

/** Returns the known name that is most similar to a mistyped one; undefined if none is similar enough. */
export function closestName(typed: string, known: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase();
  const [closest] = known
    .map((name) => ({ name, edits: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(name.length * MAX_DIFFERENT)))
    // Swapped letters are the more common mistake, so a name with the same letters wins a tie, then one of the same length.
    .sort((a, b) => a.edits - b.edits || rankOf(a.name, wanted) - rankOf(b.name, wanted));
  return closest?.name;
}

function rankOf(name: string, wanted: string): number {
  return letters(name.toLowerCase()) === letters(wanted) ? -1 : lengthGap(name, wanted);
}

function letters(text: string): string {
  return text.split("").sort().join("");
}

function lengthGap(left: string, right: string): number {
  return Math.abs(left.length - right.length);
}

/** Below this similarity, two names share letters by chance. */
const MIN_SIMILAR = 0.2;

/** Returns the similarity of two names, from 0 to 1. Case, accents and punctuation do not count. */
export function nameSimilarity(left: string, right: string): number {
  const one = plainLetters(left);
  const other = plainLetters(right);
  if (one === "" || other === "") return 0;
  const similarity = 1 - distance(one, other) / Math.max(one.length, other.length);
  return similarity < MIN_SIMILAR ? 0 : similarity;
}

/** Returns letters and digits in lower case, words separated by one space. */
function plainLetters(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
