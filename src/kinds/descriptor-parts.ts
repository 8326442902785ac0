import { z } from "zod";
import { isJsonArray, isJsonObject, mapMembers, type JsonObject, type JsonValue } from "../core/json.ts";
import { valueAt } from "../core/records/member-path.ts";
import type { KindName, StackRecord } from "../core/records/record.ts";
import type { Operation, PathCondition, ResourceKind, ApiRoute, ImportPolicy } from "../core/resource-kind.ts";

/** The parsed copy lacks all other members: zod's loose object would take five times as long (docs/api.md#envelopes). */
export function looseBody(shape: z.ZodRawShape): z.ZodType {
  return z.object({ id: z.string().min(1), ...shape });
}

export const optionalText = z.string().nullish();
export const optionalNumber = z.number().nullish();
export const optionalTexts = z.array(z.string()).nullish();

export function isBlank(value: JsonValue | undefined): boolean {
  if (isJsonArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === "";
}

export function textOfMember(body: JsonObject, member: string): string {
  const value = body[member];
  return typeof value === "string" ? value : "";
}

/** The API trims names, and the web interface does not (docs/api.md#dashboards). */
export function nameKeyOf(body: JsonObject): string {
  return textOfMember(body, "name").trim();
}

export function isDeclaredAt(
  { when }: { readonly when?: PathCondition },
  body: JsonObject,
  indices: readonly number[],
): boolean {
  if (when === undefined) return true;
  const deciding = valueAt(body, when.path, indices);
  return "is" in when ? deciding === when.is : deciding !== when.not;
}

/** `problem` contains no values of the body. */
export type ParsedRecord =
  | { readonly ok: true; readonly record: StackRecord }
  | { readonly ok: false; readonly id: string; readonly problem: string };

/**
 * Keeps the body itself, because the schema's copy lacks members.
 * @param alteredBecause why the body differs from the server's answer; the record then counts as unreadable
 */
export function parseRecord(kind: ResourceKind, body: JsonValue, alteredBecause?: string): ParsedRecord {
  const id = isJsonObject(body) && typeof body["id"] === "string" ? body["id"] : "";
  if (alteredBecause !== undefined) return { ok: false, id, problem: `record: ${alteredBecause}` };
  const result = kind.schema.safeParse(body);
  if (result.success && isJsonObject(body)) {
    return { ok: true, record: { kind: kind.name, id, name: kind.nameOf(body), body } };
  }
  const issues = result.error?.issues ?? [];
  const problem = issues.map((issue) => `${issue.path.join(".") || "record"}: ${issue.message}`).join("; ");
  return { ok: false, id, problem: problem || "record: not a JSON object" };
}

/** Also removes nulls and empty arrays, at any depth. */
export function withoutDefaults(body: JsonObject, defaults: Readonly<Record<string, JsonValue>>): JsonObject {
  return mapMembers(body, (value, member) => {
    if (value === null || (isJsonArray(value) && value.length === 0)) return undefined;
    const isDefault = Object.hasOwn(defaults, member) && defaults[member] === value;
    return isDefault ? undefined : stripMembers(value, defaults);
  });
}

function stripMembers(value: JsonValue, defaults: Readonly<Record<string, JsonValue>>): JsonValue {
  if (isJsonArray(value)) return value.map((item) => stripMembers(item, defaults));
  return isJsonObject(value) ? withoutDefaults(value, defaults) : value;
}

export const plainKind = {
  nameOf: (body: JsonObject) => textOfMember(body, "name"),
  references: [],
  children: [],
  idsLearnedFrom: [],
  writeOnly: [],
  secrets: [],
  leaveOutWhen: [],
  limits: [],
  nameFields: {},
  clearOnUpdate: {},
} as const satisfies Partial<ResourceKind>;

export function createdOnRequest(singular: string, servedWith: KindName): ImportPolicy {
  const why = `by default, a ${singular} is not written, only matched with one of the target's`;
  return { when: "on-request", servedWith, why };
}

export function collectionRoutes<Word extends string>(word: Word) {
  const [collection, record] = [`{stack}/${word}`, `{stack}/${word}/{id}`] as const;
  return {
    list: { method: "GET", path: collection },
    get: { method: "GET", path: record },
    create: { method: "POST", path: collection },
    update: { method: "PUT", path: record },
    delete: { method: "DELETE", path: record },
  } as const satisfies Partial<Record<Operation, ApiRoute>>;
}
