import type { SecretScanner, SecretSpan } from "./redaction-policy.ts";

/** Between two texts that are scanned together: nothing that a secret could reach across. */
const BETWEEN = "\n\0\n";
/** No token that a scanner knows is shorter. */
const LEAST_LENGTH = 16;
const LONG_WORD = /[\w+/=.-]{16,}/g;

/** Scans many texts in one call, as a call costs as much as some thousand characters. Answers the spans of each that has any. */
export async function scanTexts(
  texts: ReadonlySet<string>,
  scanner: SecretScanner,
): Promise<ReadonlyMap<string, readonly SecretSpan[]>> {
  const found = new Map<string, SecretSpan[]>();
  const asked = [...texts].filter(mayHold);
  if (asked.length === 0) return found;
  const starts: number[] = [];
  let length = 0;
  for (const text of asked) {
    starts.push(length);
    length += text.length + BETWEEN.length;
  }
  for (const span of await scanner(asked.join(BETWEEN))) {
    for (let at = lastAtMost(starts, span.start); at < asked.length; at += 1) {
      const text = asked[at] ?? "";
      const begin = starts[at] ?? 0;
      if (begin >= span.end) break;
      const start = Math.max(span.start - begin, 0);
      const end = Math.min(span.end - begin, text.length);
      if (start < end) found.set(text, [...(found.get(text) ?? []), { start, end, rule: span.rule }]);
    }
  }
  return found;
}

/** What every token has: a long word with a digit in it, user info of an address, or an armour. */
function mayHold(text: string): boolean {
  if (text.length < LEAST_LENGTH) return false;
  if (text.includes("PRIVATE KEY") || (text.includes("://") && text.includes("@"))) return true;
  return (text.match(LONG_WORD) ?? []).some((word) => /\d/.test(word));
}

function lastAtMost(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
