import { appendFileSync, truncateSync } from "node:fs";
import { journalPath, journalText } from "./journal-lines.ts";

const HALF_A_LINE = '{"type":"intent","at":"2026-01-01T00:00:00.000Z","key":"dashb';

/**
 * Leaves half a line at the journal's end, as a crash of the machine does. An intent is never cut, because the program stores
 * it before it sends the request; half of another line follows it instead.
 */
export function tearJournal(cwd: string): void {
  const path = journalPath(cwd);
  if (path === undefined) return;
  const whole = Buffer.from(journalText(cwd));
  const last = whole.subarray(0, -1).lastIndexOf("\n") + 1;
  const line = whole.subarray(last).toString();
  if (/^\{"type":"(?:done|refused|end)"/u.test(line)) truncateSync(path, last + Math.floor((whole.length - last) / 2));
  else if (line.endsWith("\n")) appendFileSync(path, HALF_A_LINE);
}
