import type { RedactionRules } from "../core/redaction-rules.ts";
import type { SecretSpan } from "./spans.ts";

/** Finds secrets by their form. Spans may overlap. */
export interface SecretScanner {
  (text: string): Promise<readonly SecretSpan[]>;
  /** Matches every text in which the scanner finds something. Without it every text is scanned. Flags: none or `i`. */
  readonly hint?: RegExp;
}

/** `strict` takes out certificates, ARNs, account numbers and any long random text as well. */
export type RedactionLevel = "standard" | "strict";

/** What a redactor goes by. */
export interface RedactionPolicy extends RedactionRules {
  readonly level?: RedactionLevel;
  readonly scanner?: SecretScanner;
  /** Secrets known by their value. */
  readonly literals?: readonly string[];
}
