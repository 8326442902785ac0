import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { memberPathOf } from "../../core/records/member-path.ts";
import type { KindName, Variant } from "../../core/records/record.ts";
import published from "../published-members.json" with { type: "json" };

const lists: Readonly<Record<Variant, Readonly<Record<KindName, readonly string[]>>>> = published;

/**
 * Finds members of a body that are missing from the published API description of the variant. Such descriptions have had too few
 * members or too many within months, so the result is only a guess, for a stack that refuses a record without naming a member.
 */
export function unpublishedPlaces(kind: KindName, variant: Variant, body: JsonObject): readonly (readonly string[])[] {
  const list = lists[variant][kind];
  if (list === undefined) return [];
  const publishedPlaces = new Set(list);
  // Objects whose members the description lists. An object with free member names, such as headers, is not among them.
  const listed = new Set(list.map((path) => path.slice(0, Math.max(0, path.lastIndexOf(".")))));
  const found: (readonly string[])[] = [];
  const visit = (value: JsonValue, tokens: readonly string[]): void => {
    if (isJsonArray(value)) value.forEach((item, index) => visit(item, [...tokens, String(index)]));
    if (!isJsonObject(value) || !listed.has(memberPathOf(tokens))) return;
    for (const [member, inner] of Object.entries(value)) {
      const place = [...tokens, member];
      if (!publishedPlaces.has(memberPathOf(place))) found.push(place);
      else if (inner !== undefined) visit(inner, place);
    }
  };
  visit(body, []);
  return found;
}
