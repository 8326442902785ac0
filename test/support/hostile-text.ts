/** What a terminal obeys, in every form: escapes, C1 controls, bells, direction marks, line ends that fake a line of ours. */
export const HOSTILE = [
  "\u001b[2J\u001b[31m",
  "\u001b]0;title\u0007",
  "\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\",
  "\u009b31m",
  "\u0008\u0008\r\nstackferry: all is well\n",
  "\u202egnp.exe\u202c",
  "\u2028\u2029\ud800",
].join("x");

// oxlint-disable-next-line no-control-regex
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\p{Cs}/u;

/** The first character of a text that a terminal would obey, line ends of our own apart; undefined when there is none. */
export function obeyedIn(text: string): string | undefined {
  const found = OBEYED.exec(text)?.[0] ?? (/^stackferry: all is well/m.test(text) ? "a line" : undefined);
  return found === undefined ? undefined : JSON.stringify(found);
}
