/** Matches the name of a redaction rule. The name becomes part of a placeholder. */
export const RULE_NAME_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/** Matches a placeholder in a text. The group is the name of the rule. */
export const PLACEHOLDER_PATTERN = /«redacted:([a-z][a-z0-9-]{0,63})»/g;

export interface SecretPattern {
  readonly rule: string;
  /** Source of a regular expression. Its matches are redacted. */
  readonly pattern: string;
}

/** A value that stays although a rule would redact it. All given members must match. */
export interface RedactionException {
  readonly rule?: string;
  readonly kind?: string;
  /** JSON pointer; `*` stands for any one token. */
  readonly pointer?: string;
  readonly name?: string;
  /** Regular expression that matches the whole value. */
  readonly pattern?: string;
}

export interface RedactionRules {
  /** Additional member names that mean a credential. They are compared by their words: `teamPin` equals `team-pin`. */
  readonly names?: readonly string[];
  readonly patterns?: readonly SecretPattern[];
  /** Values that stay although a rule would redact them. Exceptions do not apply to declared secrets. */
  readonly exceptions?: readonly RedactionException[];
}

/** One answer of a secrets file. It counts only in its own context, except "there was none", which counts in every context. */
export interface SecretAnswer {
  readonly context?: string | undefined;
  readonly value: SecretValue;
}

/** One text, or one text for each placeholder in order, or texts by name (headers). Null: there was none. */
export type SecretValue = string | readonly string[] | Readonly<Record<string, string>> | null;

/** The answers by record (`KIND/ID`) and JSON pointer. Several answers for one pointer have different contexts. */
export type SecretAnswers = Readonly<Record<string, Readonly<Record<string, readonly SecretAnswer[]>>>>;

/** True for an answer that gives texts by name. */
export function isNamedValues(value: SecretValue): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textsOfSecret(value: SecretValue): readonly string[] {
  if (value === null) return [];
  if (typeof value === "string") return [value];
  return Object.values(value);
}
