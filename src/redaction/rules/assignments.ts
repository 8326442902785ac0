import { FOREIGN_WORDS, hasForeignWord, isNonSecret } from "../values/non-secrets.ts";
import { CREDENTIAL_WORDS, HAS_CREDENTIAL_WORD, credentialWordsWith, type NameTest } from "../values/names.ts";
import {
  hasPasswordShape,
  hasRandomCookie,
  isGeneratedResourceName,
  isHyphenatedPassphrase,
  isSpacedPassphrase,
  isConsonantRun,
  looksRandom,
  looksSecret,
  looksSecretAfterLabel,
  mayBePassword,
  type NameStrength,
} from "../values/secret-value.ts";
import { createWordTest, type SecretSpan, type TextRule, valueSpans } from "../spans.ts";

const WHOLE = String.raw`(?!(?<=\w)\w)`;
const NAME = String.raw`(?<![A-Za-z\d])(?:[A-Za-z]{2,20} )?[A-Za-z][\w.-]{1,60}${WHOLE}`;
/** The value begins on the next line, in YAML or in a properties file. */
const BLOCK = String.raw`:[ \t]{0,3}\r?\n[ \t]{1,20}(?:value|default|plaintext|secret)["']?:[ \t]{1,3}|:[ \t]{1,3}[|>][-+\d]{0,2}[ \t]{0,3}\r?\n[ \t]{0,20}|=\\\r?\n[ \t]{0,20}`;
/** Matches the type in `token: String = "…"`. */
const TYPE = String.raw`:[ ]{0,2}&?(?:'\w{1,10} )?(?:(?:NS)?[Ss]tring|str|bytes|CharSequence|Secret(?:Str|String)?|any)\??[ ]{0,2}=[ ]{0,2}(?=["'\`])`;
/** Matches the operator in `ENV["PASSWORD"] || "…"`. */
const ELSE = String.raw`(?:\|\|=?|\?\?=?|\?:|(?<=[)\]]\s{0,3})or)\s{0,3}(?=["'])`;
/** A test enters a text into a page: `find("#password").type("…")`. */
const TYPED = String.raw`\.(?:send_?[Kk]eys|type|fill|setValue|val)\((?=["'])`;
/** These calls wrap a secret without changing it: `TEXT("…")`. */
const WRAPPER = String.raw`(?:_?TEXT|_T|FString|Secret(?:Str)?|Sensitive|Some|Redacted\.make|str|String|std::string|(?:[A-Za-z_]\w{0,20}::){1,3}(?:from|new)|Buffer\.from|new [A-Z][\w.]{0,30}|[A-Z]\w{0,30}\.(?:of|valueOf|from))\((?=["'])`;
const JOINT = String.raw`(?:\\{1,7}u002[27]|\\{0,7}["'\`\])]{0,3})(?:\s{0,3}|[ \t]{4,40}(?==))(?=[:=>|?!.&\-iwoIT])(?:${BLOCK}|${TYPE}|${ELSE}|${TYPED}|:[-=?](?=[^\s}])|=>|->|:=|={1,3}|!=|:|>(?=[^\s<>]{1,1024}<\/)|&gt;(?=[^\s<>&]{1,1024}&lt;\/)|\b(?:is|was|IDENTIFIED BY|TO)\b)\s{0,3}(?:!unsafe |!!str |(?:[@$]{1,2}|[rbfLNE]{1,2})(?=["'])|${WRAPPER})?`;
const VALUE = [
  String.raw`(?<quote>["'\`])(?<quoted>(?:\\[^\n\0]|(?!\k<quote>)[^\\\0«\n]){1,4096})`,
  String.raw`(?<mark>\\{1,7}(?:["']|u002[27]))(?<escaped>(?:(?!\k<mark>)[^\0«\n]){1,4096})`,
  // `&` and `;` end the value if a parameter or an HTML entity follows.
  String.raw`(?<bare>[^\s;&"'\`<>\0«|\\([](?:[^\s;&"'\`<>\0«|\\]|[&;](?![\w.[\] -]{1,60}=|\w{2,6};|#|$)(?=[^\s"'\`<>|\\&;])|'(?=\w)){0,1023})`,
].join("|");
/** Database drivers put a password with a semicolon into braces: `PWD={a;b}`. */
const IN_BRACES = /(?<![A-Za-z])(?:PWD|Password)[ \t]{0,12}=[ \t]{0,12}\{([^{}\s\0«"'`<>]{4,128})\}/gi;
const ASSIGNMENT = new RegExp(`(?<name>${NAME})(?<joint>${JOINT})(?:${VALUE})`, "g");

export function assignmentRule(judgeName: NameTest, teamNames: readonly string[]): TextRule {
  const words = credentialWordsWith(teamNames);
  const hasWord = createWordTest(words);
  return {
    words,
    find: (text) => [
      ...assignments(text, (name) => (hasWord(name) ? judgeName(name) : undefined)),
      ...valueSpans(text, IN_BRACES, (value) => /[;=@!#$%&*+~?]/.test(value)),
    ],
  };
}

function assignments(text: string, judgeName: NameTest): SecretSpan[] {
  const spans: SecretSpan[] = [];
  ASSIGNMENT.lastIndex = 0;
  for (let match = ASSIGNMENT.exec(text); match; match = ASSIGNMENT.exec(text)) {
    const { name = "", joint = "", quoted, escaped, bare } = match.groups ?? {};
    const rawValue = quoted ?? escaped ?? bare ?? "";
    const start = match.index + match[0].length - rawValue.length;
    const strength = strengthOfLast(name, text.charAt(match.index - 1), judgeName);
    if (strength === undefined || isDigest(text, match.index) || isMember(joint, bare)) {
      // The value may itself be a name, as in `env: PASSWORD=…`.
      ASSIGNMENT.lastIndex = start;
      continue;
    }
    const inQuotes = bare === undefined;
    const value = inQuotes ? rawValue : withoutEnd(bare);
    const end = start + value.length;
    const isAlone = joint.includes("\n") && /^[ \t]{0,8}(?:\r?\n|$)/.test(text.slice(end, end + 10));
    if (isSecret({ name, joint, value, strength, inQuotes, isAlone }))
      spans.push({ start, end: end + marksAt(text, end), rule: "assigned-secret" });
  }
  return spans;
}

/** `checksum/secret: …` is a checksum. */
function isDigest(text: string, position: number): boolean {
  return /(?:checksum|digest|hash)\/$/i.test(text.slice(Math.max(0, position - 10), position));
}

/** The next line can contain another member instead of the value. */
function isMember(joint: string, value: string | undefined): boolean {
  return joint.includes("\n") && /:$|^[A-Za-z_][\w.-]{0,60}=[^=]|^[A-Z][A-Z\d_]*=$/.test(value ?? "");
}

function withoutEnd(value: string): string {
  return value.replace(/(?<=[^*])\*\*$/, "").replace(/[)\]},.:!?]+$/, "");
}

/** The second word may be the whole name, as in `use password=…`. */
function strengthOfLast(name: string, characterBefore: string, judgeName: NameTest): NameStrength | undefined {
  const second = /(?<= )[^ ]+$/.exec(name)?.[0];
  if (second === undefined) return judgeName(name);
  return /[\w./$:=@-]/.test(characterBefore) ? judgeName(second) : (judgeName(name) ?? judgeName(second));
}

/** `!` and `?` behind the value belong to it if the sentence continues with a small letter. */
function marksAt(text: string, end: number): number {
  return /^[!?]+(?=[ \t]{1,3}\p{Ll})/u.exec(text.slice(end, end + 8))?.[0].length ?? 0;
}

interface Assignment {
  readonly name: string;
  readonly joint: string;
  readonly value: string;
  readonly strength: NameStrength;
  readonly inQuotes: boolean;
  readonly isAlone: boolean;
}

function isSecret(assignment: Assignment): boolean {
  const { name, value, strength } = assignment;
  if (isNoAssignment(assignment)) return false;
  const isPassword = /pass ?(?:word|phrase|wort|wd)$|pwd$|kennwort$/i.test(name);
  if (isPassword && isPassphraseIn(assignment)) return true;
  if (isQuotedArgument(assignment)) return isSpokenPhrase(value);
  if (!/pass|pwd|pw$|psk/i.test(name) && isGeneratedResourceName(value)) return false;
  if ((isPassword && isQuotedWord(assignment)) || isShellSetting(assignment)) return true;
  if (isInSentence(assignment) && !/\d/.test(value)) return false;
  return looksSecret(value, { strength, isTight: isTight(assignment, isPassword) });
}

function isNoAssignment({ name, joint, value }: Assignment): boolean {
  // The value is `//…` of an address, or text between two quoted texts.
  if (/^(?:(?:https?:)?\/\/|\s|[),;\]}])/.test(value)) return true;
  // The name is a host, and the value its port: `token-service:8080/`.
  if (joint === ":" && /^\d{1,5}[/?#]/.test(value)) return true;
  // A key id is not a secret.
  return /key[_-]?id$/i.test(name) && /^A[KS]IA[A-Z\d]{16}$/.test(value);
}

function isPassphraseIn({ name, joint, value, inQuotes }: Assignment): boolean {
  if (isHyphenatedPassphrase(value) || isConsonantRun(value)) return true;
  if (!inQuotes) return false;
  if (isSpacedPassphrase(value)) return true;
  return /^\s?=\s?$/.test(joint) && /\d/.test(value) && !isPrompt(name, value) && isSpokenPhrase(value);
}

/** Forms and messages have names such as `newPasswordHint`. */
function isPrompt(name: string, value: string): boolean {
  return (
    /new|confirm|repeat|forgot|lbl|label|msg|message|reason|check|event|error|hint/i.test(name) || hasForeignWord(value)
  );
}

function isQuotedArgument({ name, joint, value, strength, inQuotes }: Assignment): boolean {
  if (strength !== "strong" || !inQuotes || !/\s/.test(value)) return false;
  if (/[A-Z]_?(?:PASS(?:WORD|WD|PHRASE)?|PW|PWD|SECRET)$/.test(name))
    return joint.startsWith("=") || /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/.test(name);
  const isPassword = /(?:password|passphrase|pwd|psk|pre-?shared-?key)$/i.test(name);
  return isPassword && joint === "=" && !isPrompt(name, value);
}

function isQuotedWord({ joint, value, inQuotes }: Assignment): boolean {
  return inQuotes && /^["'`\]]?\s?[:=]\s?$/.test(joint) && !/\s/.test(value) && mayBePassword(value);
}

/** In a shell, the value in `DB_PASSWORD=blue_river` is a text, not the name of a variable. */
function isShellSetting({ name, joint, value }: Assignment): boolean {
  return joint === "=" && /(?:^| )[A-Z][A-Z\d_]*_(?:PASSWORD|PASSWD|PWD|PASS)$/.test(name) && isJoined(value);
}

function isJoined(value: string): boolean {
  return (
    /^[a-z]+\d*(?:_[a-z\d]+)+$/.test(value) &&
    !/(?:^|_)(?:pass(?:word|wd)?|secrets?|keys?|tokens?|files?|path|name|var|env|from|your|my|change|me|here)(?:_|$)/.test(
      value,
    )
  );
}

function isInSentence({ joint, inQuotes }: Assignment): boolean {
  return !inQuotes && /\b(?:is|was|to)\b/i.test(joint);
}

function isTight({ joint, value, inQuotes, isAlone }: Assignment, isPassword: boolean): boolean {
  if (isAlone) return true;
  // Settings files pad equals signs with blanks.
  if (isPassword && inQuotes && /^\s+=\s+$/.test(joint) && !/[\s-]/.test(value)) return true;
  return /^(?:\\?["'`\]]*[=:]+|>|&gt;)$/.test(joint) && (inQuotes || /[=>;]$/.test(joint));
}

const POINTS =
  /^(?:your|(?:my|the|an?)\b(?!.{0,80}\d)|enter|type|see|stored?|from|set|use|change|ask|insert|put|paste|todo|tbd|not|no|none|same|must|should|please|in|on|at|via|to|is|if|when|get|fetch|check|look|kept?|invalid|wrong|missing|required|forgot|reset|new|old|current|confirm|repeat|leave|keep|read|generated?|run|copy)\b|\b(?:vault|1password|bitwarden|keepass|lastpass|keychain|secrets? manager|password|passphrase|secret|token|credentials?|required|invalid|must|here|example|characters?|contact)\b|[<{$]/i;

function isSpokenPhrase(value: string): boolean {
  const words = value.trim().split(/\s+/);
  return (
    words.length >= 2 && words.length <= 16 && !POINTS.test(value) && !isNonSecret(value) && !/[.:;?]$/.test(value)
  );
}

const QUOTE = String.raw`\\{0,3}["']?`;
const NAMING = String.raw`${QUOTE}(?<![A-Za-z])(?:[A-Za-z]{0,20}?(?:name|key|header|field|param(?:eter)?|property|attr(?:ibute)?|option|setting|label|title|variable|path)|var|env|k|id)${QUOTE}\s{0,3}[:=]\s{0,3}${QUOTE}`;
const HOLDING = String.raw`${QUOTE}(?<![A-Za-z])(?:[A-Za-z]{0,20}?(?:value|content|setting|string)|val|v|s|text|data|default|is|secret)${QUOTE}\s{0,3}[:=]\s{0,3}`;
const PAIR_NAME = String.raw`([A-Za-z][\w .:/-]{0,60}?)${QUOTE}`;
const PAIR_VALUE = String.raw`(?:\\{0,3}"([^"\\\n\0«]{4,1024})|\\{0,3}'([^'\\\n\0«]{4,1024})|([^\s"'\\,;}\]<>\0«]{4,1024}))`;
const BETWEEN = String.raw`[\s,;]{1,40}(?:${QUOTE}(?:type|enabled|disabled|description|secure|encrypted|sensitive|in)${QUOTE}\s{0,3}[:=]\s{0,3}${QUOTE}[\w-]{1,30}${QUOTE}[\s,;]{1,40})?`;
const NAME_FIRST = new RegExp(
  NAMING + PAIR_NAME + BETWEEN + HOLDING + String.raw`(?:\[\s{0,8}|\s{0,12}- )?` + PAIR_VALUE,
  "gi",
);
/** The value may be in a nested element: `<entry key="smtp.password">…</entry>`. */
const ELEMENT = new RegExp(
  String.raw`(?<![A-Za-z])(?:[A-Za-z]{0,20}?(?:name|key|property|setting)|id)=\\{0,3}["']([A-Za-z][\w .:/-]{0,60})\\{0,3}["'][^<>\n\0«]{0,60}>\s{0,8}(?:<(?:value|string)>\s{0,8})?([^\s<>\0«]{4,1024})(?=\s{0,8}</)`,
  "gi",
);

const NAMED_ELEMENT =
  /(?:<|&lt;)(?:\w{1,20}:)?([A-Za-z][\w.-]{0,40})(?:\s[^<>&\n\0«]{0,120})?(?:>|&gt;)((?:(?!&lt;\/)[^<>\0«\n]){5,256})(?:<|&lt;)\/(?:\w{1,20}:)?\1(?:>|&gt;)/g;

/** Matches `variable "NAME" { default = "…" }` of HCL and `"NAME": { "default": "…" }` of JSON. */
const NAMED_BLOCK = new RegExp(
  String.raw`(?<![\w.-])([A-Za-z][\w.-]{0,60})\\{0,3}["']?\s{0,3}[:=]?\s{0,16}\{(?:[^{}\0«]{0,400}?[\s,;])?` +
    HOLDING +
    PAIR_VALUE,
  "gi",
);

const NAMED_VALUES: readonly (readonly [form: RegExp, mayBeSecret: (value: string) => boolean])[] = [
  [NAME_FIRST, () => true],
  [ELEMENT, (value) => looksSecretAfterLabel(value, "strong", true)],
  [NAMED_ELEMENT, (value) => mayBePassword(value) && /[^A-Za-z]/.test(value)],
  // Such a block often has values that only describe the credential.
  [
    NAMED_BLOCK,
    (value) =>
      (looksSecret(value, { strength: "strong", isTight: false }) || hasPasswordShape(value)) &&
      !/^[a-z]+(?:\.\w+)+$/.test(value),
  ],
];

export function namedValueRule(judgeName: NameTest): TextRule {
  return {
    words: [...CREDENTIAL_WORDS, ...FOREIGN_WORDS],
    find: (text) =>
      NAMED_VALUES.flatMap(([form, mayBeSecret]) =>
        valueSpans(text, form, (value, [, name = ""]) => mayBeSecret(value) && isSecretOf(name, value, judgeName)),
      ),
  };
}

function isSecretOf(name: string, value: string, judgeName: NameTest): boolean {
  const strength = HAS_CREDENTIAL_WORD.test(name) || hasForeignWord(name) ? judgeName(name) : undefined;
  if (strength === "strong") return !isNonSecret(value) && !/\s|^[a-z]+\/[a-z.+-]+$/.test(value);
  const isCookie = /^(?:set-)?cookies?$/i.test(name);
  return strength === "weak" && (looksRandom(value) || (isCookie && hasRandomCookie(value)));
}
