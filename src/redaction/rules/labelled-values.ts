import {
  FOREIGN_CREDENTIAL,
  FOREIGN_NAME,
  FOREIGN_PASSWORD,
  FOREIGN_WORDS,
  isNonSecret,
} from "../values/non-secrets.ts";
import { describesCredential, type NameTest } from "../values/names.ts";
import {
  isHyphenatedPassphrase,
  isSpacedPassphrase,
  isConsonantRun,
  looksSecretAfterLabel,
  hasPasswordShape,
  looksRandom,
  mayBePassword,
  type NameStrength,
} from "../values/secret-value.ts";
import { matchesOf, spanAt, type SecretSpan, type TextRule } from "../spans.ts";

const KEYS =
  "api app access secret private signing license licence ingest ingestion master encryption account auth service write admin integration routing webhook shared client storage fernet security activation product subscription consumer live preshared pre-shared wifi wlan wpa wpa2 wpa3".split(
    " ",
  );
/** Shared secrets count as passwords, because people choose both alike. */
const SHARED = String.raw`(?:shared|radius|tacacs\+?|ipsec|l2tp|ike|ikev[12]|vpn|ospf|bgp|eap|hsrp|vrrp|swanctl)[ _-](?:shared[ _-])?(?:secret|key)`;
const ENGLISH = [
  String.raw`(?<![A-Za-z])(?:${SHARED}|p\/w)(?![A-Za-z])`,
  `(?:${KEYS.join("|")})[ _-]?keys?(?![A-Za-z])`,
  String.raw`(?<![A-Za-z])(?:pass|pass ?(?:word|phrase|code)s?|passwd|pwd?|psw|pswd|creds?|credentials?)(?![A-Za-z])`,
  String.raw`(?:password|passwd|passphrase|secret|token|psk)s?(?![A-Za-z])`,
].join("|");
const TAG = String.raw`(?:<\/?[A-Za-z][A-Za-z\d-]{0,15}(?:\s[^<>\n]{0,80})?>|&lt;\/?[A-Za-z][A-Za-z\d-]{0,15}(?:\s[^&<>\n]{0,80})?&gt;)`;
const WORDS = String.raw`(?:[ \t](?:[^\s:=<>|.,;«\0]|(?<=\d)\.){1,20}){1,4}(?:[ \t]?[(（][^()（）\n]{1,60}[)）])?`;
const BLANK = String.raw`(?:[ \t\u00a0\u3000]|&(?:nbsp|ensp|emsp|thinsp|#160|#xa0);)`;
const NOTE = String.raw`(?:[ \t]?(?:${TAG})?[(（][^()（）\n]{1,60}[)）]|[ \t]\[[^[\]\n]{1,60}\](?!\())?(?: (?:for|of|on|für|vom|von|zum|zur|de|del|do|da|dos|das|du|des|di|della|para|pour|dla|do|для|от|per|van|voor|till|til|från|för)(?: [^\s:=<>|.]{1,40}){1,3})?`;
const CLOSING = String.raw`(?:[*_\`~"'\])】」』»”]|\\["']|${TAG}|&nbsp;){0,8}`;
const OPENING = String.raw`(?:«(?!redacted:)|[*_\`~"'([（［【〔〖「『｢《〈“„‘]|\\["']|&(?:quot|ldquo|lsquo|laquo|#34|#39|#x27);|${BLANK}|${TAG}){0,10}`;
const SIGN = String.raw`${BLANK}{0,4}(?:[:：=＝﹕]{1,2}|&(?:colon|equals|rarr|rArr|ndash|mdash|raquo|#58|#61|#8594|#8594);|[=-]{1,2}(?:>|&gt;)|(?=[「『｢《〈【〖“][\x21-\x7e])|[→⇒➜➔⟶►➡▶👉‖–—]|\|\||[ \t]{2,10}(?=\S)|\u3000(?=[\x21-\x7e])|- |\/ |(?<![A-Za-z])(?:is|ist|lautet|est|es|jest|är|er|è|é)(?=[ \t])|は|が|を|[已都均]?(?:设|設|改|更新|更改|重置|重設|变更|變更)?(?:是|为|為|成|係)|는|은|คือ|है|هي|הוא|היא)${BLANK}{0,4}`;
const QUOTED_LINE = String.raw`(?:\r?\n[ \t>]{0,8}){1,4}`;
const NEXT_LINE = String.raw`[ \t]{0,3}[:：]?[ \t*_]{0,6}${QUOTED_LINE}(?:(?:\`{3,4}|~~~)[\w-]{0,12}${QUOTED_LINE}|[-*•:][ \t]{1,3})?`;
const TAGS = String.raw`(?:(?:${TAG}\s{0,3}){2,4}|<br ?\/?>\s{0,3})`;
const VERB =
  "(?:c'est|brzmi|wynosi|to jest|zní|lyder|luidt|είναι|este|adalah|остался|будет|is|was|remains|stays|still|ist|lautet|war|bleibt|est|reste|es|sigue|era|segue|continua|è|jest|är|er)";
