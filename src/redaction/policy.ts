import type { RedactionRules } from "../core/secrets.ts";
import type { RequiredWords, SecretSpan } from "./spans.ts";

/** A function that finds secrets in a text by their form. Its spans may overlap. */
export interface SecretScanner extends RequiredWords {
  (text: string): Promise<readonly SecretSpan[]>;
}

/** The extent of redaction. `strict` also redacts certificates, ARNs, account numbers and any long random text. */
export type RedactionLevel = "standard" | "strict";

export interface RedactionPolicy extends RedactionRules {
  readonly level?: RedactionLevel;
  readonly scanner?: SecretScanner;
  /** Secrets that are known by their value. */
  readonly literals?: readonly string[];
}
