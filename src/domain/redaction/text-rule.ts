import type { SecretSpan } from "./redaction-policy.ts";
import type { Sign } from "./sign.ts";

/** A rule that finds secrets in a text. Every text in which it finds something has one of its signs, or may hold one. */
export interface TextRule {
  readonly signs: readonly Sign[];
  /** For what has no literal that could be a sign. */
  readonly may?: (text: string) => boolean;
  /** Pure; spans may overlap. */
  readonly find: (text: string) => readonly SecretSpan[];
}
