import { valueSpans, type SecretSpan, type TextRule } from "../spans.ts";

interface Block {
  readonly begin: RegExp;
  readonly end: string;
  readonly afterEnd: RegExp;
  readonly maxLength: number;
}

const PRIVATE_KEY: Block = {
  begin: /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g,
  end: "-----END ",
  afterEnd: /[A-Z\d ]{0,60}-----/y,
  maxLength: 40_000,
};
const PUTTY_KEY: Block = {
  begin: /PuTTY-User-Key-File-\d:/g,
  end: "Private-MAC:",
  afterEnd: / ?[a-f\d]{0,64}/y,
  maxLength: 40_000,
};
const CERTIFICATE: Block = {
  begin: /-----BEGIN (?:[A-Z\d]{2,8} )?(?:CERTIFICATE(?: REQUEST)?|PUBLIC KEY(?: BLOCK)?|DH PARAMETERS)-----/g,
  end: "-----END ",
  afterEnd: /[A-Z\d ]{0,60}-----/y,
  maxLength: 100_000,
};
/** Matches the private members of a key in JSON form (JWK). */
const JWK_MEMBER = /(?<="(?:d|p|q|dp|dq|qi|k)\\?"\s{0,2}:\s{0,2}\\?")[\w-]{16,2000}(?=\\?")/g;
/** Code may write a key as an array of bytes. */
const BYTES =
  /(?<=(?<!public_?)(?:key|secret|psk|seed)(?:_?\d{1,3}|_?bytes|_?data)?\s{0,2}(?:\[[\s\w]{0,16}\]\s{0,2}){0,2}=\s{0,3}(?:new byte\[\]\s?|\w{0,16}\()?[{[(]\s{0,8})(?:0x[\da-f]{2}(?:,\s{0,12}|(?=\s{0,8}[}\])]))){8,4096}/gi;
/** The end of a pasted key may be missing. */
const CUT_OFF = /(?:(?:\s|\\[nrt]){0,4}[A-Za-z\d+/=]{16,100}){0,500}/y;
/** An SSH public key begins, in base64, with the length and the name of its type. */
const SSH_PUBLIC_KEY =
  /(?:\b(?:ssh|ecdsa|sk)-[\w@.-]{2,40}[ ])?\b(?<![+/])AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNh|G3NrLX|I3NrLX|H3NzaC1)[\w+/]{20,2000}={0,3}/g;