/** Up to four words may stand between label and value, or more with a verb. */
const SENTENCE = String.raw`(?:[*_]{1,3}|</[A-Za-z]{1,6}>|,[ \t](?:then |just )?(?:type|enter|use|try|it'?s|that'?s))?(?:(?:[ \t][^\s:=<>|\d«\0\x60]{1,14}){0,4}|(?:[ \t][^\s:=<>|«\0]{1,20}){1,8}[ \t]${VERB}(?:[ \t][^\s:=<>|\d«\0\x60]{1,14}){0,2})[ \t]{1,2}(?:«[ \u00a0\u202f]?(?!redacted:))?["'(\x60*_]{0,3}(?=[^\s]{0,60}[\d!@#$%^&*+?~])`;
const AFTER_VERB = String.raw`(?:[ \t][^\s:=<>|«\0]{1,20}){0,8}?[ \t]${VERB}(?:[ \t](?:still|now|currently|again|just|noch|toujours|todavía|ancora))?[ \t]{1,3}["'(\x60*_]{0,3}`;
/** Matches the middle of `the password is "…"`. */
const IN_QUOTES = String.raw`(?:[ \t][^\s:=<>|«\0"'\x60]{1,20}){0,4}?[ \t]${VERB}[ \t]{1,2}["“„'\x60«*]{1,2}(?=[^\s"”'\x60»*]{5,64}["”“'\x60»*])`;
const QUOTED_WORDS = String.raw`[^"'\x60\n«\0:=“„]{0,60}(?:[:=：]>?[ \t]{0,3}|(?:→|->|[–—])[ \t]{0,3}|[(（]|(?<=[Pp]hrase|[Ww]achtzin)[ \t]|(?<![A-Za-z])${VERB}[ \t]{1,3})["'\x60“„‘‚](?=[a-z]{3,16} [a-z]{3,16} [a-z\d])`;
const EMPHASIS = String.raw`[ \t]{1,2}(?:<(?:b|strong|code|kbd|em|i|tt|mark|span|font)(?: [^<>]{0,80})?>|\x60|\*\*)`;
const START = String.raw`[^\s<>|\0«\x60"“”，。；、）」』】]`;
const VALUE = String.raw`((?:${START}|"(?=[^\s<>,;:.)}\]])){4,1024})`;
const DESCRIBED = String.raw`(?:${WORDS}${CLOSING}(?:(?:[ \t]{0,2}[:：→⇒➜➔]|[ \t](?:[=＝]|[-=]>))(?:${NEXT_LINE})?|${NEXT_LINE})|[^\n:|«\0]{1,80}[:：]${NEXT_LINE})`;
const FORMATTED = String.raw`[\w-]{0,30}(?:${NOTE}${CLOSING}(?:${SIGN}(?:${NEXT_LINE})?|${NEXT_LINE}|${EMPHASIS}|${TAGS})|${DESCRIBED})${OPENING}`;

