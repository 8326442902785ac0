import type { JsonObject } from "../../src/core/json.ts";
import { findKind } from "../../src/kinds/registry.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";

const redact = createRedactor();

/** Returns a record as an export writes it, without the secret scanner. */
export async function redactedRecord(kindName: string, body: JsonObject): Promise<JsonObject> {
  const kind = findKind(kindName);
  if (!kind) throw new Error(`no kind ${kindName}`);
  return (await redact(kind, body)).body;
}
