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
  /** Otherwise digests would let somebody who knows the rest of a record guess its secret. */
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
  for (const item of plan.items) if (willWrite(item)) writes.push(await digestWrite(item, contentOf(item), basis));
  for (const removal of plannedDeletes(plan)) writes.push(await digestDelete(removal, basis));
  return { digest: fingerprint(writes.sort()), writes };
}

/** @param content the content after all writes to the record, because the order of the writes means nothing */
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

/** Leaves out members that the server changes by itself; null if nothing is replaced. */
async function replacedContent(
  kind: ResourceKind,
  replaced: StackRecord | undefined,
  { redact }: DigestBasis,
): Promise<string | null> {
  if (replaced === undefined) return null;
  return fingerprint(comparableContent(kind, (await redact(kind, replaced.body)).body));
}
