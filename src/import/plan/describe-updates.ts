import { IdMap } from "../../core/plan/id-map.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ChangedSince } from "../../core/plan/state.ts";
import { withoutPath } from "../../core/records/member-path.ts";
import type { Plan, PlanItem, PlannedMirror, Removal } from "../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";
import type { NamingOptions } from "../../matching/plan-options.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { redactName } from "../../redaction/names.ts";
import { diffMembers } from "../../references/member-changes.ts";
import type { Translation } from "../write-body.ts";
import { bodyOfUpdate } from "../composed-body.ts";
import { itemKey } from "../../core/plan/plan.ts";

/** The input for describing the updates of a plan. */
export interface UpdateBasis {
  /** The records as in the archive, placeholders included. */
  readonly records: readonly StackRecord[];
  readonly naming: NamingOptions;
  readonly fitLimits?: boolean;
  /** Current time in milliseconds, for limits that depend on the time. */
  readonly now?: number;
  /** Redacts the target's values. */
  readonly redact: Redactor;
}

/**
 * Adds to each update of the plan the changes that it makes, and to each conflict the changes that an update would make. Ids of
 * records that are still to be created are shown as in the archive. Names on the target are redacted like values.
 */
export async function describeUpdates(
  plan: Plan,
  { records, naming, fitLimits = false, now, redact }: UpdateBasis,
): Promise<Plan> {
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const translation = { ids: new IdMap(plan.ids), knownIds: plan.knownIds, naming, fitLimits, now };
  const items: PlanItem[] = [];
  for (const item of plan.items) items.push(await describeItem(item, byKey, translation, redact));
  return { ...plan, items, ...(plan.mirror && { mirror: await mirrorWithoutSecrets(plan.mirror, redact) }) };
}

async function mirrorWithoutSecrets(mirror: PlannedMirror, redact: Redactor): Promise<PlannedMirror> {
  const removals: Removal[] = [];
  for (const removal of mirror.removals) {
    removals.push({ ...removal, name: await redactName(removal, redact) });
  }
  return { ...mirror, removals };
}

async function describeItem(
  item: PlanItem,
  records: ReadonlyMap<RecordKey, StackRecord>,
  translation: Translation,
  redact: Redactor,
): Promise<PlanItem> {
  const kind = findKind(item.kind);
  const record = records.get(itemKey(item));
  const { targetId, targetName, replaces, since } = item;
  if (kind === undefined || record === undefined) return item;
  const redactedNames = {
    ...(targetName !== undefined && { targetName: await redactName({ kind: kind.name, name: targetName }, redact) }),
    ...(since !== undefined && { since: await sinceWithoutSecrets(kind, since, redact) }),
  };
  if ((item.action !== "update" && since === undefined) || replaces === undefined || targetId === undefined)
    return { ...item, ...redactedNames };
  const sent = await redact(kind, bodyOfUpdate(kind, record, translation, targetId, { ...item, leftOut: undefined }));
  const stored = await redact(kind, replaces.body);
  const comparableOf = (body: JsonObject): JsonObject => kind.comparable(kind.serverOwned.reduce(withoutPath, body));
  return { ...item, ...redactedNames, changes: diffMembers(kind, comparableOf(stored.body), comparableOf(sent.body)) };
}

/** Redacts the labels of changed parts, because they contain names of tiles. */
async function sinceWithoutSecrets(kind: ResourceKind, since: ChangedSince, redact: Redactor): Promise<ChangedSince> {
  const redactNames = (naming: readonly string[]): Promise<string[]> =>
    Promise.all(naming.map((label) => redactName({ kind: kind.name, name: label }, redact)));
  return { source: await redactNames(since.source), target: await redactNames(since.target) };
}
