import { StackferryError } from "../../core/errors.ts";
import type { RedactionRules } from "../../core/redaction-rules.ts";
import type { RedactionLevel } from "../../redaction/policy.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { createSecretScanner } from "../../redaction/secretlint-scanner.ts";
import { oneOf } from "../options/option-checks.ts";

/** How secrets are redacted. */
export interface RedactionOptions extends RedactionRules {
  /** Default `standard`; `strict` also redacts certificates, ARNs, account numbers and long random texts. */
  readonly level?: RedactionLevel;
}

/**
 * Creates a redactor with all of its layers.
 * @param literals secrets known by their value
 * @throws StackferryError `config` for an invalid regular expression, `usage` for an unknown level
 */
export function redactorOf(
  { level = "standard", ...rules }: RedactionOptions = {},
  literals: readonly string[] = [],
): Redactor {
  const policy = { ...rules, level: oneOf(level, ["standard", "strict"], "redaction.level"), literals };
  try {
    return createRedactor({ ...policy, scanner: createSecretScanner() });
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new StackferryError("config", "a pattern under `redaction` is no regular expression", { cause });
  }
}