const LABEL_WORDS = [
  ..."pass pw p/w psw psk cred secret token shared radius tacacs ipsec l2tp ike vpn ospf bgp eap hsrp vrrp swanctl".split(
    " ",
  ),
  ...KEYS.flatMap((word) => ["", " ", "_", "-"].map((joint) => `${word}${joint}key`)),
];
const ENGLISH_LABEL = new RegExp(ENGLISH, "gi");
const FOREIGN_LABEL = new RegExp(FOREIGN_CREDENTIAL, "gi");
const FIND_FORMATTED = new RegExp(FORMATTED + VALUE, "iy");
const FIND_IN_SENTENCE = new RegExp(SENTENCE + VALUE, "iy");
const FIND_AFTER_VERB = new RegExp(AFTER_VERB + VALUE, "iy");
const FIND_IN_QUOTES = new RegExp(IN_QUOTES + VALUE, "iy");
const FIND_QUOTED_WORDS = new RegExp(
  `${QUOTED_WORDS}((?:(?:[a-z]{3,16}|\\d{1,4}) ){3,11}(?:[a-z]{3,16}|\\d{1,4}))(?=["'\x60“”‘’])`,
  "y",
);
const PASSWORD = new RegExp(
  `pass|pwd?$|p\\/w|psk|${SHARED}|wi-?fi|wlan|wpa|psw|pswd|creds?$|credentials?$|kennwort|${FOREIGN_PASSWORD}`,
  "i",
);
/** Finds `**Password:** …`, `<dt>Password</dt><dd>…` and `パスワード：…`. */
export function labelledValueRules(judgeName: NameTest): TextRule[] {
  // The expression for foreign labels is slow, and runs only on texts with a foreign word.
  return [
    { words: LABEL_WORDS, find: (text) => labelledSpans(text, ENGLISH_LABEL, judgeName) },
    { words: FOREIGN_WORDS, find: (text) => labelledSpans(text, FOREIGN_LABEL, judgeName) },
  ];
}

interface Label {
  readonly start: number;
  readonly end: number;
  readonly strength: NameStrength;
  readonly isPassword: boolean;
}

function labelledSpans(text: string, findLabel: RegExp, judgeName: NameTest): SecretSpan[] {
  return matchesOf(text, findLabel).flatMap(({ index: start, 0: words }) => {
    const end = start + words.length;
    const surroundings = [text.slice(Math.max(0, start - 40), start), text.slice(end, end + 40)] as const;
    const strength = strengthOf(words, surroundings, judgeName);
    if (strength === undefined) return [];
    const value = secretAfter(text, { start, end, strength, isPassword: PASSWORD.test(words) });
    return value ? [spanAt(value.start, value.value)] : [];
  });
}

interface Form {
  readonly expression: RegExp;
  readonly isSecret: (found: Value, label: Label, text: string) => boolean;
  readonly isForPasswordsOnly?: true;
}

const FORMS: readonly Form[] = [
  { expression: FIND_FORMATTED, isSecret: isFormattedSecret },
  { expression: FIND_IN_SENTENCE, isSecret: ({ value }, { isPassword }) => hasShapeFor(value, isPassword) },
  // After a verb, words of a sentence rarely have one of these shapes.
  {
    expression: FIND_AFTER_VERB,
    isSecret: ({ value }) => isHyphenatedPassphrase(value) || isConsonantRun(value) || isNumberedWords(value),
    isForPasswordsOnly: true,
  },
  { expression: FIND_IN_QUOTES, isSecret: ({ value }) => mayBePassword(value), isForPasswordsOnly: true },
  { expression: FIND_QUOTED_WORDS, isSecret: ({ value }) => isSpacedPassphrase(value), isForPasswordsOnly: true },
];

function secretAfter(text: string, label: Label): Value | undefined {
  for (const { expression, isSecret, isForPasswordsOnly } of FORMS) {
    const found = isForPasswordsOnly && !label.isPassword ? undefined : valueAt(text, label.end, expression);
    if (found && isSecret(found, label, text)) return found;
  }
  return undefined;
}

