import { z } from "zod";
import type { JsonObject } from "../domain/json.ts";

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
