import type { JsonObject } from "../../core/json.ts";
import type { Variant } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { toCode, type NameLookup } from "./convert-record.ts";
import { markSubstitutes } from "./substitutes.ts";
import type { Label } from "./write/file-keys.ts";

/**
 * Returns the members of a record's file, with the marks for what the API did not show.
 * @param variant the variant of the stack whose answer contained the record; undefined if the body is no answer
 */
export function codeOfRecord(
  kind: ResourceKind,
  body: JsonObject,
  { key }: Label,
  names: NameLookup,
  variant: Variant | undefined,
): JsonObject {
  const marked = variant === undefined ? body : markSubstitutes(kind, body, variant);
  const { name, ...rest } = toCode(kind, marked, names);
  const silence = kind.isSilenced?.(body) === true ? { silenced: true } : {};
  return { ...(name !== undefined && { name }), ...(key !== undefined && { key }), ...rest, ...silence };
}
