import type { NameStrength } from "./credential-name.ts";
import { credentialSigns } from "./credential-signs.ts";
import { isPassphrase, looksSecret } from "./looks-secret.ts";
import type { SecretSpan } from "./redaction-policy.ts";
import { sticky } from "./sign.ts";
import type { TextRule } from "./text-rule.ts";

/** One or two words and what joins them to a value. */
const NAME = String.raw`((?<![A-Za-z\d])(?:[A-Za-z]{2,20} )?[A-Za-z][\w.-]{1,60})`;
const JOINT = String.raw`\\?["'\`\]]{0,3}\s{0,3}(?:=>|->|:=|={1,3}|!=|:|>(?=\S)|\b(?:is|was|IDENTIFIED BY|TO)\b)\s{0,3}`;
/** The value: in quotes, in quotes that are escaped, or up to the next blank or mark. */
const BARE = String.raw`[^\s;&"'\`<>\0«|\\([]`;
const BARE_REST = String.raw`[^\s;&"'\`<>\0«|\\]`;
const VALUE = [
  String.raw`(["'\`])((?:\\[^\n\0]|(?!\3)[^\\\0«\n]){1,4096})`,
  String.raw`\\(["'])((?:(?!\\\5)[^\0«\n]){1,4096})`,
  `(${BARE}${BARE_REST}{0,1023})`,
].join("|");
const ASSIGNMENT = new RegExp(`${NAME}(${JOINT})(?:${VALUE})`, "g");

/** What is left of a name after the word that makes it one of a credential, and the joint. */
const NAME_ENDS = String.raw`[\w.-]{0,80}(?: [A-Za-z][\w.-]{0,60})?${JOINT}`;
/** A quoted character; an escape may stand for any number of them. */
const QUOTED = String.raw`(?!\1)[^\\\n]`;

/** Tells how sure a name is of holding a credential. */
export type NameTest = (name: string) => NameStrength | undefined;

/**
 * Values that are assigned to a credential-like word in text: `password=…`, `"apiKey": "…"`.
 * @param named also knows names that `credentialName` does not: those of `own`
 */
export function assignmentRule(named: NameTest, own: readonly string[]): TextRule {
  // What `looksSecret` asks of values: four characters; for weak names twelve, with a digit unless there are 24.
  const strong = sticky(
    "",
    NAME_ENDS,
    String.raw`(?:(["'\`])(?:(?:${QUOTED}){4}|(?:${QUOTED}){0,3}\\)|\\["']|${BARE}${BARE_REST}{3})`,
  );
  const weak = sticky(
    "",
    NAME_ENDS,
    String.raw`(?:(["'\`])(?:(?=(?:${QUOTED}){0,23}\d|(?:${QUOTED}){24})(?:${QUOTED}){12}|(?:${QUOTED}){0,23}\\)`,
    String.raw`|\\["']|(?=${BARE_REST}{0,23}\d|${BARE_REST}{24})${BARE}${BARE_REST}{11})`,
  );
  return { signs: credentialSigns(own, { strong, weak }), find: (text) => assignments(text, named) };
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
      const isWords = /pass(?:word|phrase|wort|wd)$|pwd$|kennwort$/i.test(name) && isPassphrase(trimmed);
      if (isAssigned(trimmed, joint, bare === "", strength) || (isWords && /[:=]/.test(joint)))
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
