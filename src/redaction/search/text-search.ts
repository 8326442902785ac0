import type { NameTest } from "../values/names.ts";
import type { RedactionPolicy } from "../policy.ts";
import type { Budget, MakePrefilter } from "./prefilter.ts";
import { assignmentRule } from "../rules/assignments.ts";
import { recoveryCodeRule } from "../rules/recovery-codes.ts";
import { commandRule } from "../rules/commands.ts";
import { fileRule } from "../rules/files.ts";
import { PROTECTED_HINT, keyRule, identityRule } from "../rules/keys.ts";
import { afterUserRule } from "../rules/after-user.ts";
import { passwordShapedWordRule } from "../rules/password-shaped-words.ts";
import { labelledValueRules } from "../rules/labelled-values.ts";
import { addressRule, loginRule } from "../rules/logins.ts";
import { tableRule } from "../rules/tables.ts";
import { namedValueRule } from "../rules/named-values.ts";
import { phraseRules } from "../rules/phrases.ts";
import { sqlFunctionRule } from "../rules/sql.ts";
import type { TextRule } from "../rules/text-rule.ts";
import { openTokenRule, tokenRule } from "../rules/tokens.ts";
import { parameterRule, userInfoRule, webhookPathRule } from "../rules/addresses.ts";
import type { SecretSpan } from "../spans.ts";
import { matchSpans } from "../spans.ts";
import { ID } from "../candidates.ts";
import { looksRandom } from "../values/secret-value.ts";

/** The search for secrets in texts. */
export interface TextSearch {
  /** Tells whether the rules or the scanner may find a secret. Almost every text is dismissed here. */
  readonly isMarked: (text: string, budget?: Budget) => boolean;
  /** The secrets that the rules recognise by their form or by the text before them. */
  readonly find: (text: string) => SecretSpan[];
}

/** Minimum length of a secret that can be told from other text. A team's own literals may be shorter. */
const MIN_LENGTH = 8;
/** An id and nothing else, like every fifth text. No rule takes it for a secret, except because of its member's name. */
const RECORD_ID = /^[\da-f]{24}$/;

/** Makes the search. @param named the test of names, including a team's own */
export function textSearch(policy: RedactionPolicy, named: NameTest, makePrefilter: MakePrefilter): TextSearch {
  const { names = [], level = "standard", scanner } = policy;
  const own = ownRules(policy);
  const common: readonly TextRule[] = [
    keyRule,
    userInfoRule,
    webhookPathRule,
    parameterRule,
    tokenRule,
    openTokenRule,
    sqlFunctionRule,
    assignmentRule(named, names),
    ...labelledValueRules(named),
    afterUserRule,
    passwordShapedWordRule,
    namedValueRule(named),
    addressRule,
    loginRule,
    commandRule,
    fileRule,
    recoveryCodeRule,
    ...phraseRules,
    tableRule(named, names),
    ...(level === "strict" ? strictRules : []),
  ];
  // Placeholders and protected texts are covered before the rules run, so the rules may see another text than this filter does.
  const covered = {
    hint: new RegExp(`«redacted:|${PROTECTED_HINT.source}`),
    words: ["«redacted:", "-----begin ", "arn:", "aaaa", 'kty"', 'kty\\"', "aga", "agb", "agc", "agd"],
  };
  const marked = makePrefilter([...common, covered, ...(scanner?.hint ? [{ hint: scanner.hint }] : [])]);
  // On a marked text, only the rules run whose own hint matches. Made on demand, because many stacks have no such text.
  let rules: ReturnType<typeof makePrefilter<TextRule>> | undefined;
  const scansAll = scanner !== undefined && scanner.hint === undefined;
  return {
    isMarked: (text, budget) =>
      scansAll ||
      (text.length >= MIN_LENGTH && !RECORD_ID.test(text) && marked.passes(text, budget)) ||
      own.some(({ hint }) => hint.test(text)),
    find: (text) => {
      const running = text.length < MIN_LENGTH ? [] : (rules ??= makePrefilter(common)).matching(text);
      return [...own, ...running].flatMap(({ find }) => find(text));
    },
  };
}

/** Length of the parts of a long text, in characters. */
const PART_LENGTH = 64 * 1024;
/**
 * Characters that two neighbouring parts share, so that a secret on the border is whole in one of them. The longest private key in
 * use has 13,000 characters.
 */
const OVERLAP = 16 * 1024;

/** Maximum length of a placeholder. */
const MAX_PLACEHOLDER_LENGTH = 80;

/** The beginnings and ends of the parts of a long text. No placeholder is cut in two. */
export function* partsOf(text: string): Generator<readonly [start: number, end: number]> {
  const before = (at: number): number => {
    const mark = text.slice(at - MAX_PLACEHOLDER_LENGTH, at).lastIndexOf("«");
    return mark === -1 ? at : at - MAX_PLACEHOLDER_LENGTH + mark;
  };
  for (let start = 0; start < text.length;) {
    const end = before(start + PART_LENGTH);
    yield [start, end];
    start = before(end - OVERLAP);
  }
}

/** The rules of one team or run: its patterns, and secrets that are known by their value. */
function ownRules({ patterns = [], literals = [] }: RedactionPolicy): TextRule[] {
  const known = literals
    .filter((literal) => literal !== "")
    .map((literal) => ({ rule: "known-secret", pattern: escaped(literal) }));
  return [...patterns, ...known].map(({ rule, pattern }) => ({
    hint: new RegExp(pattern, "u"),
    find: (text) => matchSpans(text, new RegExp(pattern, "gu"), rule),
  }));
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Begins at the start of a word, so that a long one is tried once and not from each of its characters. */
const LONG_WORD = /(?<![\w+/=-])[\w+/=-]{32,}/;

const randomRule: TextRule = {
  hint: LONG_WORD,
  find: (text) =>
    matchSpans(text, new RegExp(LONG_WORD, "g"), "random-text").filter(({ start, end }) => {
      const word = text.slice(start, end);
      return looksRandom(word) && !ID.test(word);
    }),
};

/** Rules that only `strict` applies: texts that identify an account, and any long random text. */
const strictRules: readonly TextRule[] = [identityRule, randomRule];
