import type { JsonObject } from "../../core/json.ts";
import { willWrite, itemKey, type Plan, type PlanItem, type Removal } from "../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { knownKind } from "../../kinds/registry.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { comparableContent, fingerprint } from "../../references/record-content.ts";
import { plannedDeletes } from "../remove/mirror.ts";
import { plannedContents, type FormOptions } from "../write-body.ts";

export interface DigestBasis extends FormOptions {
  /** Applied first, because a digest of the record could help to guess its secret. */
  readonly redact: Redactor;
  /** The key by which the next version of code files recognises a record. */
  readonly identify: (key: RecordKey) => RecordKey;
}

export interface PlanDigest {
  readonly digest: string;
  readonly writes: readonly string[];
}

/** Only the writes count, in any order. Records that are still to be created have their source ids. */
export async function digestPlan(plan: Plan, basis: DigestBasis): Promise<PlanDigest> {
  const contentOf = plannedContents(plan, basis);
  const writes: string[] = [];
  for (const item of plan.items) {
    if (willWrite(item)) writes.push(await digestWrite(item, contentOf(item), item.replaces, basis));
  }
  for (const removal of plannedDeletes(plan)) {
    writes.push(await digestWrite(removal, undefined, removal.targetRecord, basis));
  }
  return { digest: fingerprint(writes.sort()), writes };
}

/**
 * Leaves out members of `replaced` that the server changes by itself.
 * @param content the content after all writes to the record, because the order of the writes means nothing
 */
async function digestWrite(
  write: PlanItem | Removal,
  content: JsonObject | undefined,
  replaced: StackRecord | undefined,
  { redact, identify }: DigestBasis,
): Promise<string> {
  const kind = knownKind(write.kind);
  const after = content && fingerprint((await redact(kind, content)).body);
  const before = replaced && fingerprint(comparableContent(kind, (await redact(kind, replaced.body)).body));
  return fingerprint([write.action, identify(itemKey(write)), write.targetId ?? null, after ?? null, before ?? null]);
}