function isFormattedSecret(found: Value, label: Label, text: string): boolean {
  const { end, strength, isPassword } = label;
  if (isDescribed(text.slice(end, found.start)) || !isInPlace(text, label, found)) return false;
  return looksSecretAfterLabel(found.value, strength, isPassword) || (isPassword && isCodeWord(text, end, found));
}

function isCodeWord(text: string, labelEnd: number, { start, value }: Value): boolean {
  return (
    /^\p{L}{5,24}\d{0,4}$/u.test(value) &&
    /[:：]/.test(text.slice(labelEnd, start)) &&
    text.charAt(start - 1) === "`" &&
    /^`[*_]{0,3}[ \t]{0,4}(?:\r?\n|$)/.test(text.slice(start + value.length, start + value.length + 12)) &&
    mayBePassword(value)
  );
}

function hasShapeFor(value: string, isPassword: boolean): boolean {
  if (!hasPasswordShape(value)) return false;
  return (
    isPassword || (value.length >= 20 && /^[\w+/-]+$/.test(value) && looksRandom(value) && !/^[\da-f-]+$/i.test(value))
  );
}

/** After a verb, hyphenated words with a number are a password, not the name of a machine. */
function isNumberedWords(value: string): boolean {
  return /^[a-z]{3,}(?:-[a-z]{3,}){1,4}-?\d{2,4}$/.test(value) && !isNonSecret(value);
}

/** `password` is the name of a credential, `password_policy` is not. */
function strengthOf(
  label: string,
  [textBefore, textAfter]: readonly [string, string],
  judgeName: NameTest,
): NameStrength | undefined {
  if (/(?:checksum|digest|hash)\/$/i.test(textBefore)) return undefined;
  // `パス` and `รหัส` count only before certain texts, so `FOREIGN_NAME` does not match these labels alone.
  if (FOREIGN_NAME.test(label) || /^(?:パス|รหัส)$/.test(label)) return "strong";
  const name = /[\w.-]*$/.exec(textBefore)?.[0] + label + (/^[\w-]*/.exec(textAfter)?.[0] ?? "");
  return judgeName(name);
}

interface Value {
  readonly start: number;
  readonly value: string;
}

function valueAt(text: string, offset: number, expression: RegExp): Value | undefined {
  expression.lastIndex = offset;
  const match = expression.exec(text);
  if (!match) return undefined;
  const [whole, value = ""] = match;
  const start = offset + whole.length - value.length;
  return { start, value: expression === FIND_QUOTED_WORDS ? value : trimmed(value) };
}

/** True if the first words behind the label announce a property, such as the length. */
function isDescribed(textBetween: string): boolean {
  const words = textBetween
    .replaceAll(/[(（][^()（）]{0,80}[)）]|<[^<>]{0,80}>|&\w{2,8};/g, " ")
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
  return words.slice(0, 2).some(describesCredential);
}

function isInPlace(text: string, label: Label, { start, value }: Value): boolean {
  if (!text.slice(label.end, start).includes("\n")) return true;
  const textBefore = text.slice(text.lastIndexOf("\n", label.start - 1) + 1, label.start);
  const textAfter = /^[^\n]{0,20}/.exec(text.slice(start + value.length))?.[0] ?? "";
  const isAlone = textBefore.length <= 60 && !/[=/|.;]/.test(textBefore.replace(/^\s*\d{1,2}[.)]/, ""));
  return isAlone && /^[\s.*_~`'")\]]*$/.test(textAfter.replaceAll(/<\/?\w+>/g, ""));
}

/** A script without blanks, such as Chinese, ends the value. */
function trimmed(value: string): string {
  const word = /^[\x21-\x7e]/.test(value) ? (/^[\x21-\x7e\u00a1-\u052f]+/.exec(value)?.[0] ?? value) : value;
  return word
    .replace(/&lt;\/.*$|&[\w.[\]-]{1,60}=.*$/, "")
    .replace(/(?:[.,;:)\]}*_~'\\]|["”][?!]|&quot;)+$/, "")
    .replace(/(?<=[a-z]{3})[!?]$/, "");
}
