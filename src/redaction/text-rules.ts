import { escapeForRegExp } from "../core/text/format.ts";
import { parameterRule, userInfoRule, webhookRules } from "./rules/addresses.ts";
import { labelledValueRules } from "./rules/labelled-values.ts";
import { assignmentRule, namedValueRule } from "./rules/assignments.ts";
import { commandRules, credentialFileRules } from "./rules/commands.ts";
import { keyRule } from "./rules/keys.ts";
import { hostLoginRule, passwordAfterUserRule, sentenceLoginRule } from "./rules/logins.ts";
import { hexKeyRule, passwordShapedWordRule } from "./rules/password-shaped-words.ts";
import { recoveryCodeRule, valueAfterKeywordRules } from "./rules/values-after-keywords.ts";
import { callRule } from "./rules/calls.ts";
import { tableRule } from "./rules/tables.ts";
import { tokenRules } from "./rules/tokens.ts";
import { createWordTest, matchesOf, spanAt, type SecretSpan, type TextRule } from "./spans.ts";
import { createNameTest, type NameTest } from "./values/names.ts";
import { scanForTokens, SCANNER_WORDS } from "./secretlint-scanner.ts";
import type { RedactionRules } from "../core/secrets.ts";

export interface RedactionPolicy extends RedactionRules {
  readonly literals?: readonly string[];
}

export interface TextSearch {
  readonly mayHoldSecret: (text: string) => boolean;
  readonly find: (text: string) => Promise<SecretSpan[]>;
}

/** The built-in rules skip shorter texts. */
const MIN_LENGTH = 8;
/** Many texts are such ids of records, so the built-in rules skip them. */
const RECORD_ID = /^[\da-f]{24}$/;

export function createTextSearch(policy: RedactionPolicy, judgeName: NameTest): TextSearch {
  const searchesOfTeam = teamSearches(policy);
  const { tested, hasWord } = builtInSearch(policy, judgeName);
  const isSearched = (text: string): boolean => text.length >= MIN_LENGTH && !RECORD_ID.test(text);
  return {
    mayHoldSecret: (text) =>
      (isSearched(text) && hasWord(text)) || searchesOfTeam.some((find) => find(text).length > 0),
    async find(text) {
      const due = isSearched(text) ? tested.filter(({ mayFind }) => mayFind(text)).map(({ find }) => find) : [];
      const byRules = [...searchesOfTeam, ...due].flatMap((find) => find(text));
      const byScanner = hasScannerWord(text) ? await scanForTokens(text) : [];
      // If `byRules` found a secret, wide findings are dropped, so more of the text stays readable.
      const narrow = byScanner.filter(({ rule }) => byRules.length === 0 || !WIDE_FINDINGS.test(rule));
      return [...narrow, ...byRules];
    },
  };
}

/** All redactors without names of a team share one search, because its expressions are large. */
let commonSearch: ReturnType<typeof createBuiltInSearch> | undefined;

function builtInSearch(policy: RedactionPolicy, judgeName: NameTest): ReturnType<typeof createBuiltInSearch> {
  if (policy.names?.length) return createBuiltInSearch(policy, judgeName);
  return (commonSearch ??= createBuiltInSearch({}, createNameTest([])));
}

function createBuiltInSearch(policy: RedactionPolicy, judgeName: NameTest) {
  const rules = builtInRules(policy, judgeName);
  return {
    tested: rules.map(({ words, find }) => ({ mayFind: createWordTest(words), find })),
    hasWord: createWordTest([...rules.flatMap(({ words }) => words), ...SCANNER_WORDS]),
  };
}

/** These rules report more than the secret: a whole address, or the name before a value. */
const WIDE_FINDINGS = /^scanner-(?:basicauth|database-connection-string|aws)$/;
const hasScannerWord = createWordTest(SCANNER_WORDS);

/** If two of these rules find the same span, the first one names the placeholder. */
export function builtInRules({ names = [] }: RedactionPolicy, judgeName: NameTest): TextRule[] {
  return [
    keyRule,
    userInfoRule,
    ...webhookRules,
    parameterRule,
    ...tokenRules,
    callRule,
    assignmentRule(judgeName, names),
    ...labelledValueRules(judgeName),
    passwordAfterUserRule,
    passwordShapedWordRule,
    hexKeyRule,
    namedValueRule(judgeName),
    hostLoginRule,
    sentenceLoginRule,
    ...commandRules,
    ...credentialFileRules,
    recoveryCodeRule,
    ...valueAfterKeywordRules,
    tableRule(judgeName),
  ];
}

function teamSearches({ patterns = [], literals = [] }: RedactionPolicy): TextRule["find"][] {
  const knownSecrets = literals
    .filter((literal) => literal !== "")
    .map((literal) => ({ rule: "known-secret", pattern: escapeForRegExp(literal) }));
  return [...patterns, ...knownSecrets].map(({ rule, pattern }) => {
    const expression = new RegExp(pattern, "gu");
    return (text) => matchesOf(text, expression).map(({ index, 0: whole }) => spanAt(index, whole, rule));
  });
}
