import type { RedactionRules } from "../core/secrets.ts";

/** The extent of redaction. `strict` also redacts certificates, ARNs, account numbers and any long random text. */
export type RedactionLevel = "standard" | "strict";

export interface RedactionPolicy extends RedactionRules {
  readonly level?: RedactionLevel;
  readonly literals?: readonly string[];
}
