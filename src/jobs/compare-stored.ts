import { compactJson } from "../domain/canonical-json.ts";
import { isJsonArray, isJsonObject } from "../domain/json.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import { withoutPath } from "../domain/member-path.ts";
import { formatPointer } from "../domain/pointer.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";

/**
 * Pointers of what was sent and is not stored so: members that the server dropped (field note: unknown fields are dropped
 * silently) or changed. What the server added does not count, nor do ids of parts.
 */
export function compareStored(kind: ResourceKind, sent: JsonObject, stored: JsonObject): string[] {
  const own = (body: JsonObject): JsonObject => kind.comparable(kind.serverOwned.reduce(withoutPath, body));
  return differences(own(sent), own(stored), []);
}

function differences(sent: JsonValue, stored: JsonValue | undefined, path: readonly string[]): string[] {
  if (isJsonObject(sent) && isJsonObject(stored)) {
    return Object.entries(sent).flatMap(([member, value]) =>
      value === undefined ? [] : differences(value, own(stored, member), [...path, member]),
    );
  }
  if (isJsonArray(sent) && isJsonArray(stored) && sent.length === stored.length) {
    return sent.flatMap((value, index) => differences(value, stored[index], [...path, String(index)]));
  }
  return stored !== undefined && compactJson(sent) === compactJson(stored) ? [] : [formatPointer(path)];
}

function own(body: JsonObject, member: string): JsonValue | undefined {
  return Object.hasOwn(body, member) ? body[member] : undefined;
}
