import { credentialName } from "./credential-name.ts";
import type { NameStrength } from "./credential-name.ts";
import { isHarmless, looksRandom, looksSecret } from "./looks-secret.ts";
import type { SecretSpan } from "./redaction-policy.ts";

/** One or two words and what joins them to a value. */
const NAME = String.raw`((?<![A-Za-z\d])(?:[A-Za-z]{2,20} )?[A-Za-z][\w.-]{1,60})`;
const JOINT = String.raw`(\\?["'\`\]]{0,3}\s{0,3}(?:=>|->|:=|={1,3}|!=|:|>(?=\S)|\b(?:is|was|IDENTIFIED BY|TO)\b)\s{0,3})`;
/** The value: in quotes, in quotes that are escaped, or up to the next blank or mark. */
const VALUE = [
  String.raw`(["'\`])((?:\\[^\n\0]|(?!\3)[^\\\0«\n]){1,4096})`,
  String.raw`\\(["'])((?:(?!\\\5)[^\0«\n]){1,4096})`,
  String.raw`([^\s;&"'\`<>\0«|\\([][^\s;&"'\`<>\0«|\\]{0,1023})`,
].join("|");
const ASSIGNMENT = new RegExp(`${NAME}${JOINT}(?:${VALUE})`, "g");
const COOKIE = /(?<![A-Za-z])(?:set-)?cookie["']?\s{0,3}:\s{0,3}["']?([^\n"'\0«]{8,4096})/gi;
/** Words before a value without any sign between them: headers, SQL, flags. */
const SCHEME =
  /(?<![A-Za-z\d])(bearer|basic|apikey|api-key|token|splunk|genie-?key|identified by|identified with \w+ by|--?[a-z][a-z-]{0,30})[ \t]{1,3}["'`]?([^\s"'`,;<>()«\0\\]{4,2048})/gi;
const CURL_USER = /(?<=\s(?:-u|--user|--proxy-user)[ =]["']?)[^\s:"'«\0]{1,128}:([^\s"'«\0]{3,256})/g;
/** Programs whose flag for a password is a single letter. */
const SHORT_FLAG =
  /\b(?:docker|podman|helm|sshpass|redis-cli|htpasswd|mysql|ldapsearch)\b[^\n|;]{0,100}?\s-[paw]\s?["']?([^\s"'«\0-][^\s"'«\0]{3,256})/g;
/** The name, and then the value without anything in between. */
const FOLLOWS =
  /(?<![A-Za-z])(?:pass(?:word|wd|wort|phrase)|pwd|(?:api|access|secret|master|encryption) key|(?:access|auth|api) token|client secret)\s{1,3}([^\s"'`,;<>()«\0\\]{8,512})/gi;
const SQL_PASSWORD = /(?<![A-Za-z])password\s{1,3}'([^'\n\0«]{4,256})(?=')/gi;
const MAY_ASSIGN =
  /pass|pwd|kennwort|secret|token|key|auth|cred|cookie|jwt|dsn|bearer|basic|sas\b|otp|connection|splunk|genie|identified|--?user|-u |docker|podman|redis-cli|sshpass/i;

/** Tells how sure a name is of holding a credential. */
export type NameTest = (name: string) => NameStrength | undefined;

/**
 * Values that are assigned to a credential-like word in text: `password=…`, `"apiKey": "…"`, `Authorization: Bearer …`.
 * @param named also knows names that this module does not; `thorough` then looks at every text
 */
export function assignedSpans(text: string, named: NameTest, thorough = false): SecretSpan[] {
  if (!thorough && !MAY_ASSIGN.test(text)) return [];
  const group = (expression: RegExp, rule: string, isSecret: (value: string) => boolean): SecretSpan[] =>
    [...text.matchAll(expression)].flatMap(({ index, 0: whole, 1: value = "" }) => {
      const end = index + whole.length;
      return isSecret(value) ? [{ start: end - value.length, end, rule }] : [];
    });
  return [
    ...assignments(text, named),
    ...schemes(text),
    ...group(CURL_USER, "assigned-secret", (value) => !isHarmless(value)),
    ...group(SQL_PASSWORD, "assigned-secret", (value) => looksSecret(value, { strength: "strong", tight: true })),
    ...group(SHORT_FLAG, "assigned-secret", (value) => /\d|[^\w./:@-]/.test(value) && !isHarmless(value)),
    ...group(FOLLOWS, "assigned-secret", (value) => /\d/.test(value) && /[A-Za-z]/.test(value) && isOdd(value)),
    ...group(COOKIE, "cookie", (value) => value.split(/[;=\s]/).some(looksRandom)),
  ];
}

function assignments(text: string, named: NameTest): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const expression = new RegExp(ASSIGNMENT);
  for (let match = expression.exec(text); match; match = expression.exec(text)) {
    const [whole, name = "", joint = "", , quoted, , escaped, bare = ""] = match;
    const value = quoted ?? escaped ?? bare;
    const start = match.index + whole.length - value.length;
    const strength = named(name);
    // What was taken for a value may be a name itself: `env: PASSWORD=…`.
    if (strength === undefined) expression.lastIndex = start;
    else {
      const trimmed = bare === "" ? value : bare.replace(/[)\]},.:!?]+$/, "");
      if (isAssigned(trimmed, joint, bare === "", strength))
        spans.push({ start, end: start + trimmed.length, rule: "assigned-secret" });
    }
  }
  return spans;
}

function isAssigned(value: string, joint: string, inQuotes: boolean, strength: NameStrength): boolean {
  const tight = /^\\?["'`\]]*[=:]+$/.test(joint) && (inQuotes || joint.endsWith("="));
  const said = !inQuotes && /\b(?:is|was|to)\b/i.test(joint);
  return (!said || /\d/.test(value)) && looksSecret(value, { strength, tight });
}

function schemes(text: string): SecretSpan[] {
  return [...text.matchAll(SCHEME)].flatMap(({ index, 0: whole, 1: word = "", 2: value = "" }) => {
    const bare = value.replace(/[.,:!?]+$/, "");
    if (!isSchemeValue(word.toLowerCase(), bare)) return [];
    const start = index + whole.length - value.length;
    return [{ start, end: start + bare.length, rule: ruleOf(word) }];
  });
}

/** Neither words nor a call, a path or an address. */
function isOdd(value: string): boolean {
  return (
    !/[/:=]|\.\w|\[|\)$/.test(value) && looksSecret(value.replace(/[.,!?]+$/, ""), { strength: "strong", tight: false })
  );
}

function isSchemeValue(word: string, value: string): boolean {
  if (word.startsWith("-")) {
    const strength = credentialName(word.replace(/^-+/, ""));
    return strength !== undefined && !value.startsWith("-") && looksSecret(value, { strength, tight: true });
  }
  if (word.startsWith("identified")) return !isHarmless(value);
  if (word === "basic") return isUserInfo(value);
  if (/^[[({]/.test(value)) return false;
  return looksRandom(value) || (word === "bearer" && value.length >= 20 && /\d/.test(value));
}

/** The Basic scheme's user and password, base64: what it says is the only proof, as any word is base64 too. */
function isUserInfo(value: string): boolean {
  if (!/^[A-Za-z\d+/_-]{6,}={0,2}$/.test(value)) return false;
  return /^[\x20-\x7e\u00a0-\uffff]*:[\x20-\x7e\u00a0-\uffff]*$/.test(Buffer.from(value, "base64").toString("utf8"));
}

function ruleOf(word: string): string {
  if (/^bearer|^token|key$/i.test(word)) return "bearer-token";
  return /^basic/i.test(word) ? "basic-credential" : "assigned-secret";
}
