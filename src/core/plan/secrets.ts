/**
 * One answer of a secrets file. `context` is the context of the draft, as the plan has it; without it only "there was none" counts.
 */
export interface SecretAnswer {
  readonly context?: string | undefined;
  readonly value: SecretValue;
}

/** One text, or one for each placeholder in their order, or texts by name (headers). Null: there was none. */
export type SecretValue = string | readonly string[] | Readonly<Record<string, string>> | null;

/** The answers by record (`KIND/ID`) and JSON pointer; each answer of one place is for another context. */
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
