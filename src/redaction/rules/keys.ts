import { matchSpans } from "../spans.ts";
import type { SecretSpan, TextRule } from "../spans.ts";

/** An armoured block: its beginning, its end, and the maximum length between them. */
interface Block {
  readonly begin: RegExp;
  readonly end: string;
  /** The text after the end marker that belongs to the block. */
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
  begin: /-----BEGIN (?:[A-Z\d]{2,8} )?(?:CERTIFICATE(?: REQUEST)?|PUBLIC KEY(?: BLOCK)?|DH PARAMETERS)-----/g,
  end: "-----END ",
  rest: /[A-Z\d ]{0,60}-----/y,
  most: 100_000,
};
/** The private members of a key in JSON form (JWK). */
const JWK_MEMBER = /(?<="(?:d|p|q|dp|dq|qi|k)\\?"\s{0,2}:\s{0,2}\\?")[\w-]{16,2000}(?=\\?")/g;
/** A key as an array of bytes in code. */
const BYTES =
  /(?<=(?<!public_?)(?:key|secret|psk|seed)(?:_?\d{1,3}|_?bytes|_?data)?\s{0,2}(?:\[[\s\w]{0,16}\]\s{0,2}){0,2}=\s{0,3}(?:new byte\[\]\s?|\w{0,16}\()?[{[(]\s{0,8})(?:0x[\da-f]{2}(?:,\s{0,12}|(?=\s{0,8}[}\])]))){8,4096}/gi;
/** A pasted key whose end is missing continues while the lines look like one. */
const CUT_OFF = /(?:(?:\s|\\[nrt]){0,4}[A-Za-z\d+/=]{16,100}){0,500}/y;
/** SSH public keys on one line, with or without their type: each begins with its length and name in base64. */
const SSH_PUBLIC_KEY =
  /(?:\b(?:ssh|ecdsa|sk)-[\w@.-]{2,40}[ ])?\b(?<![+/])AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNh|G3NrLX|I3NrLX|H3NzaC1)[\w+/]{20,2000}={0,3}/g;
