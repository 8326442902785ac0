import { compactJson } from "../domain/canonical-json.ts";
import type { JsonObject } from "../domain/json.ts";
import { withoutPath } from "../domain/member-path.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { foldIds } from "./known-ids.ts";

/** What a record says, in the form in which the server's additions do not count. */
export function content(kind: ResourceKind, body: JsonObject): string {
  return foldIds(compactJson(kind.comparable(kind.serverOwned.reduce(withoutPath, body))));
}
