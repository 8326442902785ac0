/**
 * Characters that a terminal obeys or hides: escapes, C1 controls, bells, direction marks, line ends that fake a line of ours,
 * characters without width, tags.
 */
export const HOSTILE = [
  "\u001b[2J\u001b[31m",
  "\u001b]0;title\u0007",
  "\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\",
  "\u009b31m",
  "\u0008\u0008\r\nstackferry: all is well\n",
  "\u202egnp.exe\u202c",
  "\u2028\u2029\ud800",
  "\u200b\u200c\u2060\ufeff\u034f\u{e0041}\u{e007f}\u{e0101}",
].join("x");

const OBEYED =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u200c\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e0fff}]|\u034f|\p{Cs}/u;

/** Returns the first character that a terminal would obey, except line feeds, or "a line" for a forged line of ours. */
export function terminalControlIn(text: string): string | undefined {
  const found = OBEYED.exec(text)?.[0] ?? (/^stackferry: all is well/m.test(text) ? "a line" : undefined);
  return found === undefined ? undefined : JSON.stringify(found);
}
