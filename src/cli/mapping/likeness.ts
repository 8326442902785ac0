/** How alike two names are, from 0 to 1: the part of their pairs of letters that both have (Dice). Case and signs do not count. */
export function likeness(left: string, right: string): number {
  const one = plain(left);
  const other = plain(right);
  if (one === "" || other === "") return 0;
  if (one === other) return 1;
  const pairs = pairsOf(one);
  const wanted = pairsOf(other);
  const total = pairs.length + wanted.length;
  if (total === 0) return 0;
  const counts = new Map<string, number>();
  for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  let common = 0;
  for (const pair of wanted) {
    const count = counts.get(pair) ?? 0;
    if (count === 0) continue;
    counts.set(pair, count - 1);
    common += 1;
  }
  return (2 * common) / total;
}

/** Letters and digits alone, in lower case, words kept apart. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2));
}
