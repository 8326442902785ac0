import { Refusal } from "../refusal.ts";
import type { Stack } from "./route.ts";

/** Throws `Refusal` 400 where the id in the path has not the form of one (recording 66). */
export function checkId({ variant, mint }: Stack, id: string): void {
  const form = variant === "managed" ? "uuid" : "ObjectId";
  if (!mint.isId(id)) throw new Refusal(400, `Params validation failed: id: Invalid ${form}`);
}
