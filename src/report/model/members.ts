import { isJsonArray, isJsonObject } from "../../domain/json.ts";
import type { JsonObject, JsonValue } from "../../domain/json.ts";

/** A member as text; empty where it is no text. Archives are untrusted: a member can be of any type. */
export function textAt(body: JsonObject, member: string): string {
  const value = own(body, member);
  return typeof value === "string" ? value : "";
}

/** A member as a finite number; undefined where it is none. */
export function numberAt(body: JsonObject, member: string): number | undefined {
  const value = own(body, member);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A member as an object; empty where it is none. */
export function objectAt(body: JsonObject, member: string): JsonObject {
  const value = own(body, member);
  return isJsonObject(value) ? value : {};
}

/** The objects of a list; none where it is no list. */
export function objectsAt(body: JsonObject, member: string): readonly JsonObject[] {
  const value = own(body, member);
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}

/** The texts of a list; none where it is no list. */
export function textsAt(body: JsonObject, member: string): readonly string[] {
  const value = own(body, member);
  return isJsonArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function own(body: JsonObject, member: string): JsonValue | undefined {
  return Object.hasOwn(body, member) ? body[member] : undefined;
}
