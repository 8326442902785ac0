import { EVERY_TEXT } from "../spans.ts";
import { FOREIGN_CREDENTIAL, hasForeignWord, isNonSecret } from "./non-secrets.ts";
import type { NameStrength } from "./secret-value.ts";
import { wordSet } from "../../core/collections.ts";

/** Undefined if the name does not mean a credential. */
export type NameTest = (name: string) => NameStrength | undefined;

const STRONG_WORDS = wordSet(
  `password passwords passwd pwd pw psw pswd passphrase passphrases passcode passwort kennwort motdepasse mdp contrasena senha wachtwoord haslo heslo parola losenord secret secrets psk`,
);
const WEAK_WORDS = wordSet(
  `token tokens auth authorization authentication credential credentials cred creds cookie cookies jwt dsn bearer sas otp totp hmac`,
);
/** A key with one of these words is a credential; a primary key is none. */
const KEY_OF = `api access secret private account storage encryption signing master shared license licence ingest ingestion service
  write app application subscription auth client ssh deploy hmac admin integration routing webhook decryption fernet security
  activation product clickhouse functions host function system jwt cookie instrumentation consumer live technician merchant preshared radius tacacs ipsec ike vpn bgp ospf validation certificate wifi wlan wpa wpa2 wpa3`;
const STRONG_PAIRS = new Set([
  ...KEY_OF.split(/\s+/).flatMap((word) => [`${word}key`, `${word}keys`, `${word} key`, `${word} keys`]),
  ..."connectionstring connectionstrings connectionuri accesskeyid sharedaccesssignature".split(" "),
  "connection string",
  "connection strings",
  "connection uri",
  "access key id",
  "shared access signature",
  "community string",
  ..."snmp read write ro rw trap".split(" ").map((word) => `${word} community`),
  "wi fi key",
]);
/** Matches `X-Acme-Key`. The excluded names mean keys that are no credentials. */
const OWN_HEADER =
  /^x[-_](?!(?:.*[-_])?(?:idempotency|cache|partition|sort|sorting|surrogate|request|dedup|deduplication|primary|foreign|message|object|public|routing|trace|tenant|feature|group|row|i18n)[-_]key$)[\w-]{1,40}[-_]key$/i;
/** Matches `ACME_KEY`, but not `CACHE_KEY`. */
const OWN_VARIABLE =
  /^(?!(?:\w*_)?(?:GPG|PGP|CACHE|PARTITION|SORT|SORTING|PRIMARY|FOREIGN|OBJECT|ROW|MESSAGE|DEDUP|PUBLIC|PUBLISHABLE|ANON|SITE|FEATURE|TENANT|GROUP|TRACE|REQUEST|IDEMPOTENCY|PROJECT|ISSUE|S3|BUCKET|REDIS|LOCK|QUEUE|I18N|HOST|MAP|JOIN|UNIQUE|INDEX|ORDER)_KEY$)[A-Z][A-Z\d]{1,20}(?:_[A-Z\d]{1,20}){0,4}_KEY$/;
const VENDOR_HEADER =
  /^(?!(?:Cache|Partition|Sort|Primary|Foreign|Public|Idempotency|Surrogate|Routing|Message|Object|Row|Group|Feature|Trace|Request|Host|Translation|Unique)-)[A-Z][A-Za-z]{2,15}-Key$/;
/** These words mean a credential only as the whole name. */
const SHORT = new Set(["sk", "basic", "userpwd", "userpass", "signing", "x-honeycomb-team"]);
/** The expression is slow, so only names with a foreign word are tested. */
const FOREIGN = new RegExp(`(?:${FOREIGN_CREDENTIAL})$`, "i");

const GLUED =
  /(?:password|passwd|passphrase|(?:store|key|trust|user|auth|db|root|admin|bind|acs|wifi|vpn|radius|ldap|mqtt|api|app|ppp|pppoe|sip|snmp|smtp|mysql|pg|ssh|ftp|mail|net|web|sql|redis)pass|apikey|secretkey|accesskey|privatekey|clientsecret)$/;
