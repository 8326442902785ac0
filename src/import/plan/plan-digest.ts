import type { JsonObject } from "../../core/json.ts";
import { willWrite, itemKey, type Plan, type PlanItem, type Removal } from "../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { knownKind } from "../../kinds/registry.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { comparableContent, fingerprint } from "../../references/record-content.ts";
import { plannedDeletes } from "../remove/mirror.ts";
import { plannedContents, type FormOptions } from "../write-body.ts";

export interface DigestBasis extends FormOptions {
  /**
   * Redacts the new and the replaced content before it is digested. Otherwise somebody who knows the rest of a record
   * could guess its secret by comparing digests.
   */
  readonly redact: Redactor;
  /** Returns the key by which a record of code files is recognised in the next version of the files. */
  readonly identify: (key: RecordKey) => RecordKey;
}

/** The digest by which a plan is approved, and the digests of the plan's single writes. */
export interface PlanDigest {
  readonly digest: string;
  readonly writes: readonly string[];
}

/**
 * Returns a digest of a plan's writes. Of each write, these count: action, kind, key, id on the target, new content,
 * replaced content. A record that is still to be created has its id from the source in these contents. Nothing else
 * counts, such as a reason, a warning, a kept record, a flag, the journal, the time or the order.
 */
export async function digestPlan(plan: Plan, basis: DigestBasis): Promise<PlanDigest> {
  const contentOf = plannedContents(plan, basis);
  const writes: string[] = [];
  for (const item of plan.items) if (willWrite(item)) writes.push(await digestWrite(item, contentOf(item), basis));
  for (const removal of plannedDeletes(plan)) writes.push(await digestDelete(removal, basis));
  return { digest: fingerprint(writes.sort()), writes };
}

/** @param content the record's content after all writes to it, because the order of the writes means nothing */
async function digestWrite(item: PlanItem, content: JsonObject, basis: DigestBasis): Promise<string> {
  const { action, targetId, replaces } = item;
  const kind = knownKind(item.kind);
  const redacted = await basis.redact(kind, content);
  return fingerprint([
    action,
    basis.identify(itemKey(item)),
    targetId ?? null,
    fingerprint(redacted.body),
    await replacedContent(kind, replaces, basis),
  ]);
}

async function digestDelete(removal: Removal, basis: DigestBasis): Promise<string> {
  const { action, targetId, targetRecord } = removal;
  const replaced = await replacedContent(knownKind(removal.kind), targetRecord, basis);
  return fingerprint([action, basis.identify(itemKey(removal)), targetId, null, replaced]);
}

/** Returns the digest of the target's record without members that the server changes by itself; null if nothing is replaced. */
async function replacedContent(
  kind: ResourceKind,
  replaced: StackRecord | undefined,
  { redact }: DigestBasis,
): Promise<string | null> {
  if (replaced === undefined) return null;
  return fingerprint(comparableContent(kind, (await redact(kind, replaced.body)).body));
}
