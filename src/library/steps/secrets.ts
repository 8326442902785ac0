import type { SecretAnswer, SecretAnswers } from "../../core/plan/secrets.ts";
import { textsOf } from "../../core/plan/secrets.ts";

/**
 * The secrets that an archive lacks: `KIND/ID` of a record → JSON pointer → the answer. `context` is copied from the plan's
 * `missingSecrets`: a value is used only in the context that it was supplied for. `value` is a text, an array if a text lacks more than one
 * secret, an object for texts by name (a webhook's `/headers`), or null if the record had no value.
 */
export type SecretValues = Readonly<Record<string, Readonly<Record<string, SecretAnswer | readonly SecretAnswer[]>>>>;

/** Normalises the answers to lists, and collects every value, because none of them may be written anywhere. */
export function secretAnswersOf(secretValues: SecretValues): {
  readonly secretAnswers: SecretAnswers;
  readonly values: readonly string[];
} {
  const records = Object.entries(secretValues).map(([key, places]) => {
    const lists = Object.entries(places).map(([pointer, answers]) => [pointer, [answers].flat()] as const);
    return [key, Object.fromEntries(lists)] as const;
  });
  const answers = records.flatMap(([, places]) => Object.values(places).flat());
  return { secretAnswers: Object.fromEntries(records), values: answers.flatMap(({ value }) => textsOf(value)) };
}
