import type { NameTest } from "../values/names.ts";
import { CREDENTIAL_WORDS } from "../values/names.ts";
import { wordTest } from "../word-search.ts";
import { FOREIGN_WORDS } from "../values/languages.ts";
import { isHarmless } from "../values/harmless.ts";
import { looksLabelled, looksOdd, mayBePassword, looksRandom, looksSecret } from "../values/secret-value.ts";
import type { SecretSpan, TextRule } from "../spans.ts";
import { matchesOf } from "../spans.ts";

/** Few names are foreign. */
const hasForeignWord = wordTest(FOREIGN_WORDS);
const SPEAKS = new RegExp(CREDENTIAL_WORDS.join("|"), "i");
const QUOTE = String.raw`\\{0,3}["']?`;
const NAMING = String.raw`${QUOTE}(?<![A-Za-z])(?:[A-Za-z]{0,20}?(?:name|key|header|field|param(?:eter)?|property|attr(?:ibute)?|option|setting|label|title|variable|path)|var|env|k|id)${QUOTE}\s{0,3}[:=]\s{0,3}${QUOTE}`;
const HOLDING = String.raw`${QUOTE}(?<![A-Za-z])(?:[A-Za-z]{0,20}?(?:value|content|setting|string)|val|v|s|text|data|default|is|secret)${QUOTE}\s{0,3}[:=]\s{0,3}`;
const NAME = String.raw`([A-Za-z][\w .:/-]{0,60}?)${QUOTE}`;
const VALUE = String.raw`(?:\\{0,3}"([^"\\\n\0«]{4,1024})|\\{0,3}'([^'\\\n\0«]{4,1024})|([^\s"'\\,;}\]<>\0«]{4,1024}))`;
const BETWEEN = String.raw`[\s,;]{1,40}(?:${QUOTE}(?:type|enabled|disabled|description|secure|encrypted|sensitive|in)${QUOTE}\s{0,3}[:=]\s{0,3}${QUOTE}[\w-]{1,30}${QUOTE}[\s,;]{1,40})?`;
const NAME_FIRST = new RegExp(NAMING + NAME + BETWEEN + HOLDING + String.raw`(?:\[\s{0,8}|\s{0,12}- )?` + VALUE, "dgi");
const VALUE_FIRST = new RegExp(HOLDING + VALUE + QUOTE + BETWEEN + NAMING + NAME + String.raw`(?![\w.-])`, "dgi");
/** Elements named by an attribute, perhaps with the value in another attribute: `<entry key="smtp.password">…</entry>`. */
const ELEMENT = new RegExp(
  String.raw`(?<![A-Za-z])(?:[A-Za-z]{0,20}?(?:name|key|property|setting)|id)=\\{0,3}["']([A-Za-z][\w .:/-]{0,60})\\{0,3}["'][^<>\n\0«]{0,60}>\s{0,8}(?:<(?:value|string)>\s{0,8})?([^\s<>\0«]{4,1024})(?=\s{0,8}</)`,
  "dgi",
);

/** An element whose tag is the name: `<password>…</password>`. */
const NAMED_ELEMENT =
  /(?:<|&lt;)(?:\w{1,20}:)?([A-Za-z][\w.-]{0,40})(?:\s[^<>&\n\0«]{0,120})?(?:>|&gt;)((?:(?!&lt;\/)[^<>\0«\n]){5,256})(?:<|&lt;)\/(?:\w{1,20}:)?\1(?:>|&gt;)/dg;

/** A name in front of the block that holds the value: HCL's `variable "…" { default = "…" }`, and JSON. */
const BLOCK = new RegExp(
  String.raw`(?<![\w.-])([A-Za-z][\w.-]{0,60})\\{0,3}["']?\s{0,3}[:=]?\s{0,16}\{(?:[^{}\0«]{0,400}?[\s,;])?` +
    HOLDING +
    VALUE,
  "dgi",
);

/** Pairs of a name and a value in XML, JSON or YAML inside of a text: `<add key="ApiSecret" value="…"/>`. */
export function namedValueRule(named: NameTest): TextRule {
  return {
    words: [...CREDENTIAL_WORDS, ...FOREIGN_WORDS],
    find: (text) => [
      ...matchesOf(text, NAME_FIRST).flatMap((match) => spanOf(match, 1, [2, 3, 4], named)),
      ...matchesOf(text, VALUE_FIRST).flatMap((match) => spanOf(match, 4, [1, 2, 3], named)),
      ...matchesOf(text, ELEMENT).flatMap((match) =>
        looksLabelled(match[2] ?? "", "strong", true) ? spanOf(match, 1, [2, 3, 4], named) : [],
      ),
      ...matchesOf(text, NAMED_ELEMENT).flatMap((match) =>
        mayBePassword(match[2] ?? "") && /[^A-Za-z]/.test(match[2] ?? "") ? spanOf(match, 1, [2, 3, 4], named) : [],
      ),
      ...matchesOf(text, BLOCK).flatMap((match) => blockSpan(match, named)),
    ],
  };
}

function spanOf(match: RegExpExecArray, nameAt: number, valuesAt: readonly number[], named: NameTest): SecretSpan[] {
  const name = match[nameAt] ?? "";
  const valueAt = valuesAt.find((group) => match[group] !== undefined) ?? 0;
  const value = match[valueAt] ?? "";
  const strength = SPEAKS.test(name) || hasForeignWord(name) ? named(name) : undefined;
  const isSecret =
    strength === "strong"
      ? !isHarmless(value) && !/\s|^[a-z]+\/[a-z.+-]+$/.test(value)
      : looksRandom(value) || (/^(?:set-)?cookies?$/i.test(name) && value.split(/[;=\s]/).some(looksRandom));
  if (strength === undefined || !isSecret) return [];
  const [start, end] = match.indices?.[valueAt] ?? [0, 0];
  return [{ start, end, rule: "assigned-secret" }];
}

/** Values in a block may only describe a credential, so the value has to look like one. */
function blockSpan(match: RegExpExecArray, named: NameTest): SecretSpan[] {
  const value = match.slice(2).find((each) => each !== undefined) ?? "";
  const isMadeUp = looksSecret(value, { strength: "strong", tight: false }) || looksOdd(value);
  return isMadeUp && !/^[a-z]+(?:\.\w+)+$/.test(value) ? spanOf(match, 1, [2, 3, 4], named) : [];
}
