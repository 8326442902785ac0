import { splitWords } from "../../core/collections.ts";
import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from "../../core/json.ts";
import { isBlank } from "../descriptor-parts.ts";
import { memberPathOf, valueAtTokens } from "../../core/records/member-path.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";

/** Members that decide who is notified, which rows are selected and what is computed. */
const VITAL: readonly string[] = splitWords(`
  channel channels webhookId emailRecipients recipients where whereTemplate having condition filters
  savedFilterValues savedQuery expression threshold thresholdMax thresholdType config displayType configType
  select aggFn valueExpression level sqlTemplate metricName metricType
`);

/** A language is vital only if one of its conditions is not empty. */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  whereLanguage: ["where", "whereTemplate"],
  savedQueryLanguage: ["savedQuery"],
};

export function isVital(kind: ResourceKind, body: JsonObject, tokens: readonly string[]): boolean {
  const path = memberPathOf(tokens);
  const value = valueAtTokens(body, tokens);
  if (value === undefined) return false;
  const isOfKind = kind.nameFields.name === path || kind.children.some(({ member }) => member === path);
  if (isOfKind || kind.references.some((reference) => reference.serverValidated && reference.path === path))
    return true;
  const beside = valueAtTokens(body, tokens.slice(0, -1));
  return holdsVital(kind, tokens.at(-1) ?? "", value, isJsonObject(beside) ? beside : {});
}

function holdsVital(kind: ResourceKind, member: string, value: JsonValue, beside: JsonObject): boolean {
  if (isBlank(value)) return false;
  const conditions = ownMember(LANGUAGES, member);
  if (conditions !== undefined) return conditions.some((condition) => !isBlank(beside[condition]));
  if (VITAL.includes(member) || kind.vitalMembers?.includes(member) === true) return true;
  if (isJsonArray(value)) return value.some((item) => holdsVital(kind, "", item, {}));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, inner]) => inner !== undefined && holdsVital(kind, name, inner, value));
}
