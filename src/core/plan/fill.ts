/**
 * One answer of a fill file. `context` is the context of the draft, as the plan has it; without it only "there was none" counts.
 */
export interface FillAnswer {
  readonly context?: string | undefined;
  readonly value: FillValue;
}

/** One text, or one for each placeholder in their order, or texts by name (headers). Null: there was none. */
export type FillValue = string | readonly string[] | Readonly<Record<string, string>> | null;

/** The answers by record (`KIND/ID`) and JSON pointer; each answer of one place is for another context. */
export type FillLines = Readonly<Record<string, Readonly<Record<string, readonly FillAnswer[]>>>>;

/** True for texts by name. */
export function isNamedValues(value: FillValue): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Lists every text of an answer. */
export function textsOf(value: FillValue): readonly string[] {
  if (value === null) return [];
  if (typeof value === "string") return [value];
  return Object.values(value);
}