const GLUED_WEAK = /(?:auth|access|refresh|session|bearer|app|api)token$/;

/** With such a last word, a name usually only describes a credential. */
const ABOUT =
  wordSet(`count counts type types kind id ids name names url uri length size limit limits ttl expiry expires expiration expired at
  policy policies rule rules requirement requirements guidelines field fields column columns expression expressions enabled disabled required rotation rotated
  version strength quality complexity entropy hint label title description path file ref refs reference algorithm schema format mode min max age
  usage used budget rate ratio per total totals index endpoint method provider scheme mechanism strategy status state issuer domain
  location source arn prompt placeholder timeout ms seconds scope scopes audience manager store sha1 sha256 md5 checksum digest fingerprint thumbprint reset resets change changes regex regexp pattern
  time times date created creation updated modified lifespan lifetime encoding charset mismatch mismatches owner holder
  failures failed errors attempts percentage latency duration requests events logs service server`);
/** With such a last word, the value can be a credential or a description, so the name is weak. */
const USES = wordSet(
  "scan scans scanner scanning audit check checks review sync backend engine operator injector rotator exchange",
);
/** As in `authPassB64`. */
const ENCODING = new Set(["b64", "base64", "encoded", "plaintext", "cleartext"]);
/** Before `token`, these words mean a count, a cursor, or a term of parsers and designers. */
const OTHER_TOKENS =
  wordSet(`max min page next continuation cursor css design lex syntax num number prompt completion input output total cached stop
  word`);

const OTHER_BEFORE = new Set(["resumption", "delta", "skip", "scroll", "pagination"]);

export function describesCredential(word: string): boolean {
  return ABOUT.has(word.toLowerCase());
}

export const judgeCredentialName: NameTest = (name) => {
  if (name.length > 100) return undefined;
  const strength = strengthOfWhole(name);
  if (strength !== undefined) return strength;
  const words = withoutEncoding(wordsOf(name));
  // `MotDePasse` has no blanks, but the expression for foreign words requires them.
  if (isForeignCredential(words.join(" "))) return "strong";
  if (words.some(isOfProcess)) return undefined;
  if (STRONG_PAIRS.has(words.slice(-3).join(" "))) return "strong";
  if (isDescription(words)) return undefined;
  const lastWord = words.at(-1) ?? "";
  // `DB_PASS` is a password; `pass rate` and `passes` are not.
  if (lastWord === "pass" || words.some(isStrongWord)) return USES.has(lastWord) ? "weak" : "strong";
  const weakIndex = words.findIndex((word) => WEAK_WORDS.has(word) || GLUED_WEAK.test(word));
  if (weakIndex < 0) return OWN_VARIABLE.test(name) || VENDOR_HEADER.test(name) ? "weak" : undefined;
  return isOtherToken(words, weakIndex) ? undefined : "weak";
};

function strengthOfWhole(name: string): NameStrength | undefined {
  const lowerName = name.toLowerCase();
  if (OWN_HEADER.test(name) || lowerName === "p/w" || isForeignCredential(name)) return "strong";
  return SHORT.has(lowerName) ? "weak" : undefined;
}

function isForeignCredential(name: string): boolean {
  return hasForeignWord(name) && FOREIGN.test(name);
}

function withoutEncoding(words: readonly string[]): readonly string[] {
  return words.length > 1 && ENCODING.has(words.at(-1) ?? "") ? words.slice(0, -1) : words;
}

function isOfProcess(word: string, index: number, words: readonly string[]): boolean {
  return word === "rotation" || word === "existing" || (word === "less" && words[index - 1] === "password");
}

function isDescription(words: readonly string[]): boolean {
  const firstWord = words[0] ?? "";
  return ABOUT.has(words.at(-1) ?? "") || /^(?:has|is|use|show|hide|requires?|allow|enable|no)$/.test(firstWord);
}

function isStrongWord(word: string, index: number, words: readonly string[]): boolean {
  if (STRONG_WORDS.has(word) || STRONG_PAIRS.has(word) || GLUED.test(word)) return true;
  return STRONG_PAIRS.has(`${word} ${words[index + 1] ?? ""}`);
}

