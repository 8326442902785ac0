import { matchSpans } from "../spans.ts";
import type { SecretSpan } from "../spans.ts";
import type { TextRule } from "./text-rule.ts";

/** An armoured block: how it begins, what ends it, and how much may be between. */
interface Block {
  readonly begin: RegExp;
  readonly end: string;
  /** What follows the mark of the end and belongs to it. */
  readonly rest: RegExp;
  readonly most: number;
}

const PRIVATE_KEY: Block = {
  begin: /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g,
  end: "-----END ",
  rest: /[A-Z\d ]{0,60}-----/y,
  most: 40_000,
};
const PUTTY_KEY: Block = {
  begin: /PuTTY-User-Key-File-\d:/g,
  end: "Private-MAC:",
  rest: / ?[a-f\d]{0,64}/y,
  most: 40_000,
};
const CERTIFICATE: Block = {
  begin: /-----BEGIN (?:TRUSTED |X509 )?(?:CERTIFICATE|PUBLIC KEY)-----/g,
  end: "-----END ",
  rest: /[A-Z\d ]{0,60}-----/y,
  most: 100_000,
};
/** A key that was pasted with its end cut off goes on for as long as there are lines that look like one. */
const CUT_OFF = /(?:(?:\s|\\[nrt]){0,4}[A-Za-z\d+/=]{16,100}){0,500}/y;
const ARN = /\barn:aws[\w-]*:[\w-]*:[\w-]*:\d*:[^\s"'«\0,;)\]}]+/g;
const ACCOUNT = /\b\d{12}\b/g;

/** Private keys in armour. */
export const keyRule: TextRule = {
  hint: /PRIVATE KEY|PuTTY-User-Key-File/,
  words: ["private key", "putty-user-key-file"],
  find: (text) => [...blocks(text, PRIVATE_KEY, "private-key"), ...blocks(text, PUTTY_KEY, "private-key")],
};

/** What tells of an account without opening it; only `strict` takes it out. */
export const identityRule: TextRule = {
  hint: /-----BEGIN |arn:|\b\d{12}\b/,
  find: (text) => [
    ...blocks(text, CERTIFICATE, "certificate"),
    ...matchSpans(text, ARN, "arn"),
    ...matchSpans(text, ACCOUNT, "account-number"),
  ],
};

/** Matches every text that `protectedText` changes. */
export const PROTECTED_HINT = /-----BEGIN |arn:/;

/** The text with NUL in the place of certificates and ARNs, which `standard` leaves alone, whatever they look like. */
export function protectedText(text: string): string {
  if (!PROTECTED_HINT.test(text)) return text;
  let covered = "";
  let from = 0;
  for (const { start, end } of blocks(text, CERTIFICATE, "")) {
    covered += text.slice(from, start) + "\0".repeat(end - start);
    from = end;
  }
  covered += text.slice(from);
  return covered.replaceAll(ARN, (whole) => "\0".repeat(whole.length));
}

/** Searches for the end once only where there is none, so that many beginnings cost no more than one. */
function blocks(text: string, { begin, end, rest, most }: Block, rule: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let next = 0;
  let from = 0;
  for (const { index, 0: head } of text.matchAll(begin)) {
    if (index < from) continue;
    const inside = index + head.length;
    if (next >= 0 && next < inside) next = text.indexOf(end, inside);
    const whole = next >= 0 && next - inside <= most && !text.slice(inside, next).includes("-----BEGIN ");
    const stop = whole ? next + end.length : inside;
    const tail = whole ? rest : CUT_OFF;
    tail.lastIndex = stop;
    from = stop + (tail.exec(text)?.[0].length ?? 0);
    if (whole || from > inside) spans.push({ start: index, end: from, rule });
  }
  return spans;
}
