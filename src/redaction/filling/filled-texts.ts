import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from "../../core/json.ts";
import { formatPointer, valueAtTokens, withValueAt } from "../../core/records/member-path.ts";
import type { KindName } from "../../core/records/record.ts";
import { partsAroundPlaceholders, placeholderOfRule, type PlaceholderPlace } from "../placeholders.ts";
import type { RedactedBody, Redactor } from "../redactor.ts";
import { isWordSequence } from "../values/secret-value.ts";

/** The secrets (`values`) replaced the placeholders of `archivedText`. */
export interface FilledText {
  readonly kind: KindName;
  readonly tokens: readonly string[];
  readonly rules: readonly string[];
  readonly archivedText: string;
  readonly values: readonly string[];
  readonly filledValue: JsonValue | undefined;
}

export function listFilledTexts(
  kind: KindName,
  archivedBody: JsonObject,
  filledBody: JsonObject,
  places: ReadonlyMap<PlaceholderPlace, readonly string[]>,
): FilledText[] {
  return [...places].flatMap(([{ tokens, rules }, values]) => {
    const text = valueAtTokens(archivedBody, tokens);
    if (typeof text !== "string") return [];
    return [{ kind, tokens, rules, archivedText: text, values, filledValue: valueAtTokens(filledBody, tokens) }];
  });
}

const MIN_UNMISTAKABLE = 8;

/** False for a short secret or plain words, because other texts may contain them by chance. */
export function isRedactedEverywhere(value: string): boolean {
  return value.length >= MIN_UNMISTAKABLE && !isWordSequence(value);
}

/** An index in `tokens` stands for all positions of a list, because a tile may have moved. */
export function createFilledRedactor(redact: Redactor, texts: readonly FilledText[]): Redactor {
  if (texts.length === 0) return redact;
  return async (kind, body) => {
    let ownBody = body;
    const ownRedactions = new Map<string, RedactedBody["redactions"][number]>();
    for (const text of texts.filter((filledText) => filledText.kind === kind.name)) {
      for (const { path, value } of valuesAt(ownBody, text.tokens)) {
        const cleanedText = withoutFilled(value, text);
        if (cleanedText === undefined) continue;
        ownBody = withValueAt(ownBody, path, cleanedText);
        const pointer = formatPointer(path);
        for (const rule of text.rules) ownRedactions.set(`${rule} ${pointer}`, { pointer, rule });
      }
    }
    const { body: cleanedBody, redactions } = await redact(kind, ownBody);
    return { body: cleanedBody, redactions: [...ownRedactions.values(), ...redactions] };
  };
}

interface PlacedValue {
  readonly path: readonly string[];
  readonly value: JsonValue;
}

function valuesAt(
  value: JsonValue | undefined,
  [token, ...laterTokens]: readonly string[],
  path: readonly string[] = [],
): PlacedValue[] {
  if (value === undefined) return [];
  if (token === undefined) return [{ path, value }];
  if (isJsonArray(value)) return value.flatMap((item, index) => valuesAt(item, laterTokens, [...path, String(index)]));
  return isJsonObject(value) ? valuesAt(ownMember(value, token), laterTokens, [...path, token]) : [];
}

const AROUND = 16;
/** With fewer characters around it, a short secret could match by chance. */
const MIN_AROUND = 4;

function withoutFilled(value: JsonValue, { archivedText, filledValue, values, rules }: FilledText): string | undefined {
  if (value === filledValue) return archivedText;
  if (typeof value !== "string") return undefined;
  const parts = partsAroundPlaceholders(archivedText);
  const cleanedText = values.reduce((text, secret, index) => {
    const textBefore = (parts[index] ?? "").slice(-AROUND);
    const textAfter = (parts[index + 1] ?? "").slice(0, AROUND);
    if (secret === "" || `${textBefore}${textAfter}`.trim().length < MIN_AROUND) return text;
    return text.replaceAll(
      `${textBefore}${secret}${textAfter}`,
      () => `${textBefore}${placeholderOfRule(rules[index] ?? "")}${textAfter}`,
    );
  }, value);
  return cleanedText === value ? undefined : cleanedText;
}
