import type { JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { parsePointer } from "../../core/member-path.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { FillValues } from "../../redaction/placeholders.ts";

/** A body with what no stack shows, as a fill file says it. */
export interface SuppliedNeeds {
  readonly body: JsonObject;
  /** Pointers of the needed members that the fill file answers, be it with "there was none" (`null`). */
  readonly supplied: ReadonlySet<string>;
  /** Values that are for something else. */
  readonly rest: FillValues;
}

/** Sets needed members: `/password` a text, `/headers/NAME` one of the headers; null says that there was none. */
export function supplyNeeds({ needed }: ResourceKind, body: JsonObject, values: FillValues): SuppliedNeeds {
  const supplied = new Set<string>();
  const rest: Record<string, FillValues[string]> = {};
  let filled = body;
  for (const [pointer, given] of Object.entries(values)) {
    const tokens = parsePointer(pointer);
    const path = needed.find((each) => each.path === tokens[0])?.path;
    if (path === undefined || tokens.length > 2 || body[path] !== undefined) {
      if (given !== null) rest[pointer] = given;
      continue;
    }
    supplied.add(`/${path}`);
    const [value] = given ?? [];
    if (value !== undefined) filled = withMember(filled, tokens, value);
  }
  return { body: filled, supplied, rest };
}

function withMember(body: JsonObject, [member = "", name]: readonly string[], value: string): JsonObject {
  if (name === undefined) return { ...body, [member]: value };
  const inside = body[member];
  const others = inside !== undefined && isJsonObject(inside) ? inside : {};
  return {
    ...body,
    [member]: { ...others, [name]: value },
  };
}
