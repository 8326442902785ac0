import type { Hint } from "../search/prefilter.ts";
import type { SecretSpan } from "../spans.ts";

/** A rule that finds secrets in a text. */
export interface TextRule extends Hint {
  /** Matches every text in which the rule finds a secret, at little cost. Flags: none or `i`; no capturing groups. */
  readonly hint: RegExp;
  /** Pure; spans may overlap. */
  readonly find: (text: string) => readonly SecretSpan[];
}

/** The source of an expression with non-capturing groups, for use in a hint. */
export function withoutGroups({ source }: RegExp): string {
  return source.replaceAll("([", "(?:[").replaceAll("((?:", "(?:(?:");
}
