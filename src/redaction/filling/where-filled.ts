import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../core/json.ts";
import { formatPointer, valueAtTokens } from "../../core/records/member-path.ts";
import type { KindName } from "../../core/records/record.ts";
import type { PlaceholderPlace } from "../placeholders.ts";
import { partsAround, placeholder } from "../placeholders.ts";
import type { Redactor } from "../redactor.ts";
import { withValues } from "../replace-values.ts";
import { isWords } from "../values/secret-value.ts";

/** A text that was filled in: where it is in its record, as the archive has it, and as it is written. */
export interface FilledText {
  readonly kind: KindName;
  readonly tokens: readonly string[];
  readonly rules: readonly string[];
  readonly archived: string;
  readonly values: readonly string[];
  readonly filled: JsonValue | undefined;
}

/** The texts of one record that were filled in. @param filled the body that is written */
export function filledTexts(
  kind: KindName,
  archived: JsonObject,
  filled: JsonObject,
  places: ReadonlyMap<PlaceholderPlace, readonly string[]>,
): FilledText[] {
  return [...places].flatMap(([{ tokens, rules }, values]) => {
    const text = valueAtTokens(archived, tokens);
    if (typeof text !== "string") return [];
    return [{ kind, tokens, rules, archived: text, values, filled: valueAtTokens(filled, tokens) }];
  });
}

const MIN_UNMISTAKABLE = 8;

/**
 * Whether a value can be taken out wherever it occurs. A short one, or a word, occurs in texts that nothing was filled into, and
 * what an update replaced could not be put back without those.
 */
export function isUnmistakable(value: string): boolean {
  return value.length >= MIN_UNMISTAKABLE && !isWords(value);
}

/**
 * The same redactor, which first takes out what was filled in, from the places where it was filled in: also of another record of
 * the kind, and of a tile that has moved since.
 */
export function redactFilled(redact: Redactor, texts: readonly FilledText[]): Redactor {
  if (texts.length === 0) return redact;
  return async (kind, body) => {
    const taken = new Map<
      string,
      { readonly path: readonly string[]; readonly text: string; readonly rules: readonly string[] }
    >();
    for (const text of texts.filter((each) => each.kind === kind.name)) {
      for (const { path, value } of valuesAt(body, text.tokens)) {
        const pointer = formatPointer(path);
        const left = withoutFilled(taken.get(pointer)?.text ?? value, text);
        if (left !== undefined) taken.set(pointer, { path, text: left, rules: text.rules });
      }
    }
    const changes = new Map([...taken.values()].map(({ path, text }) => [path, text] as const));
    const { body: left, redactions } = await redact(kind, withValues(body, changes));
    const listed = [...taken].flatMap(([pointer, { rules }]) => [...new Set(rules)].map((rule) => ({ pointer, rule })));
    return { body: left, redactions: [...listed, ...redactions] };
  };
}

/** What stands at the same place in a body, whatever the position in a list. */
function* valuesAt(
  value: JsonValue | undefined,
  [next, ...rest]: readonly string[],
  path: readonly string[] = [],
): Generator<{ readonly path: readonly string[]; readonly value: JsonValue }> {
  if (value === undefined) return;
  if (next === undefined) yield { path, value };
  else if (isJsonArray(value)) {
    for (const [index, item] of value.entries()) yield* valuesAt(item, rest, [...path, String(index)]);
  } else if (isJsonObject(value) && Object.hasOwn(value, next)) yield* valuesAt(value[next], rest, [...path, next]);
}

/** So much of the text around a value is compared where the rest of the text is another one by now. */
const AROUND = 16;
/** With less around it a value could be anything. */
const MIN_AROUND = 4;

/** The text without what was filled in; undefined where it is not in it. */
function withoutFilled(value: JsonValue, { archived, filled, values, rules }: FilledText): string | undefined {
  if (value === filled) return archived;
  if (typeof value !== "string") return undefined;
  const parts = partsAround(archived);
  const left = values.reduce((text, secret, index) => {
    const before = (parts[index] ?? "").slice(-AROUND);
    const after = (parts[index + 1] ?? "").slice(0, AROUND);
    if (secret === "" || `${before}${after}`.trim().length < MIN_AROUND) return text;
    return text.replaceAll(`${before}${secret}${after}`, () => `${before}${placeholder(rules[index] ?? "")}${after}`);
  }, value);
  return left === value ? undefined : left;
}
