import type { FindCounterpart, KnownIds } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { findReferences, rewriteReferences } from "../references/references.ts";
import { prefixName, type PlanOptions } from "./plan-options.ts";

export interface Translation extends Pick<PlanOptions, "namePrefix"> {
  readonly ids: FindCounterpart;
  readonly knownIds: KnownIds;
}

/** An id without a counterpart stays. */
export function translatedBody(
  kind: ResourceKind,
  { body }: StackRecord,
  { ids, knownIds, namePrefix }: Translation,
  references = findReferences(kind, body, knownIds),
): JsonObject {
  return prefixName(kind, rewriteReferences(body, references, ids, knownIds), namePrefix);
}
