import { isNonSecret } from "./non-secrets.ts";
import { wordSet } from "../../core/collections.ts";

/** After a weak name (`token`, `auth`), the value must look like a credential. */
export type NameStrength = "strong" | "weak";

/** `isTight`: the form shows that the value belongs to the name, as in `name="…"`. */
export interface ValueContext {
  readonly strength: NameStrength;
  readonly isTight: boolean;
}

/** Matches a mail address of plain words, as in lists of contacts. */
const MAILBOX = /^[a-z]+(?:[-_.+][a-z]+)*@[a-z-]+(?:\.[a-z-]+)*\.[a-z]{2,6}$/;

export function looksSecret(value: string, { strength, isTight }: ValueContext): boolean {
  if (isNonSecret(value) || value.length < 4) return false;
  // Dates, times, units and IP addresses are not secrets, but six digits can be a password.
  if (/^\d{1,4}(?:[-:/.]\d{1,2}){1,2}[\dTZ:.+-]*$/.test(value) || /^\d+(?:\.\d+)?[a-z%]{0,3}$/i.test(value))
    return strength === "strong" && /^\d{6,}$/.test(value);
  if (/^[A-Za-z_][\w.:]*[([]/.test(value) || isSentence(value)) return false;
  if (strength === "weak") return looksRandom(value) && !isGeneratedResourceName(value);
  if (!isTight && MAILBOX.test(value)) return false;
  if (isWordSequence(value)) return isTight && !/^[A-Z]?[a-z]+(?:[._][a-z]+\d?)+$/.test(value);
  return value.length >= 6;
}

const SYMBOL = /[!@#$%^&*+?~§€£]/;

export function looksSecretAfterLabel(value: string, strength: NameStrength, isPassword: boolean): boolean {
  if (isNonSecret(value) || isPlace(value)) return false;
  if (strength === "weak" || !isPassword) return looksRandom(value) && !isGeneratedResourceName(value);
  if (looksSecret(value, { strength, isTight: false }))
    return /\d/.test(value) || SYMBOL.test(value) || looksRandom(value);
  if (isHyphenatedPassphrase(value) || isConsonantRun(value)) return true;
  return value.length >= 6 && /\d/.test(value) && /[A-Z]/.test(value) && /[a-z]/.test(value);
}

/** These words describe a password, as in `password: expired`. */
const OF_PASSWORDS =
  wordSet(`wrong incorrect correct invalid expired rejected accepted matching mismatched weak strong short blank rotated locked unlocked
  individual personal private internal external encrypted hashed salted masked temporary varchar char uuid integer number date
  varchar2 nvarchar object array nullable protected managed synced disabled enabled mandatory unused deprecated obsolete leaked
  compromised pending approved local ldap kerberos active directory domain windows intranet nobody everyone yours mine theirs`);

/** Call this only where a password is expected. */
export function mayBePassword(value: string): boolean {
  if (value.length < 5 || value.length > 64 || isNonSecret(value) || isPlace(value)) return false;
  const lowerValue = value.toLowerCase();
  if ([OF_PASSWORDS, SENTENCE, OF_SENTENCES].some((words) => words.has(lowerValue))) return false;
  // A value with such a word is a stand-in if it has no digit.
  if (/pass(?:w|phr|c|\b|_)|pwd|secret|token|cred|kennwort|vault|field|column|input|param|config/i.test(value))
    return /\d/.test(value);
  return (
    /[\p{L}]/u.test(value) &&
    !/[=\\$%{}]|^[.#@:\-+]|^\d+[a-z]{1,4}$|^[A-Za-z]+\.[A-Za-z.]+$|^[A-Z]{1,4}$|\.{2,}/.test(value)
  );
}

export function hasPasswordShape(value: string): boolean {
  if (value.length < 8 || isNonSecret(value) || isPlace(value) || isVersion(value)) return false;
  if (/\d/.test(value) && /(?<=\w)[!@#$%^&*+?~§€£](?=\w|$)/.test(value)) return true;
  if (looksRandom(value) && /[A-Z]/.test(value) && /[a-z]/.test(value)) return true;
  return value.length >= 10 && /[A-Z]/.test(value) && /[a-z]/.test(value) && /\d/.test(value) && /[-_.]/.test(value);
}

export function mayBeSecretPart(part: string): boolean {
  // Behind a template: the next parameter of an address, or the host after a login.
  if (/^[&;,]\w+=[\w.-]{0,12}$|^@[\w.-]+(?::\d+)?(?:[/?][\w./?&=%-]*)?["'\x60]{0,3}$/.test(part)) return false;
  // The part is a method call on the template's value.
  if (/^[.:]{1,2}\w+\(/.test(part)) return false;
  // The part begins an address, before a template for the password.
  if (/^[a-z][a-z\d+]*:\/\/[\w.+-]{0,60}:$/.test(part)) return false;
  return (
    /[A-Za-z]/.test(part) &&
    (part.match(/[A-Za-z\d]/g)?.length ?? 0) >= 4 &&
    !isNonSecret(part) &&
    !isWordSequence(part)
  );
}

function isPlace(value: string): boolean {
  return /^[a-z][\w+.-]*:\/\/|^jdbc:|^[\w.-]+@(?:tcp|unix)\(|^(?:env|json|yaml|toml|mapstructure|db|form|xml)(?:Default)?:\\?["']|^\/\/\w|\]\(|^(?:\.{0,2}|~|[A-Z]:)[\\/]\w|^[A-Za-z_][\w.]*[([]|^[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}$|^[\w.+-]+@\d{1,3}(?:\.\d{1,3}){3}$|^[<>]=?\d|^https?:|^[a-z\d._-]+(?:\/[a-z\d._-]+)+$|^[#@-]\w+$|^[a-z_]\w*=|^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+=|^\)?\.\w+\(|^[[{]+\\?["']|^[a-z][\w-]*\[\d+\]?:?$|^\w+:[x*!]{1,2}:\d+:|\\[sSdDwWb]|^\W*$|(?<![\w+/-]{10}=?)=$|^--/.test(
    value,
  );
}

function isVersion(value: string): boolean {
  return /^v?\d+(?:[.:/-]\w+)*$|^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*[-_. ]?v?\d{1,4}(?:\.\d+)*$/.test(value);
}

/** Such a word is no password, and no part of a passphrase. */
const SENTENCE =
  wordSet(`the and for not with from this that your our per via see ask use get set same are was has any all who how
  every only never always password passwords secret secrets credential credentials token key keys
  vault wiki store stored manager policy rotate rotated reset default admin user users root prod production
  staging test env file path name service server cluster database reader writer team`);

/** `isHyphenatedPassphrase` accepts these words, `isSpacedPassphrase` does not. */
const OF_SENTENCES =
  wordSet(`about above after again also always any anyone are based been before below between both but can cannot case change changed
  changes characters check click contact contain contains copy could days did does done each either email empty enter every
  expired expires first forgot found four generate generated give given good have here hidden his how invalid its keep kept
  known last later least length letters like line list long longer lower lowercase made make many may message minimum more
  most must need needs never new next none number numbers off once one open option options other our page paper people please
  press prompt random read required same saved sealed send sent share shared should show since some soon special still such
  symbols text than them then there these they those three through time times too twelve two type typed unchanged until upper
  uppercase used using valid value very wait were what when where which while who why will without word words would write
  written wrong years you six eight ten five twenty months weeks hours minutes seconds joined separated spaces`);

/** Identifiers look the same, so call this only where a credential is expected. */
export function isHyphenatedPassphrase(value: string): boolean {
  const words = value.split("-");
  const numbered = /^\d{1,4}$/.test(words.at(-1) ?? "") ? words.slice(0, -1) : words;
  return (
    numbered.length >= (numbered === words ? 4 : 3) &&
    numbered.filter((word) => word.length < 3).length <= (numbered.length > 4 || numbered !== words ? 1 : 0) &&
    numbered.every((word) => /^\p{Lu}?\p{Ll}{1,12}$/u.test(word) && !SENTENCE.has(word.toLowerCase()))
  );
}

export function isSpacedPassphrase(value: string): boolean {
  if (!/^(?:[a-z]{3,16}|\d{1,4})(?: (?:[a-z]{3,16}|\d{1,4})){3,11}$/.test(value)) return false;
  const words = value.split(" ").filter((word) => !/^\d/.test(word));
  return words.length >= 3 && words.every((word) => !SENTENCE.has(word) && !OF_SENTENCES.has(word));
}

/** Call this only where a credential is expected. */
export function isConsonantRun(value: string): boolean {
  return /^[A-Z]{8,16}$/.test(value) && (value.match(/[AEIOU]/g)?.length ?? 0) <= value.length / 6;
}

function isSentence(value: string): boolean {
  if (/^[\p{Lo}\p{Lm}\p{M}\s。、！？・…「」（）]+$/u.test(value)) return true;
  if (/^(?=.*[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]{4})[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\d。、]+$/u.test(value))
    return true;
  if (!/\S\s+\S/.test(value) || isSpacedPassphrase(value)) return false;
  const parts = value.trim().split(/\s+/);
  const numbers = parts.filter((part) => /^\d{1,4}[.,:;]?$/.test(part)).length;
  const isWord = (part: string): boolean =>
    /^(?:[¿¡"'«(„“]{0,2}\p{L}[\p{L}\p{M}]*(?:['’-]\p{L}+)*['"’»)”]{0,2}[.,;:!?…。]{0,3}|[?!])$/u.test(part);
  return parts.filter(isWord).length + numbers === parts.length && (numbers === 0 || parts.length >= 4);
}

/** Kubernetes makes such suffixes of consonants and of digits that cannot be misread. */
const MADE_NAME =
  /^([a-z][a-z\d]*(?:[-.][a-z\d]+)*)-(?=[a-z]*\d)[bcdfghjklmnpqrstvwxz2-9]{5}$|^[a-z][a-z\d-]*-[a-z\d]{8,10}-[bcdfghjklmnpqrstvwxz2-9]{5}$/;

/** The name of a secret is not the secret. */
export function isGeneratedResourceName(value: string): boolean {
  const match = MADE_NAME.exec(value);
  return match !== null && isWordSequence(match[1] ?? "");
}

export function looksRandom(value: string): boolean {
  if (/^[A-Z]{32,}$/.test(value)) return entropy(value) > 3.8;
  if (value.length < 12 || /\s/.test(value) || isWordSequence(value) || !/[A-Za-z]/.test(value)) return false;
  if (!/\d/.test(value))
    return value.length >= 24 && /[a-z]/.test(value) && /[A-Z]/.test(value) && entropy(value) > 3.8;
  return entropy(value) >= 2.9;
}

export function hasRandomCookie(cookies: string): boolean {
  return cookies.split(/[;=\s]/).some(looksRandom);
}

/** In bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

export function isWordSequence(value: string): boolean {
  return value.split(/[\s_.,/:-]+/).every((part) => {
    if (/^(?:(?:[A-Z]{1,2}|[a-z]{1,2}|[A-Z][a-z])\d{1,2}|\d{1,2}|[A-Z]*|[A-Z]?[a-z]*)$/.test(part)) return true;
    if (/^(?:\p{Lu}?\p{Ll}*|\p{Lo}+|\p{Lu}+)$/u.test(part)) return true;
    if (!/^[A-Za-z]+$/.test(part)) return false;
    // In a camelCase name, the pieces between capitals are longer than in random letters.
    return part.length / (part.match(/[A-Z]?[a-z]+|[A-Z]+/g)?.length ?? 1) >= 3.5;
  });
}
