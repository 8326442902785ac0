/** How sure a name is of holding a credential: `strong` (password, API key) or `weak` (token, auth), where the value counts too. */
export type NameStrength = "strong" | "weak";

const STRONG_WORDS = new Set(
  "password passwords passwd pwd passphrase passphrases passcode passwort kennwort secret secrets".split(" "),
);
const WEAK_WORDS = new Set(
  "token tokens auth authorization authentication credential credentials cookie cookies jwt dsn bearer sas otp".split(
    " ",
  ),
);
/** Two words that together say credential; the second alone (`key`) says nothing: sorting keys, primary keys. */
const STRONG_PAIRS = new Set(
  [
    ..."api access secret private account storage encryption signing master shared license ingest ingestion service write".split(
      " ",
    ),
    ..."app application subscription auth client ssh deploy hmac admin integration routing webhook decryption".split(
      " ",
    ),
  ].flatMap((word) => [`${word}key`, `${word}keys`]),
);
for (const pair of ["connectionstring", "connectionstrings", "connectionuri", "accesskeyid", "sharedaccesssignature"])
  STRONG_PAIRS.add(pair);
/** Names written without a joint: `pgpassword`, `clientsecret`. */
const GLUED_WORDS = "password passwd passphrase apikey secretkey accesskey privatekey clientsecret".split(" ");
const GLUED_WEAK_WORDS = "authtoken accesstoken refreshtoken sessiontoken bearertoken".split(" ");
const GLUED = new RegExp(`(?:${GLUED_WORDS.join("|")})$`);
const GLUED_WEAK = new RegExp(`(?:${GLUED_WEAK_WORDS.join("|")})$`);

/**
 * What a name of a credential contains, in small letters: one of `strong`, one of `pairs` (which may have joints in
 * between), or for a weak name, one of `weak`.
 */
export const CREDENTIAL_WORDS = {
  strong: ["pass", ...STRONG_WORDS, ...GLUED_WORDS],
  pairs: [...STRONG_PAIRS],
  weak: [...WEAK_WORDS, ...GLUED_WEAK_WORDS],
} as const;

/** A name that ends so speaks about the credential: how many, of which kind, until when, where it is kept. */
const ABOUT = new Set([
  ..."count counts type types kind id ids name names url uri length size limit limits ttl expiry expires expiration expired at".split(
    " ",
  ),
  ..."policy policies field fields column columns expression expressions enabled disabled required rotation rotated".split(
    " ",
  ),
  ..."version hint label title description path file ref refs reference algorithm schema format mode min max age".split(
    " ",
  ),
  ..."usage used budget rate ratio per total totals index endpoint method provider scheme strategy status state issuer".split(
    " ",
  ),
  ..."location source arn prompt placeholder timeout ms seconds scope scopes audience manager store reset change changes".split(
    " ",
  ),
  ..."failures failed errors attempts percentage latency duration requests events logs service server".split(" "),
]);
/** `maxTokens`, `nextPageToken`: counts, cursors, and what is a token to a parser or a designer. */
const OTHER_TOKENS = new Set(
  "max min page next continuation cursor css design lex syntax num number prompt completion input output total cached stop word".split(
    " ",
  ),
);

/** Reads a name word by word, in camelCase, snake_case, kebab-case or with spaces. Undefined for one that holds no credential. */
export function credentialName(name: string): NameStrength | undefined {
  if (name.length > 100) return undefined;
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  const joined = words.slice(-3).join("");
  if (STRONG_PAIRS.has(joined)) return "strong";
  if (ABOUT.has(last) || /^(?:has|is|use|show|hide|requires?|allow|enable|no)$/.test(words[0] ?? "")) return undefined;
  // `DB_PASS` is a password; `pass rate` and `passes` are not.
  if (last === "pass") return "strong";
  const pair = words.some((word, index) => STRONG_PAIRS.has(word + (words[index + 1] ?? "")) || STRONG_PAIRS.has(word));
  if (pair || words.some((word) => STRONG_WORDS.has(word) || GLUED.test(word))) return "strong";
  const weak = words.findIndex((word) => WEAK_WORDS.has(word) || GLUED_WEAK.test(word));
  if (weak < 0) return undefined;
  return words[weak]?.startsWith("token") && words.slice(0, weak).some((word) => OTHER_TOKENS.has(word))
    ? undefined
    : "weak";
}

/** The words of a name, in lower case. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
}
