import type { JsonObject } from "../../core/json.ts";
import type { ChangesSinceImport } from "../../core/plan/state.ts";
import { withoutPath } from "../../core/records/member-path.ts";
import type { Plan, PlanItem, PlannedMirror, Removal } from "../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { keyOfRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { redactName, redactDisplayTexts } from "../../redaction/redact-names.ts";
import { diffMembers } from "../../references/member-changes.ts";
import type { Translation, WriteOptions } from "../write-body.ts";
import { translationOf } from "../write-body.ts";
import { bodyOfUpdate } from "../partial-update.ts";
import { itemKey } from "../../core/plan/plan.ts";

/** The input for describing the updates of a plan. */
export interface UpdateBasis extends WriteOptions {
  /** The records as in the archive, placeholders included. */
  readonly records: readonly StackRecord[];
  /** Redacts the target's values. */
  readonly redact: Redactor;
}

/**
 * Adds to each update of the plan the changes that it makes, and to each conflict the changes that an update would make. Ids of
 * records that are still to be created are shown as in the archive. Names on the target are redacted like values.
 */
export async function describeUpdates(plan: Plan, { records, redact, ...options }: UpdateBasis): Promise<Plan> {
  const byKey = new Map(records.map((record) => [keyOfRecord(record), record]));
  const translation = translationOf(plan, options);
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
async function sinceWithoutSecrets(
  kind: ResourceKind,
  since: ChangesSinceImport,
  redact: Redactor,
): Promise<ChangesSinceImport> {
  const redactNames = (naming: readonly string[]): Promise<string[]> =>
    Promise.all(naming.map((label) => redactName({ kind: kind.name, name: label }, redact)));
  return { source: await redactNames(since.source), target: await redactNames(since.target) };
}

/**
 * Redacts the names in those parts of a plan that are shown or journalled. The records in the plan keep their names, so writes and
 * matches stay the same.
 * @param redact redacts the names in one text
 */
export function redactPlanNames(plan: Plan, redact: (text: string) => string): Plan {
  const redacted = <Part extends object>(part: Part): Part => redactDisplayTexts(part, redact);
  const redactItem = (item: PlanItem): PlanItem => ({
    ...redacted(item),
    ...(item.transformed && { transformed: item.transformed.map(redacted) }),
    ...(item.fitted && { fitted: item.fitted.map(redacted) }),
  });
  const { items, matches, unresolved, missingSecrets, warnings, mirror } = plan;
  return {
    ...plan,
    items: items.map(redactItem),
    matches: matches.map(redacted),
    unresolved: unresolved.map((entry) => ({ ...redacted(entry), candidates: entry.candidates.map(redacted) })),
    missingSecrets: missingSecrets.map(redacted),
    warnings: warnings.map(redacted),
    ...(mirror && { mirror: { ...mirror, removals: mirror.removals.map(redacted) } }),
  };
}