function isOtherToken(words: readonly string[], index: number): boolean {
  if (words[index]?.startsWith("token") !== true) return false;
  return OTHER_BEFORE.has(words[index - 1] ?? "") || words.slice(0, index).some((word) => OTHER_TOKENS.has(word));
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
}

export function createNameTest(teamNames: readonly string[]): NameTest {
  const addedNames = new Set(teamNames.map((name) => wordsOf(name).join(" ")));
  const isAdded = (name: string): boolean => addedNames.has(wordsOf(name).join(" "));
  return cacheAnswers(
    addedNames.size === 0 ? judgeCredentialName : (name) => (isAdded(name) ? "strong" : judgeCredentialName(name)),
  );
}

/** Each English name that `judgeCredentialName` accepts contains one of these; case is ignored. */
export const CREDENTIAL_WORDS: readonly string[] =
  `pass pwd pw p/w psw psk hmac kennwort secret token auth cred cookie jwt dsn bearer sas otp key connection community honeycomb signature signing basic sk`.split(
    " ",
  );

export const HAS_CREDENTIAL_WORD = new RegExp(CREDENTIAL_WORDS.join("|"), "i");

export function credentialWordsWith(teamNames: readonly string[]): readonly string[] {
  if (teamNames.length === 0) return CREDENTIAL_WORDS;
  const addedWords = teamNames.map(
    (name) => wordsOf(name).toSorted((left, right) => right.length - left.length)[0] ?? "",
  );
  return addedWords.every((word) => /^[a-z\d]+$/.test(word)) ? [...CREDENTIAL_WORDS, ...addedWords] : EVERY_TEXT;
}

/** Without limits, a hostile stack could fill the memory. */
const MAX_REMEMBERED = 10_000;
const MAX_LENGTH = 100;

/** Remembers answers, because records repeat the same names. */
export function cacheAnswers<Answer>(judge: (name: string) => Answer): (name: string) => Answer {
  const answers = new Map<string, { readonly answer: Answer }>();
  return (name) => {
    const cachedAnswer = answers.get(name);
    if (cachedAnswer) return cachedAnswer.answer;
    const answer = judge(name);
    if (answers.size < MAX_REMEMBERED && name.length <= MAX_LENGTH) answers.set(name, { answer });
    return answer;
  };
}

/** A PIN has four digits; smaller numbers are mostly counts, as in `{ pass: 12, fail: 3 }`. */
export const MIN_SECRET_NUMBER = 1000;

/** A few words can be the value of a setting: `auth: "custom header"`. */
const SETTING = /^(?:[a-z]+(?:[ _-][a-z]+)?|[A-Z]+(?:[_-][A-Z\d]+){0,2})$/;
const SAYS_WHICH =
  /^(?:type|kind|method|scheme|mode|format|enabled|algorithm|version|id|label|title|description|url|host|region)$/i;

/** `names` begin with the nearest name. */
export function secretRuleOfNames(
  value: string | number,
  names: readonly string[],
  judgeName: NameTest,
): string | undefined {
  const [nearestName = "", ...outerNames] = names;
  const strength = judgeName(nearestName);
  if (typeof value === "number")
    return strength === "strong" && value >= MIN_SECRET_NUMBER ? "credential-number" : undefined;
  if (isNonSecret(value) || /^\d{1,3}$/.test(value)) return undefined;
  if (strength === "strong") return "credential";
  const isSecret =
    strength === "weak"
      ? !SETTING.test(value) || value.length > 20
      : // In `auth: { … }`, a text that does not look like a setting is a secret.
        !SAYS_WHICH.test(nearestName) &&
        !SETTING.test(value) &&
        outerNames.some((name) => judgeName(name) !== undefined);
  return isSecret && !isAddressOnly(nearestName, value) ? "credential" : undefined;
}

/** Such a DSN is not redacted as a whole: the rules for texts find its secret parameters. */
function isAddressOnly(name: string, value: string): boolean {
  return /dsn$/i.test(name) && /^(?:jdbc:)?[a-z][\w+.-]{1,20}:\/\/[^\s@]+$/.test(value);
}
