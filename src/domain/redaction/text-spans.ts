import { assignmentRule } from "./assigned-spans.ts";
import type { NameTest } from "./assigned-spans.ts";
import { keyRule, SHIELDED_SIGNS } from "./block-spans.ts";
import { ownRules } from "./own-rules.ts";
import type { RedactionPolicy, SecretSpan } from "./redaction-policy.ts";
import { signs } from "./sign.ts";
import { signSearch } from "./sign-search.ts";
import { spokenRules } from "./spoken-spans.ts";
import { sqlFunctionRule } from "./sql-function-spans.ts";
import { strictRules } from "./strict-rules.ts";
import { tableRule } from "./table-spans.ts";
import type { TextRule } from "./text-rule.ts";
import { tokenRule } from "./token-formats.ts";
import { parameterRule, userInfoRule } from "./url-spans.ts";
import { webhookPathRule } from "./webhook-path-spans.ts";

/** The search for secrets in texts, in two steps: nearly every text is done with the first, which costs next to nothing. */
export interface TextSearch {
  /** Which rules may find something: a bit for each. A text of 0 holds nothing that any rule or the scanner would find. */
  readonly signsOf: (text: string) => number;
  /** What the rules of these bits find: everything that is a secret by its form or by what stands before it. */
  readonly find: (text: string, found: number) => SecretSpan[];
  /** Whether the scanner may find something. */
  readonly toScan: (found: number) => boolean;
}

/** Below this length nothing is a secret that could be told from other text, but for a team's own. */
const LEAST_LENGTH = 8;
const EVERY_RULE = -1;

/** Makes the search. @param named the test of names, a team's own included */
export function textSearch(policy: RedactionPolicy, named: NameTest): TextSearch {
  const { names = [], scanner, level = "standard", everyRule = false } = policy;
  const own = ownRules(policy);
  const rules: readonly TextRule[] = [
    ...own,
    keyRule,
    userInfoRule,
    webhookPathRule,
    parameterRule,
    tokenRule,
    sqlFunctionRule,
    assignmentRule(named, names),
    ...spokenRules,
    tableRule(named),
    ...(level === "strict" ? strictRules : []),
  ];
  // Placeholders and what is shielded are covered before anything is searched, so what the rules see is another text.
  const covered = [...signs(["«"]), ...SHIELDED_SIGNS];
  const scanBit = 1 << rules.length;
  const bySign = signSearch([...rules.map((rule) => rule.signs), scanner?.signs ?? [], covered]);
  const unsigned = rules.flatMap(({ may }, index) => (may ? [{ may, bit: 1 << index }] : []));
  const always = scanner && !scanner.signs ? scanBit : 0;
  const bits = (text: string): number => {
    let found = (text.length < LEAST_LENGTH ? 0 : bySign(text)) | always;
    for (const { may, bit } of unsigned) if (may(text)) found |= bit;
    return found;
  };
  return {
    signsOf: everyRule ? () => EVERY_RULE : bits,
    find: (text, found) => {
      const ofLength = text.length < LEAST_LENGTH ? own : rules;
      return ofLength.flatMap((rule, index) => ((found & (1 << index)) === 0 ? [] : rule.find(text)));
    },
    toScan: (found) => scanner !== undefined && (found & scanBit) !== 0,
  };
}
