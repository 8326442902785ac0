import type { JsonObject } from "../domain/json.ts";
import type { StackRecord } from "../domain/record.ts";

/** All of a record but its body. */
export type Bodiless = Pick<StackRecord, "kind" | "id" | "name">;

/** A record whose body is made each time it is asked for: the bodies of a large stack together are larger than memory. */
export function withLateBody({ kind, id, name }: Bodiless, bodyOf: () => JsonObject): StackRecord {
  return {
    kind,
    id,
    name,
    get body() {
      return bodyOf();
    },
  };
}
