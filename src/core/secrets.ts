/** The name becomes part of a placeholder. */
export const RULE_NAME_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

export const PLACEHOLDER_PATTERN = /«redacted:([a-z][a-z0-9-]{0,63})»/g;

export interface SecretPattern {
  readonly rule: string;
  readonly pattern: string;
}

/** A value that stays although a rule matches. All given members must match. */
export interface RedactionException {
  readonly rule?: string;
  readonly kind?: string;
  /** JSON pointer; `*` stands for any text within one token. */
  readonly pointer?: string;
  readonly name?: string;
  /** Matches the whole text that the rule would redact. */
  readonly pattern?: string;
}

export interface RedactionRules {
  /** More member names that mean a credential, compared by words: `teamPin` equals `team-pin`. */
  readonly names?: readonly string[];
  readonly patterns?: readonly SecretPattern[];
  /** No exception applies to a secret at a path that a kind declares. */
  readonly exceptions?: readonly RedactionException[];
}

/** An answer counts only for its context; null, for a write-only member, counts for every context. */
export interface SecretAnswer {
  readonly context?: string | undefined;
  readonly value: SecretValue;
}

/** A text, a text for each placeholder in order, or texts by name (headers). Null: there was no secret. */
export type SecretValue = string | readonly string[] | Readonly<Record<string, string>> | null;

export type SecretAnswers = Readonly<Record<string, Readonly<Record<string, readonly SecretAnswer[]>>>>;

export function isNamedValues(value: SecretValue): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textsOfSecret(value: SecretValue): readonly string[] {
  if (value === null) return [];
  if (typeof value === "string") return [value];
  return Object.values(value);
}
