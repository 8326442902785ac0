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
  /** Whether the rules or the scanner may find something. Nearly every text is done with this. */
  readonly isMarked: (text: string, budget?: Budget) => boolean;
  /** What the rules find: everything that is a secret by its form or by what stands before it. */
  readonly find: (text: string) => SecretSpan[];
}

/** Below this length nothing is a secret that could be told from other text, but for a team's own. */
const MIN_LENGTH = 8;
/** An id and nothing else, as one text in five is: no rule takes it for a secret, unless by the name of its member. */
const RECORD_ID = /^[\da-f]{24}$/;

/** Makes the search. @param named the test of names, a team's own included */
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
  // Placeholders and what is protected are covered before rules search, so what they see may be another text than this filter does.
  const covered = {
    hint: new RegExp(`«redacted:|${PROTECTED_HINT.source}`),
    words: ["«redacted:", "-----begin ", "arn:", "aaaa", 'kty"', 'kty\\"', "aga", "agb", "agc", "agd"],
  };
  const marked = makePrefilter([...common, covered, ...(scanner?.hint ? [{ hint: scanner.hint }] : [])]);
  // Of a text that is marked only the rules run whose own hint matches. Many stacks have no such text.
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

/** So long is a part of a long text. */
const PART_LENGTH = 64 * 1024;
/** What stands on the border of two parts is in both: the longest private key in use has 13,000 characters. */
const OVERLAP = 16 * 1024;

/** No placeholder is longer. */
const MAX_PLACEHOLDER_LENGTH = 80;

/** Where the parts of a long text begin and end. No placeholder is cut in two. */
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

/** What only one team or one run knows: its patterns, and secrets by their value. */
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

/** Begins where a word does, so that a long one is tried once and not from each of its characters. */
const LONG_WORD = /(?<![\w+/=-])[\w+/=-]{32,}/;

const randomRule: TextRule = {
  hint: LONG_WORD,
  find: (text) =>
    matchSpans(text, new RegExp(LONG_WORD, "g"), "random-text").filter(({ start, end }) => {
      const word = text.slice(start, end);
      return looksRandom(word) && !ID.test(word);
    }),
};

/** What only `strict` takes out: whatever tells of an account, and any long random text. */
const strictRules: readonly TextRule[] = [identityRule, randomRule];
