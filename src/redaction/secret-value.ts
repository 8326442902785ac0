/** Values that say which, whether or how, and are no secret under any name. */
const HARMLESS = new Set(
  `true false null none undefined nil yes no on off enabled disabled required optional default empty unknown missing
  basic bearer digest oauth oauth2 oidc saml iam ntlm mtls ldap plain password token apikey api_key header query cookie
  sha1 sha256 sha512 md5 argon2 argon2id bcrypt scrypt pbkdf2 hs256 rs256 es256 ed25519 rsa hmac aes256 string text secret
  redacted changeme todo tbd see string uint64 int64 uint32 int32 float64 datetime64 scram-sha-256 scram-sha-512`.split(
    /\s+/,
  ),
);
/** `{{token}}`, `${TOKEN}`, `$1`, `%s`, `:name`, `<your-token>`, `***`: what stands for a secret and is none. */
const STANDS_FOR =
  /^(?:\{\{?[^{}]*\}?\}|\$\{[^{}]*\}|\$\(?[A-Za-z_]\w*\)?|\$\d+|%\(?\w*\)?s|<[^<>]*>|\[[^[\]]*\]|\*+|[xX]{3,}|\?+|:[a-z_]\w*|\.{2,}|…|[-_=%]+)$/;

/** True for what is never a secret: words for settings, and what stands for a value. */
export function isHarmless(value: string): boolean {
  const plain = value.trim();
  return plain === "" || plain.includes("\0") || HARMLESS.has(plain.toLowerCase()) || STANDS_FOR.test(plain);
}

/** How sure a name is of holding a credential: `strong` (password, API key) or `weak` (token, auth), where the value counts too. */
export type NameStrength = "strong" | "weak";

/** How a value was found: next to a name of that strength, in quotes, with nothing between name, sign and value. */
export interface ValueContext {
  readonly strength: NameStrength;
  readonly tight: boolean;
}

/** Whether a value that is assigned to a credential-like name in some text is a secret, and not a word, column or call. */
export function looksSecret(value: string, { strength, tight }: ValueContext): boolean {
  if (isHarmless(value) || value.length < 4) return false;
  // A date, a time, a number with a unit, an address of a machine: none of them is anybody's token.
  if (/^\d{1,4}(?:[-:/.]\d{1,2}){1,2}[\dTZ:.+-]*$/.test(value) || /^\d+(?:\.\d+)?[a-z%]{0,3}$/i.test(value))
    return strength === "strong" && /^\d{6,}$/.test(value);
  if (/^[A-Za-z_][\w.]*[([]/.test(value)) return false;
  if (strength === "weak") return looksRandom(value);
  if (isWords(value)) return tight && !/^[A-Z]?[a-z]+(?:[._][a-z]+)+$/.test(value);
  return value.length >= 6;
}

/** Words of sentences and of names for secrets: what has them was not drawn by lot. */
const SENTENCE = new Set(
  `the and for not with from this that your our per via see ask use get set same are was has any all who how
  every under into only never always password passwords secret secrets credential credentials token key keys
  vault wiki store stored manager policy rotate rotated reset default admin user users root prod production
  staging test env file path name service server cluster database reader writer team`.split(/\s+/),
);

/** A passphrase: four words or more, drawn by lot. Only after a name that says password, as a name of a thing looks like it. */
export function isPassphrase(value: string): boolean {
  const words = value.split("-");
  return words.length >= 4 && words.every((word) => /^[a-z]{3,12}$/.test(word) && !SENTENCE.has(word));
}

/** Long, and made of letters and digits in a way that no word or name is. */
export function looksRandom(value: string): boolean {
  if (value.length < 12 || isWords(value) || !/[A-Za-z]/.test(value)) return false;
  if (!/\d/.test(value))
    return value.length >= 24 && /[a-z]/.test(value) && /[A-Z]/.test(value) && entropy(value) > 3.8;
  return entropy(value) >= 2.9;
}

/** Shannon entropy, bits a character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Words and small numbers with joints: `service_name_2`, `user-password`, `http.status`. */
function isWords(value: string): boolean {
  return value.split(/[\s_.,/:-]+/).every((part) => {
    if (/^(?:[A-Za-z]{1,2}\d{1,2}|\d{1,2}|[A-Z]*|[A-Z]?[a-z]*)$/.test(part)) return true;
    if (!/^[A-Za-z]+$/.test(part)) return false;
    // camelCase has humps of some length; letters drawn by lot have short ones.
    return part.length / (part.match(/[A-Z]?[a-z]+|[A-Z]+/g)?.length ?? 1) >= 3.5;
  });
}