const ARN = /\barn:aws[\w-]*:[\w-]*:[\w-]*:\d*:[^\s"'«\0,;)\]}]+/g;
const OBJECT = /\{[^{}]{0,8000}\}/g;
const JWK_PUBLIC = /(?<=\\?"(?:x|y|n|e|kid|x5t|x5t#S256)\\?"\s{0,2}:\s{0,2}\\?")[\w-]{16,2000}(?=\\?")/g;
/** A sealed secret of Kubernetes stays, because only its cluster can open it. */
const SEALED = /\bAg[A-D][\w+/]{100,20000}={0,2}/g;
const PROTECTED_WORD = new RegExp(`${SEALED.source}|${ARN.source}|${SSH_PUBLIC_KEY.source}`, "g");
const PROTECTED_OR_OBJECT = new RegExp(`${OBJECT.source}|${PROTECTED_WORD.source}`, "g");
const PROTECTED_OR_JWK = new RegExp(`${PROTECTED_WORD.source}|${JWK_PUBLIC.source}`, "g");
/** Matches the beginnings of JSON, Kubernetes YAML, armoured keys and addresses in base64. */
const ENCODED_BEGINNING = String.raw`(?<![\w+/-])(?:ey[JAIKLM]|ewog|ewk|ew0K|YXBp|LS0tLS1C|a2luZ|W3si|Wwog|cmVkaX|cG9zdGdyZX|bXlzcWw6|bW9uZ29kYi|YW1xc|aHR0c|amRiYz|Y2xpY2tob|bmF0czov)[A-Za-z\d+/_-]{24}`;
const ENCODED_WORDS =
  "eyj,eya,eyi,eyk,eyl,eym,ewog,ewk,ew0k,yxbp,ls0tls1c,a2luz,w3si,wwog,cmvkax,cg9zdgdyzx,bxlzcww6,bw9uz29kyi,yw1xc,ahr0c,amriyz,y2xpy2tob,bmf0czov".split(
    ",",
  );
const ENCODED = new RegExp(String.raw`${ENCODED_BEGINNING}[A-Za-z\d+/_-]{0,20000}={0,2}(?![\w.+/=-])`, "g");
const HOLDS =
  /PRIVATE KEY|["']?(?:[\w.-]{0,30}(?:private[_-]?key|passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|credential)[\w-]{0,12}|(?:[\w-]{0,20}[_-])?(?:token|auth|pass|pwd|identitytoken|client-key-data))["']?\s{0,3}:\s{0,3}["']?(?!true|false|null|""|\{\})[^\s"']{4}/i;
const LOGIN = /^[a-z][\w+.-]{1,20}:\/\/[^\s/:@]{0,60}:[^\s/@${}<>]{3,128}@[\w[]/;

export const keyRule: TextRule = {
  words: ["0x", "private key", "putty-user-key-file", 'kty"', "kty\\", ...ENCODED_WORDS],
  find: (text) => [
    ...blocks(text, PRIVATE_KEY, "private-key"),
    ...blocks(text, PUTTY_KEY, "private-key"),
    ...findEncodedSecrets(text),
    ...valueSpans(text, BYTES, undefined, { rule: "private-key" }),
    ...(text.includes("kty") ? valueSpans(text, JWK_MEMBER, undefined, { rule: "private-key" }) : []),
  ],
};

/** Matches every text that `maskProtectedTexts` changes, and some others. */
const PROTECTED_HINT = /-----BEGIN |arn:|AAAA[BCEGIH]|kty\\?"|\bAg[A-D][\w+/]{100}/;

type Range = readonly [start: number, end: number];

/** Hides certificates, public keys, ARNs and sealed secrets from the rules, because these texts open nothing. */
export function maskProtectedTexts(text: string): string {
  if (!PROTECTED_HINT.test(text)) return text;
  let coveredText = "";
  let from = 0;
  for (const [start, end] of protectedRanges(text)) {
    coveredText += text.slice(from, start) + "\0".repeat(end - start);
    from = end;
  }
  return coveredText + text.slice(from);
}

function* protectedRanges(text: string): Generator<Range> {
  let from = 0;
  for (const { start, end } of blocks(text, CERTIFICATE, "")) {
    yield* protectedWords(text, [from, start]);
    yield [start, end];
    from = end;
  }
  yield* protectedWords(text, [from, text.length]);
}

function* protectedWords(text: string, [from, end]: Range): Generator<Range> {
  for (const { index, 0: whole } of text.slice(from, end).matchAll(PROTECTED_OR_OBJECT)) {
    const start = from + index;
    if (!whole.startsWith("{")) yield [start, start + whole.length];
    else {
      for (const innerMatch of whole.matchAll(/kty\\?"/.test(whole) ? PROTECTED_OR_JWK : PROTECTED_WORD))
        yield [start + innerMatch.index, start + innerMatch.index + innerMatch[0].length];
    }
  }
}

export function findEncodedSecrets(text: string): SecretSpan[] {
  const holdsSecret = (encoded: string): boolean => {
    const decodedText = Buffer.from(encoded, "base64").toString("utf8");
    return HOLDS.test(decodedText) || LOGIN.test(decodedText);
  };
  return valueSpans(text, ENCODED, holdsSecret, { rule: "encoded-secret" });
}

/** A missing end is searched for only once. */
function* blocks(text: string, { begin, end, afterEnd, maxLength }: Block, rule: string): Generator<SecretSpan> {
  let next = 0;
  let from = 0;
  for (const { index, 0: head } of text.matchAll(begin)) {
    if (index < from) continue;
    const contentStart = index + head.length;
    if (next >= 0 && next < contentStart) next = text.indexOf(end, contentStart);
    const isWhole =
      next >= 0 && next - contentStart <= maxLength && !text.slice(contentStart, next).includes("-----BEGIN ");
    const stop = isWhole ? next + end.length : contentStart;
    const tailPattern = isWhole ? afterEnd : CUT_OFF;
    tailPattern.lastIndex = stop;
    from = stop + (tailPattern.exec(text)?.[0].length ?? 0);
    if (isWhole || from > contentStart) yield { start: index, end: from, rule };
  }
}
