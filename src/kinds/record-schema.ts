import { z } from "zod";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject, mapMembers } from "../core/json.ts";
import type { StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";

/**
 * An API body: the members we rely on are checked, and any others pass (field notes: not a closed schema). Schemas only judge:
 * records keep the body as it came. So these are not zod's own loose objects, which go through all other members to copy them:
 * that takes five times as long.
 */
export function looseBody(shape: z.ZodRawShape): z.ZodType {
  return z.object({ id: z.string().min(1), ...shape });
}

/** A string member that may be absent or null. */
export const text = z.string().nullish();
/** A number member that may be absent or null. */
export const number = z.number().nullish();
/** A boolean member that may be absent or null. */
export const flag = z.boolean().nullish();
/** An array of strings that may be absent or null. */
export const texts = z.array(z.string()).nullish();

/** The member as text, or the empty string. */
export function textOf(body: JsonObject, member: string): string {
  const value = body[member];
  return typeof value === "string" ? value : "";
}

/** The name that a record is matched by: the web interface keeps blanks around a name, and the API does not (docs/api.md#dashboards). */
export function nameKeyOf(body: JsonObject): string {
  return textOf(body, "name").trim();
}

/** A record, or what is wrong with the body: paths and expectations, never values. */
export type ParsedRecord =
  | { readonly ok: true; readonly record: StackRecord }
  | { readonly ok: false; readonly id: string; readonly problem: string };

/**
 * Checks a body against its kind. The body itself is kept, not the schema's copy of it, so that nothing is lost.
 * @param unkept why the body is not what the server sent
 */
export function parseRecord(kind: ResourceKind, body: JsonValue, unkept?: string): ParsedRecord {
  const id = isJsonObject(body) && typeof body["id"] === "string" ? body["id"] : "";
  if (unkept !== undefined) return { ok: false, id, problem: `record: ${unkept}` };
  const result = kind.schema.safeParse(body);
  if (result.success && isJsonObject(body)) {
    return { ok: true, record: { kind: kind.name, id, name: kind.nameOf(body), body } };
  }
  const issues = result.error?.issues ?? [];
  const problem = issues.map((issue) => `${issue.path.join(".") || "record"}: ${issue.message}`).join("; ");
  return { ok: false, id, problem: problem || "record: not a JSON object" };
}

/**
 * Takes out what a server may or may not write down without a difference in meaning: the given defaults, nulls and empty
 * arrays, at any depth. Comparing two bodies in this form ignores the defaults a server adds and keeps everything else.
 */
export function withoutDefaults(body: JsonObject, defaults: Readonly<Record<string, JsonValue>>): JsonObject {
  return mapMembers(body, (value, member) => {
    if (value === null || (isJsonArray(value) && value.length === 0)) return undefined;
    const isDefault = Object.hasOwn(defaults, member) && defaults[member] === value;
    return isDefault ? undefined : strip(value, defaults);
  });
}

function strip(value: JsonValue, defaults: Readonly<Record<string, JsonValue>>): JsonValue {
  if (isJsonArray(value)) return value.map((item) => strip(item, defaults));
  return isJsonObject(value) ? withoutDefaults(value, defaults) : value;
}
