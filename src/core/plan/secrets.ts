/**
 * One answer of a secrets file. `context` must equal the context in the plan. Without a context, only the answer "there was none"
 * counts.
 */
export interface SecretAnswer {
  readonly context?: string | undefined;
  readonly value: SecretValue;
}

/** One text, or one text for each placeholder in order, or texts by name (headers). Null: there was none. */
export type SecretValue = string | readonly string[] | Readonly<Record<string, string>> | null;

/** The answers by record (`KIND/ID`) and JSON pointer. Several answers for one pointer have different contexts. */
export type SecretAnswers = Readonly<Record<string, Readonly<Record<string, readonly SecretAnswer[]>>>>;

/** True for texts by name. */
export function isNamedValues(value: SecretValue): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Lists every text of an answer. */
export function textsOf(value: SecretValue): readonly string[] {
  if (value === null) return [];
  if (typeof value === "string") return [value];
  return Object.values(value);
}
