import { isHarmless } from "../../values/harmless.ts";
import { looksOdd, looksRandom } from "../../values/secret-value.ts";
import type { SecretSpan } from "../../spans.ts";
import { valueSpans } from "../../spans.ts";

/** A word or quoted text of a command line or of a line of a configuration. */
export const VALUE = String.raw`(?:'([^'\n\0«]{3,512})'|"([^"\n\0«]{3,512})"|([^\s"'\x60«\0<>|;&-][^\s"'\x60«\0<>|;]{2,512}))`;

/** Words that announce a value, as the source of an expression, and which values are secrets there. */
export type AnnouncedValue = readonly [words: string, isSecret: (value: string) => boolean];

/** Finds the values after words. */
export function finderOf(list: readonly AnnouncedValue[], flags = "gi"): (text: string) => SecretSpan[] {
  const expressions = list.map(([words, isSecret]) => ({ expression: new RegExp(words + VALUE, flags), isSecret }));
  return (text) => expressions.flatMap(({ expression, isSecret }) => valueSpans(text, expression, isSecret));
}

/** Whatever does not stand for a secret. */
export function isAny(value: string): boolean {
  return !isHarmless(value) && !/^(?:[%{<[(]|\$(?!\w{1,8}\$))/.test(value);
}

/** The same without ports and files. */
export function isGiven(value: string): boolean {
  return isAny(value) && !/^\d{1,5}$|^(?:~|\.{1,2})?\/|^-/.test(value);
}

/** Two communities are what every device has when it is new. */
export function isCommunity(value: string): boolean {
  return isGiven(value) && !/^(?:public|private)$/i.test(value);
}

/** What a flag of a single letter is given may be a port, a file or a name too. */
export function isFlagValue(value: string): boolean {
  return (
    value.length >= 5 &&
    /\d|[^\w./:@,=-]/.test(value) &&
    /[A-Za-z]/.test(value) &&
    isAny(value) &&
    !/^\d+:\d+|^[\w./-]+:\d+$|^[\w.-]+:[\w./-]+$/.test(value)
  );
}

/** No word of a sentence. */
export function isOdd(value: string): boolean {
  return looksOdd(value) || looksRandom(value) || (isFlagValue(value) && /[!@#$%^&*+~?]/.test(value));
}

const ALGORITHM = /^(?:sha|aes|md|des|3des|hmac|scram|group|tls|ikev?|wpa|http|snmpv)-?\d{1,4}(?:[-/]\w{1,8})?$/i;

/** Letters with digits, of which devices make nothing but passwords in these places. */
export function isOdder(value: string): boolean {
  return isAny(value) && value.length >= 6 && /\d/.test(value) && /[A-Za-z]/.test(value) && !ALGORITHM.test(value);
}

/** The same, and words of which only the capitals or marks say that they are no words of a command. */
export function isMarked(value: string): boolean {
  return isOdder(value) || (isAny(value) && value.length >= 5 && /[a-z][-_.]?[A-Z]|\w[!@#$%^&*+~?]/.test(value));
}
