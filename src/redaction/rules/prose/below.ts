import { FOREIGN_CREDENTIAL, FOREIGN_WORDS } from "../../values/languages.ts";
import type { NameTest } from "../../values/names.ts";
import { isAbout } from "../../values/names.ts";
import { isSpacedPassphrase, looksLabelled, looksOdd } from "../../values/secret-value.ts";
import type { SecretSpan } from "../../spans.ts";
import { ENGLISH, LABEL_WORDS, PASSWORD, SOFT, strengthOf } from "../labels.ts";
import type { TextRule } from "../text-rule.ts";

/** A line that is longer tells a story. */
const LONGEST_LINE = 240;
/** So many values may stand below one line: a list of them. */
const MOST_VALUES = 4;
/** Empty lines, and those that open a block of code. */
const OPENS =
  /^\s{0,8}(?:={3,80}|-{3,80})\s{0,8}$|^[\s>]{0,20}(?:(?:`{3,4}|~~~)[\w-]{0,12}|<(?:pre|code|p|div|dd|td|tr|tbody|blockquote|kbd|br ?\/?)[^<>]{0,80}>){0,3}\s{0,8}$/i;
const HEADING =
  /^[\s>]{0,12}(?:#{1,6}\s|(?:<[a-z][^<>]{0,80}>){0,3}<(?:h\d|summary|caption|dt|legend|label|strong|b)\b|\*\*|__)/i;
const ANNOUNCED =
  /below|follow|beneath|underneath|\bhere\b|next line|nachfolgend|folgt|unten|\bhier\b|ci-dessous|suivant|\bici\b|aquí|abajo|a continuación|siguiente|abaixo|a seguir|aqui|sotto|di seguito|\bqui\b|poniżej|tutaj|ниже|вот|下記|以下|如下|下方|下面|아래|다음|aşağı|hieronder|volgt|nedan|följer|nedenfor|følger|alla\b|níže|následuj|alább|mai jos|dưới|bawah|berikut|παρακάτω|нижче|ด้านล่าง|नीचे|أدناه|להלן/i;
/** Remarks in brackets, markup, tags and entities around the words. */
const AROUND = /[(（[][^()（）[\]]{0,80}[)）\]]|<\/?[A-Za-z][^<>]{0,80}>|&\w{2,8};|[*_`~"']/g;
const LEAD = /^(?:[\s>]|[-*•+][ \t]|\d{1,2}[.)][ \t]|<[A-Za-z][^<>]{0,80}>|[*_`~"'“„«「『《【(]){0,30}/;
const CLOSING =
  /(?:[\s*_`~"'”»」』》】).,;\\]|<\/?[A-Za-z][^<>]{0,80}>|[ \t][(（][^()（）]{1,60}[)）]){0,30}(?:[ \t](?:#|\/\/|<-|←|--)[ \t].{0,80})?$/;
/** Of the literals those that hold no other: `pass` and not `password`. */
const SHORTEST = ["pass", "pw", "psw", "cred", "secret", "token", "psk", "key", "p/w", "pswd", ...FOREIGN_WORDS].filter(
  (word, _, all) => !all.some((other) => other !== word && word.includes(other)),
);

interface Line {
  readonly text: string;
  readonly start: number;
}

/** Values that stand alone below a line that announces them: a heading, a summary, a sentence that ends with a colon. */
export function belowRule(named: NameTest): TextRule {
  const label = `(?:${ENGLISH}|${FOREIGN_CREDENTIAL})`;
  const findLabel = new RegExp(label, "gi");
  return {
    words: [...LABEL_WORDS, ...FOREIGN_WORDS],
    // Which word it is, and whether it is a whole one, is asked of the few texts that are left.
    hint: new RegExp(
      String.raw`(?:${SHORTEST.join("|")})[^\n]{0,${LONGEST_LINE}}\n(?:[^\n]{0,80}\n){0,4}[^\n\w]{0,40}(?:<[^<>]{1,80}>){0,3}(?:[^\s]{6}|[a-z]{3,5} [a-z\d])`,
      "i",
    ),
    find: (text) => {
      if (!text.includes("\n")) return [];
      const lines = linesOf(text);
      return lines.flatMap((line, index) => {
        if (line.text.length > LONGEST_LINE || index + 1 === lines.length) return [];
        return [...line.text.matchAll(findLabel)].slice(0, 4).flatMap((match) => {
          const end = match.index + match[0].length;
          const after = line.text.slice(end);
          const strength = strengthOf(
            match[0],
            line.text.slice(Math.max(0, match.index - 40), match.index),
            after,
            named,
          );
          if (strength === undefined || !announces(line.text, line.text.slice(0, match.index), after)) return [];
          const isPassword = PASSWORD.test(match[0]);
          const speaks = speaksAbout(after);
          if (speaks === "firmly") return [];
          return valuesBelow(lines, index + 1, (value) =>
            isPassword
              ? (looksLabelled(value, strength, true) && (speaks === undefined || looksOdd(value))) ||
                isSpacedPassphrase(value)
              : value.length >= 16 && looksLabelled(value, strength, false),
          );
        });
      });
    },
  };
}

function linesOf(text: string): Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const at = start;
    start += line.length + 1;
    return { text: line, start: at };
  });
}

/** Whether a line leaves no doubt that its word for a credential is said of what stands below. */
function announces(line: string, before: string, after: string): boolean {
  const plain = after.replaceAll(AROUND, " ").trim();
  return (
    /[:：↓⬇👇]$/u.test(plain) ||
    HEADING.test(line) ||
    ANNOUNCED.test(line) ||
    (plain === "" && line.length <= 80 && !/[=/|.;@\\]/.test(before))
  );
}

/** Whether what follows the word makes it a policy, a rotation or a count of credentials. */
function speaksAbout(after: string): "softly" | "firmly" | undefined {
  const words = after
    .replaceAll(AROUND, " ")
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "")
    .slice(0, 2)
    .filter((word) => isAbout(word));
  if (words.length === 0) return undefined;
  return words.every((word) => SOFT.test(word)) ? "softly" : "firmly";
}

function valuesBelow(lines: readonly Line[], from: number, isSecret: (value: string) => boolean): SecretSpan[] {
  let at = from;
  while (at < lines.length && at - from < 5 && OPENS.test(lines[at]?.text ?? "")) at += 1;
  const spans: SecretSpan[] = [];
  for (; spans.length < MOST_VALUES; at += 1) {
    const line = lines[at];
    if (line === undefined || line.text.length > 600) break;
    const lead = LEAD.exec(line.text)?.[0].length ?? 0;
    const value = line.text.slice(lead).replace(CLOSING, "");
    if (
      /[«\0]|^[A-Za-z_][\w.]{0,60}=/.test(value) ||
      !/^\S{6,512}$|^[a-z\d]+(?: [a-z\d]+){3,11}$/.test(value) ||
      !isSecret(value)
    )
      break;
    spans.push({ start: line.start + lead, end: line.start + lead + value.length, rule: "assigned-secret" });
  }
  return spans;
}
