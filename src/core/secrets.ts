/** Matches the name of a redaction rule. The name becomes part of a placeholder. */
export const RULE_NAME_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/** Matches a placeholder in a text. The group is the name of the rule. */
export const PLACEHOLDER_PATTERN = /«redacted:([a-z][a-z0-9-]{0,63})»/g;

export interface SecretPattern {
  readonly rule: string;
  /** A regular expression for texts to redact. */
  readonly pattern: string;
}

/** A value that stays although a rule would redact it. All members that are given must match. */
export interface RedactionException {
  readonly rule?: string;
  readonly kind?: string;
  /** JSON pointer; `*` stands for any text within one token. */
  readonly pointer?: string;
  readonly name?: string;
  /** Regular expression that matches the whole text that the rule would redact. */
  readonly pattern?: string;
}

export interface RedactionRules {
  /** Additional member names that mean a credential. Names are compared by their words: `teamPin` equals `team-pin`. */
  readonly names?: readonly string[];
  readonly patterns?: readonly SecretPattern[];
  /** Values that stay although a rule matches. A secret at a path that a kind declares is always redacted. */
  readonly exceptions?: readonly RedactionException[];
}

/**
 * One answer of a secrets file. An answer counts only for a secret with the same context; the answer null counts for every context.
 */
export interface SecretAnswer {
  readonly context?: string | undefined;
  readonly value: SecretValue;
}

/** A text, one text for each placeholder in order, or texts by name (headers). Null: the record had no secret there. */
export type SecretValue = string | readonly string[] | Readonly<Record<string, string>> | null;

/** The answers by record (`KIND/ID`), then by JSON pointer into the record. */
export type SecretAnswers = Readonly<Record<string, Readonly<Record<string, readonly SecretAnswer[]>>>>;

export function isNamedValues(value: SecretValue): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textsOfSecret(value: SecretValue): readonly string[] {
  if (value === null) return [];
  if (typeof value === "string") return [value];
  return Object.values(value);
}