const ARN = /\barn:aws[\w-]*:[\w-]*:[\w-]*:\d*:[^\s"'«\0,;)\]}]+/g;
/** An object without nested objects, like a key in JSON form. */
const OBJECT = /\{[^{}]{0,8000}\}/g;
/** The public members of such a key. */
const JWK_PUBLIC = /(?<=\\?"(?:x|y|n|e|kid|x5t|x5t#S256)\\?"\s{0,2}:\s{0,2}\\?")[\w-]{16,2000}(?=\\?")/g;
/** A sealed secret, which only its cluster can open. */
const SEALED = /\bAg[A-D][\w+/]{100,20000}={0,2}/g;
const PROTECTED_WORD = new RegExp(`${SEALED.source}|${ARN.source}|${SSH_PUBLIC_KEY.source}`, "g");
const PROTECTED_OR_OBJECT = new RegExp(`${OBJECT.source}|${PROTECTED_WORD.source}`, "g");
const PROTECTED_OR_JWK = new RegExp(`${PROTECTED_WORD.source}|${JWK_PUBLIC.source}`, "g");
const ACCOUNT = /\b\d{12}\b/g;

/**
 * The beginnings, in base64, of JSON (`{"`, `{ "`, `{` and a newline), of Kubernetes YAML, of armoured keys, and of addresses:
 * `redis`, `postgre`, `mysql:`, `mongodb`, `amqp`, `http`, `jdbc:`, `clickho`, `nats:`.
 */
const ENCODED_BEGINNING = String.raw`(?<![\w+/-])(?:ey[JAIKLM]|ewog|ewk|ew0K|YXBp|LS0tLS1C|a2luZ|W3si|Wwog|cmVkaX|cG9zdGdyZX|bXlzcWw6|bW9uZ29kYi|YW1xc|aHR0c|amRiYz|Y2xpY2tob|bmF0czov)[A-Za-z\d+/_-]{24}`;
const ENCODED_WORDS =
  "eyj,eya,eyi,eyk,eyl,eym,ewog,ewk,ew0k,yxbp,ls0tls1c,a2luz,w3si,wwog,cmvkax,cg9zdgdyzx,bxlzcww6,bw9uz29kyi,yw1xc,ahr0c,amriyz,y2xpy2tob,bmf0czov".split(
    ",",
  );
const ENCODED = new RegExp(String.raw`${ENCODED_BEGINNING}[A-Za-z\d+/_-]{0,20000}={0,2}(?![\w.+/=-])`, "g");
/** A member of JSON or YAML that holds a secret, or a private key. */
const HOLDS =
  /PRIVATE KEY|["']?(?:[\w.-]{0,30}(?:private[_-]?key|passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|credential)[\w-]{0,12}|(?:[\w-]{0,20}[_-])?(?:token|auth|pass|pwd|identitytoken|client-key-data))["']?\s{0,3}:\s{0,3}["']?(?!true|false|null|""|\{\})[^\s"']{4}/i;
/** An address with a password. */
const LOGIN = /^[a-z][\w+.-]{1,20}:\/\/[^\s/:@]{0,60}:[^\s/@${}<>]{3,128}@[\w[]/;

/** Armoured private keys, and base64 texts that contain a secret. */
export const keyRule: TextRule = {
  words: ["0x", "private key", "putty-user-key-file", 'kty"', "kty\\", ...ENCODED_WORDS],
  find: (text) => [
    ...blocks(text, PRIVATE_KEY, "private-key"),
    ...blocks(text, PUTTY_KEY, "private-key"),
    ...encodedSecrets(text),
    ...matchSpans(text, BYTES, "private-key"),
    ...(text.includes("kty") ? matchSpans(text, JWK_MEMBER, "private-key") : []),
  ],
};

/** Texts that identify an account but do not open it; only `strict` redacts them. */
export const identityRule: TextRule = {
  words: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-----begin ", "arn:", "aaaa"],
  find: (text) => [
    ...blocks(text, CERTIFICATE, "certificate"),
    ...matchSpans(text, SSH_PUBLIC_KEY, "certificate"),
    ...matchSpans(text, ARN, "arn"),
    ...matchSpans(text, ACCOUNT, "account-number"),
  ],
};

/** Matches every text that `protectedText` changes. */
const PROTECTED_HINT = /-----BEGIN |arn:|AAAA[BCEGIH]|kty\\?"|\bAg[A-D][\w+/]{100}/;

/** A range of a text. */
type Range = readonly [start: number, end: number];

/** A part of a text, with NULs in place of everything that the rules must not see. */
export interface CoveredPart {
  readonly start: number;
  readonly end: number;
  readonly covered: string;
}

/** The text with NULs in place of certificates, public keys and ARNs, which `standard` keeps, whatever they look like. */
export function protectedText(text: string): string {
  if (!PROTECTED_HINT.test(text)) return text;
  const [whole] = protectedParts(text, [[0, text.length]]);
  return whole?.covered ?? text;
}

/**
 * Covers parts of a text like `protectedText`. The parts are in order and may overlap. A hostile text has hundreds of thousands of
 * certificates, so only those that reach into the current part are kept.
 */
export function* protectedParts(text: string, ranges: Iterable<Range>): Generator<CoveredPart> {
  const spans = PROTECTED_HINT.test(text) ? protectedRanges(text) : [][Symbol.iterator]();
  let next = spans.next();
  let open: Range[] = [];
  for (const [start, end] of ranges) {
    open = open.filter((span) => span[1] > start);
    for (; next.done !== true && next.value[0] < end; next = spans.next()) {
      if (next.value[1] > start) open.push(next.value);
    }
    yield { start, end, covered: covered(text, [start, end], open) };
  }
}

/** The parts of a text in which nothing is protected. */
export function* openParts(text: string, ranges: Iterable<Range>): Generator<CoveredPart> {
  for (const [start, end] of ranges) yield { start, end, covered: text.slice(start, end) };
}

function covered(text: string, [start, end]: Range, spans: readonly Range[]): string {
  if (spans.length === 0) return text.slice(start, end);
  const pieces: string[] = [];
  let from = start;
  for (const span of spans) {
    const [first, last] = [Math.max(span[0], start), Math.min(span[1], end)];
    pieces.push(text.slice(from, first), "\0".repeat(last - first));
    from = last;
  }
  return pieces.join("") + text.slice(from, end);
}

/** The ranges of certificates, and of the ARNs and public keys between them, in order. */
function* protectedRanges(text: string): Generator<Range> {
  let from = 0;
  for (const { start, end } of blocks(text, CERTIFICATE, "")) {
    yield* words(text, [from, start]);
    yield [start, end];
    from = end;
  }
  yield* words(text, [from, text.length]);
}

/** ARNs and public keys never contain each other, so their ranges are in order. */
function* words(text: string, [from, end]: Range): Generator<Range> {
  for (const { index, 0: whole } of text.slice(from, end).matchAll(PROTECTED_OR_OBJECT)) {
    const start = from + index;
    if (!whole.startsWith("{")) yield [start, start + whole.length];
    else {
      for (const inside of whole.matchAll(/kty\\?"/.test(whole) ? PROTECTED_OR_JWK : PROTECTED_WORD))
        yield [start + inside.index, start + inside.index + inside[0].length];
    }
  }
}

/** Base64 texts that contain a secret: the key of a service account, a registry login. */
export function encodedSecrets(text: string): SecretSpan[] {
  return matchSpans(text, ENCODED, "encoded-secret").filter(({ start, end }) => {
    const plain = Buffer.from(text.slice(start, end), "base64").toString("utf8");
    return HOLDS.test(plain) || LOGIN.test(plain);
  });
}

/** Finds the blocks of a text. A missing end is searched for only once, so many beginnings cost no more than one. */
function* blocks(text: string, { begin, end, rest, most }: Block, rule: string): Generator<SecretSpan> {
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
    if (whole || from > inside) yield { start: index, end: from, rule };
  }
}
