import { matchesOf, type SecretSpan, type TextRule } from "../spans.ts";
import { FOREIGN_WORDS, hasForeignWord, isNonSecret } from "../values/non-secrets.ts";
import { CREDENTIAL_WORDS, HAS_CREDENTIAL_WORD, type NameTest } from "../values/names.ts";
import {
  hasPasswordShape,
  hasRandomCookie,
  looksSecretAfterLabel,
  looksRandom,
  looksSecret,
  mayBePassword,
} from "../values/secret-value.ts";

const QUOTE = String.raw`\\{0,3}["']?`;
const NAMING = String.raw`${QUOTE}(?<![A-Za-z])(?:[A-Za-z]{0,20}?(?:name|key|header|field|param(?:eter)?|property|attr(?:ibute)?|option|setting|label|title|variable|path)|var|env|k|id)${QUOTE}\s{0,3}[:=]\s{0,3}${QUOTE}`;
const HOLDING = String.raw`${QUOTE}(?<![A-Za-z])(?:[A-Za-z]{0,20}?(?:value|content|setting|string)|val|v|s|text|data|default|is|secret)${QUOTE}\s{0,3}[:=]\s{0,3}`;
const PAIR_NAME = String.raw`([A-Za-z][\w .:/-]{0,60}?)${QUOTE}`;
const PAIR_VALUE = String.raw`(?:\\{0,3}"([^"\\\n\0«]{4,1024})|\\{0,3}'([^'\\\n\0«]{4,1024})|([^\s"'\\,;}\]<>\0«]{4,1024}))`;
const BETWEEN = String.raw`[\s,;]{1,40}(?:${QUOTE}(?:type|enabled|disabled|description|secure|encrypted|sensitive|in)${QUOTE}\s{0,3}[:=]\s{0,3}${QUOTE}[\w-]{1,30}${QUOTE}[\s,;]{1,40})?`;
const NAME_FIRST = new RegExp(
  NAMING + PAIR_NAME + BETWEEN + HOLDING + String.raw`(?:\[\s{0,8}|\s{0,12}- )?` + PAIR_VALUE,
  "dgi",
);
/** Matches an element that an attribute names: `<entry key="smtp.password">…</entry>`. The value may be in a nested element. */
const ELEMENT = new RegExp(
  String.raw`(?<![A-Za-z])(?:[A-Za-z]{0,20}?(?:name|key|property|setting)|id)=\\{0,3}["']([A-Za-z][\w .:/-]{0,60})\\{0,3}["'][^<>\n\0«]{0,60}>\s{0,8}(?:<(?:value|string)>\s{0,8})?([^\s<>\0«]{4,1024})(?=\s{0,8}</)`,
  "dgi",
);

/** Matches an element whose tag is the name: `<password>…</password>`. */
const NAMED_ELEMENT =
  /(?:<|&lt;)(?:\w{1,20}:)?([A-Za-z][\w.-]{0,40})(?:\s[^<>&\n\0«]{0,120})?(?:>|&gt;)((?:(?!&lt;\/)[^<>\0«\n]){5,256})(?:<|&lt;)\/(?:\w{1,20}:)?\1(?:>|&gt;)/dg;

/** Matches `variable "NAME" { default = "…" }` of HCL and `"NAME": { "default": "…" }` of JSON. */
const NAMED_BLOCK = new RegExp(
  String.raw`(?<![\w.-])([A-Za-z][\w.-]{0,60})\\{0,3}["']?\s{0,3}[:=]?\s{0,16}\{(?:[^{}\0«]{0,400}?[\s,;])?` +
    HOLDING +
    PAIR_VALUE,
  "dgi",
);

/** Returns the rule for pairs of a name and a value in XML, JSON or YAML inside a text: `<add key="ApiSecret" value="…"/>`. */
export function namedValueRule(judgeName: NameTest): TextRule {
  return {
    words: [...CREDENTIAL_WORDS, ...FOREIGN_WORDS],
    find: (text) => [
      ...matchesOf(text, NAME_FIRST).flatMap((match) => spanOf(match, 1, [2, 3, 4], judgeName)),
      ...matchesOf(text, ELEMENT).flatMap((match) =>
        looksSecretAfterLabel(match[2] ?? "", "strong", true) ? spanOf(match, 1, [2, 3, 4], judgeName) : [],
      ),
      ...matchesOf(text, NAMED_ELEMENT).flatMap((match) =>
        mayBePassword(match[2] ?? "") && /[^A-Za-z]/.test(match[2] ?? "") ? spanOf(match, 1, [2, 3, 4], judgeName) : [],
      ),
      ...matchesOf(text, NAMED_BLOCK).flatMap((match) => blockSpan(match, judgeName)),
    ],
  };
}

function spanOf(
  match: RegExpExecArray,
  nameAt: number,
  valuesAt: readonly number[],
  judgeName: NameTest,
): SecretSpan[] {
  const name = match[nameAt] ?? "";
  const valueAt = valuesAt.find((group) => match[group] !== undefined) ?? 0;
  const value = match[valueAt] ?? "";
  const strength = HAS_CREDENTIAL_WORD.test(name) || hasForeignWord(name) ? judgeName(name) : undefined;
  const isSecret =
    strength === "strong"
      ? !isNonSecret(value) && !/\s|^[a-z]+\/[a-z.+-]+$/.test(value)
      : looksRandom(value) || (/^(?:set-)?cookies?$/i.test(name) && hasRandomCookie(value));
  if (strength === undefined || !isSecret) return [];
  const [start, end] = match.indices?.[valueAt] ?? [0, 0];
  return [{ start, end, rule: "assigned-secret" }];
}

/** Returns the span of a value in a block. Such a value may only describe the credential, so it has to look like a credential. */
function blockSpan(match: RegExpExecArray, judgeName: NameTest): SecretSpan[] {
  const value = match.slice(2).find((group) => group !== undefined) ?? "";
  const isMadeUp = looksSecret(value, { strength: "strong", isTight: false }) || hasPasswordShape(value);
  return isMadeUp && !/^[a-z]+(?:\.\w+)+$/.test(value) ? spanOf(match, 1, [2, 3, 4], judgeName) : [];
}
