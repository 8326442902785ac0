import type { SecretScanner, SecretSpan } from "../domain/redaction/redaction-policy.ts";

/** Characters that are scanned in one call: enough to make calls rare, little enough to hold twice. */
const MOST_AT_ONCE = 2_000_000;
/** Between two texts: nothing that a secret could reach across. */
const BETWEEN = "\n\0\n";

interface Waiting {
  readonly text: string;
  readonly done: (spans: readonly SecretSpan[]) => void;
  readonly failed: (error: unknown) => void;
}

/** Makes one scan of all that is asked for until the event loop comes round again, and gives each its own spans. */
export function batchCalls(scan: SecretScanner): SecretScanner {
  let waiting: Waiting[] = [];
  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    for (const part of inParts(batch)) {
      try {
        const spans = await scan(part.map(({ text }) => text).join(BETWEEN));
        giveOut(part, spans);
      } catch (error) {
        for (const { failed } of part) failed(error);
      }
    }
  };
  return (text) =>
    new Promise((done, failed) => {
      if (waiting.length === 0) setImmediate(() => void flush());
      waiting.push({ text, done, failed });
    });
}

function inParts(batch: readonly Waiting[]): Waiting[][] {
  const parts: Waiting[][] = [];
  let length = Infinity;
  for (const call of batch) {
    if (length + call.text.length > MOST_AT_ONCE) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(call);
    length += call.text.length + BETWEEN.length;
  }
  return parts;
}

function giveOut(part: readonly Waiting[], spans: readonly SecretSpan[]): void {
  let begin = 0;
  for (const { text, done } of part) {
    const end = begin + text.length;
    const own = spans.filter((span) => span.start < end && span.end > begin);
    const from = begin;
    done(
      own.map(({ start, end: to, rule }) => ({
        start: Math.max(start, from) - from,
        end: Math.min(to, end) - from,
        rule,
      })),
    );
    begin = end + BETWEEN.length;
  }
}
