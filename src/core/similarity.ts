/** A name counts as "did you mean" when at most this part of its letters differs. */
const MOST_DIFFERENT = 0.4;

/** The known name that is most like a mistyped one; undefined where none comes near. */
export function closestName(typed: string, known: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase();
  const scored = known
    .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length * MOST_DIFFERENT)))
    .sort((left, right) => left.distance - right.distance);
  return scored[0]?.name;
}

/** Edits from one to the other; two letters in the wrong order are one. Names are short, so the plain table is quick enough. */
function editDistance(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= left.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = at(i - 1, j - 1) + Number(left[i - 1] !== right[j - 1]);
      const swapped = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1] && i > 1 && j > 1;
      const best = Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1, swapped ? at(i - 2, j - 2) + 1 : Infinity);
      rows[i]?.push(best);
    }
  }
  return at(left.length, right.length);
}
