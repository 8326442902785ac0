import type { RedactionRules } from "../core/redaction-rules.ts";
import type { RedactionLevel } from "../redaction/policy.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { createSecretScanner } from "../redaction/scanner.ts";
import { oneOf } from "./option-checks.ts";

/** How secrets are taken out. */
export interface RedactionOptions extends RedactionRules {
  /** `standard` unless told; `strict` takes out certificates, ARNs, account numbers and long random texts as well. */
  readonly level?: RedactionLevel;
}

/**
 * A redactor with all of its layers.
 * @param literals secrets known by their value
 */
export function redactorOf(
  { level = "standard", ...rules }: RedactionOptions = {},
  literals: readonly string[] = [],
): Redactor {
  return createRedactor({
    ...rules,
    level: oneOf(level, ["standard", "strict"], "redaction.level"),
    literals,
    scanner: createSecretScanner(),
  });
}
