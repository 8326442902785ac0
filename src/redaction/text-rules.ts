import { ID } from "./candidates.ts";
import type { RedactionPolicy } from "./policy.ts";
import { parameterRule, userInfoRule } from "./rules/addresses.ts";
import { afterUserRule, labelledValueRules } from "./rules/labelled-values.ts";
import { assignmentRule, namedValueRule } from "./rules/assignments.ts";
import { commandRules, fileRules } from "./rules/commands.ts";
import { identityRule, keyRule, recoveryCodeRule } from "./rules/keys.ts";
import { addressRule, loginRule } from "./rules/logins.ts";
import { hexKeyRule, passwordShapedWordRule } from "./rules/password-shaped-words.ts";
import { announcedValueRules } from "./rules/announced-values.ts";
import { callRule } from "./rules/calls.ts";
import { tableRule } from "./rules/tables.ts";
import { tokenRules } from "./rules/tokens.ts";
import { webhookRules } from "./rules/webhooks.ts";
import type { Precondition, SecretSpan, TextRule } from "./spans.ts";
import { matchSpans } from "./spans.ts";
import type { NameTest } from "./values/names.ts";
import { looksRandom } from "./values/secret-value.ts";
import { wordSearch } from "./word-search.ts";

/** The search for secrets in texts. */
export interface TextSearch {
  /** Tells whether a rule or the scanner may find a secret. */
  readonly mayHoldSecret: (text: string) => boolean;
  /** The secrets that the rules recognise by their form or by the text around them. */
  readonly find: (text: string) => SecretSpan[];
  /** The secrets that the scanner finds. */
  readonly scan: (text: string) => Promise<readonly SecretSpan[]>;
  /** Keeps a text in which nothing was found, so that it is not searched again. */
  readonly keepClean: (text: string) => void;
}

/** Limits of the kept texts: their number, and the length of one in characters. Most texts of a stack occur many times. */
const MAX_CLEAN_TEXTS = 20_000;
const MAX_CLEAN_LENGTH = 200;

/** Minimum length of a secret. A team's own literals may be shorter. */
const MIN_LENGTH = 8;
/** A text that is only an id, as every fifth text is. Only the name of its member can make it a secret. */
const RECORD_ID = /^[\da-f]{24}$/;

/** Makes the search. @param judgeName the test of names, including a team's own */
export function textSearch(policy: RedactionPolicy, judgeName: NameTest): TextSearch {
  const { scanner } = policy;
  const rulesOfTeam = teamRules(policy);
  const builtInGate = ruleGate(builtInRules(policy, judgeName));
  const scannerGate = ruleGate(scanner ? [scanner] : []);
  const cleanTexts = new Set<string>();
  const isSearched = (text: string): boolean => text.length >= MIN_LENGTH && !RECORD_ID.test(text);
  return {
    mayHoldSecret: (text) =>
      !cleanTexts.has(text) &&
      ((isSearched(text) && (builtInGate.isOpen(text) || scannerGate.isOpen(text))) ||
        rulesOfTeam.some(({ find }) => find(text).length > 0)),
    find: (text) =>
      [...rulesOfTeam, ...(isSearched(text) ? builtInGate.rulesFor(text) : [])].flatMap(({ find }) => find(text)),
    scan: async (text) => (scanner && scannerGate.isOpen(text) ? scanner(text) : []),
    keepClean(text) {
      if (text.length > MAX_CLEAN_LENGTH) return;
      if (cleanTexts.size >= MAX_CLEAN_TEXTS) cleanTexts.clear();
      cleanTexts.add(text);
    },
  };
}

/** The rules that search texts. If several find the same secret, the first one gives its name. */
export function builtInRules({ names = [], level }: RedactionPolicy, judgeName: NameTest): TextRule[] {
  return [
    keyRule,
    userInfoRule,
    ...webhookRules,
    parameterRule,
    ...tokenRules,
    callRule,
    assignmentRule(judgeName, names),
    ...labelledValueRules(judgeName),
    afterUserRule,
    passwordShapedWordRule,
    hexKeyRule,
    namedValueRule(judgeName),
    addressRule,
    loginRule,
    ...commandRules,
    ...fileRules,
    recoveryCodeRule,
    ...announcedValueRules,
    tableRule(judgeName, names),
    ...(level === "strict" ? strictRules : []),
  ];
}

/** Skips the rules that can find nothing in a text, because it has none of their words. */
interface Gate<Rule> {
  /** Tells whether any rule may find something. */
  readonly isOpen: (text: string) => boolean;
  readonly rulesFor: (text: string) => Rule[];
}

function ruleGate<Rule extends Precondition>(rules: readonly Rule[]): Gate<Rule> {
  const search = wordSearch(rules.map(({ words = [] }) => words));
  const wordless = rules.flatMap((rule, position) => (rule.words === undefined ? [{ ...rule, position }] : []));
  const isMet = (text: string) => (rule: Precondition) => rule.isLong !== true || LONG_RUN.test(text);
  return {
    isOpen: (text) => search.test(text) || wordless.some(isMet(text)),
    rulesFor: (text) => {
      const positions = [...search.listsIn(text), ...wordless.filter(isMet(text)).map(({ position }) => position)];
      return positions.sort((left, right) => left - right).flatMap((position) => rules[position] ?? []);
    },
  };
}

/** Tokens whose form has no literal are at least this long. Almost no text has so many token characters in a row. */
const LONG_RUN = /[\w+/=-]{20}/;

/** The rules of one team or run: its patterns, and secrets that are known by their value. */
function teamRules({ patterns = [], literals = [] }: RedactionPolicy): TextRule[] {
  const knownSecrets = literals
    .filter((literal) => literal !== "")
    .map((literal) => ({ rule: "known-secret", pattern: escaped(literal) }));
  return [...patterns, ...knownSecrets].map(({ rule, pattern }) => {
    const expression = new RegExp(pattern, "gu");
    return { find: (text) => matchSpans(text, expression, rule) };
  });
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Matches only at the start of a word, so that a long word is tried once and not from each character. */
const LONG_WORD = /(?<![\w+/=-])[\w+/=-]{32,}/g;

const randomRule: TextRule = {
  isLong: true,
  find: (text) =>
    matchSpans(text, LONG_WORD, "random-text").filter(({ start, end }) => {
      const word = text.slice(start, end);
      return looksRandom(word) && !ID.test(word);
    }),
};

/** Rules that only `strict` applies: texts that identify an account, and any long random text. */
const strictRules: readonly TextRule[] = [identityRule, randomRule];
