import { isJsonObject } from "../domain/json.ts";
import type { JsonValue } from "../domain/json.ts";
import type { StackRecord } from "../domain/record.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";

/** A record, or what is wrong with the body: paths and expectations, never values. */
export type ParsedRecord =
  | { readonly ok: true; readonly record: StackRecord }
  | { readonly ok: false; readonly id: string; readonly problem: string };

/** Checks a body against its kind. The body itself is kept, not the schema's copy of it, so that nothing is lost. */
export function parseRecord(kind: ResourceKind, body: JsonValue): ParsedRecord {
  const id = isJsonObject(body) && typeof body["id"] === "string" ? body["id"] : "";
  const result = kind.schema.safeParse(body);
  if (result.success && isJsonObject(body)) {
    return { ok: true, record: { kind: kind.name, id, name: kind.nameOf(body), body } };
  }
  const issues = result.error?.issues ?? [];
  const problem = issues.map((issue) => `${issue.path.join(".") || "record"}: ${issue.message}`).join("; ");
  return { ok: false, id, problem: problem || "record: not a JSON object" };
}
