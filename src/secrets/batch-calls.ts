import type { SecretScanner, SecretSpan } from "../domain/redaction/redaction-policy.ts";

/** Characters that are scanned in one call: enough to make calls rare, little enough to hold twice. */
const MOST_AT_ONCE = 2_000_000;
/** Texts that are scanned in one call: secretlint compares each finding with all others. */
const MOST_TEXTS = 1000;
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
    if (length + call.text.length > MOST_AT_ONCE || parts.at(-1)?.length === MOST_TEXTS) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(call);
    length += call.text.length + BETWEEN.length;
  }
  return parts;
}

function giveOut(part: readonly Waiting[], spans: readonly SecretSpan[]): void {
  const sorted = spans.toSorted((left, right) => left.start - right.start);
  let next = 0;
  let begin = 0;
  for (const { text, done } of part) {
    const own: SecretSpan[] = [];
    const end = begin + text.length;
    for (let span = sorted[next]; span && span.start < end; span = sorted[(next += 1)])
      own.push({ start: Math.max(span.start - begin, 0), end: Math.min(span.end, end) - begin, rule: span.rule });
    done(own);
    begin = end + BETWEEN.length;
  }
}
