import type { JsonObject } from "../record.ts";

/** `value` with the members of `order` alone and in that order, those of `defaults` where they are absent. */
export function arrange(value: JsonObject, order: readonly string[], defaults: JsonObject = {}): JsonObject {
  const members = order.map((member) => [member, value[member] ?? defaults[member]] as const);
  return Object.fromEntries(members.filter(([, content]) => content !== undefined));
}
