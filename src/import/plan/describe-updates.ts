import type { MemberChange } from "../../core/diff.ts";
import type { JsonObject } from "../../core/json.ts";
import { keyOfRecord, recordKey, type KindName, type StackRecord } from "../../core/records/record.ts";
import type { FindRecord, ResourceKind } from "../../core/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { createNameRedactor, redactName, redactDisplayTexts } from "../../redaction/redact-names.ts";
import { differingParts } from "../../references/compare.ts";
import { drawChanges } from "../../references/member-changes.ts";
import { partsOfTarget, type Part } from "../../references/parts.ts";
import { nameChangedReferences } from "../../references/reference-names.ts";
import { recordFinder, type Inventory } from "../../matching/inventory.ts";
import { plannedContents, type FormOptions } from "../write-body.ts";
import { warnOfMayHide } from "./update-losses.ts";
import type {
  ChangesSinceImport,
  KeptPart,
  MayHide,
  Plan,
  PlanItem,
  PlannedMirror,
  Removal,
} from "../../core/plan/plan.ts";

/** The input for describing the updates of a plan. */
export interface UpdateBasis extends FormOptions {
  /** The records as in the archive, placeholders included. */
  readonly records: readonly StackRecord[];
  readonly inventory: Inventory;
  /** Redacts the target's values. */
  readonly redact: Redactor;
}

/**
 * Adds to each update of the plan the changes that it makes, and to each conflict the changes that an update would make. Ids of
 * records that are still to be created are shown as in the archive. Names on the target are redacted like values.
 */
export async function describeUpdates(
  plan: Plan,
  { records, inventory, redact, ...options }: UpdateBasis,
): Promise<Plan> {
  const byKey = new Map(records.map((record) => [keyOfRecord(record), record]));
  const findOnTarget = recordFinder(inventory);
  // A reference to a record that is still to be created contains the record's id from the archive, so the archive is searched, too.
  const finders = [findOnTarget, (kind: KindName, id: string) => byKey.get(recordKey(kind, id))];
  const contentOf = plannedContents(plan, options);
  const items: PlanItem[] = [];
  for (const item of plan.items) items.push(await describeItem(item, { contentOf, finders, redact }));
  const ofKept = plan.items.flatMap(({ kind, kept = [] }) => kept.map(({ label }) => ({ kind, name: label })));
  const redactLabels = await createNameRedactor(ofKept, redact);
  const named = plan.warnings.map((warning) => redactDisplayTexts(warning, redactLabels));
  const warnings = [...named, ...warnOfMayHide(items)];
  return { ...plan, items, warnings, ...(plan.mirror && { mirror: await mirrorWithoutSecrets(plan.mirror, redact) }) };
}

async function mirrorWithoutSecrets(mirror: PlannedMirror, redact: Redactor): Promise<PlannedMirror> {
  const withoutSecrets = async (removal: Removal) => ({ ...removal, name: await redactName(removal, redact) });
  return { ...mirror, removals: await Promise.all(mirror.removals.map(withoutSecrets)) };
}

interface Describing {
  readonly contentOf: ReturnType<typeof plannedContents>;
  readonly finders: readonly FindRecord[];
  readonly redact: Redactor;
}

async function describeItem(item: PlanItem, { contentOf, finders, redact }: Describing): Promise<PlanItem> {
  const kind = findKind(item.kind);
  const { targetName, replaces, since, mayHide, kept } = item;
  if (kind === undefined) return item;
  const redactedNames = {
    ...(targetName !== undefined && { targetName: await redactName({ kind: kind.name, name: targetName }, redact) }),
    ...(since !== undefined && { since: await sinceWithoutSecrets(kind, since, redact) }),
    ...(mayHide !== undefined && { mayHide: await mayHideWithoutSecrets(kind, mayHide, redact) }),
    ...(kept !== undefined && { kept: await keptWithoutSecrets(kind, kept, redact) }),
  };
  const isDescribed = item.action === "update" || since !== undefined;
  if (!isDescribed || replaces === undefined) return { ...item, ...redactedNames };
  const sent = contentOf(item);
  const versions = { left: (await redact(kind, replaces.body)).body, right: (await redact(kind, sent)).body };
  const differing = differingParts(partsOfTarget(kind, sent), partsOfTarget(kind, replaces.body));
  const [from, to] = [partsByKey(kind, versions.left), partsByKey(kind, versions.right)];
  const drawn = drawChanges(
    kind,
    differing.map(({ key }) => ({ source: from.get(key), target: to.get(key) })),
  );
  const changes = nameChangedReferences(kind, drawn, versions, finders);
  return {
    ...item,
    ...redactedNames,
    changes: await Promise.all(changes.map((change) => withoutSecretNames(change, kind.name, redact))),
  };
}

function partsByKey(kind: ResourceKind, body: JsonObject): ReadonlyMap<string, Part> {
  return new Map(partsOfTarget(kind, body).map((part) => [part.key, part]));
}

/** Redacts the names of referenced records. The redacted bodies do not contain these names, so nothing else has redacted them. */
async function withoutSecretNames(change: MemberChange, kind: KindName, redact: Redactor): Promise<MemberChange> {
  const { fromName, toName } = change;
  return {
    ...change,
    ...(fromName !== undefined && { fromName: await redactName({ kind, name: fromName }, redact) }),
    ...(toName !== undefined && { toName: await redactName({ kind, name: toName }, redact) }),
  };
}

/** Redacts the labels of changed parts, because they contain names of tiles. */
async function sinceWithoutSecrets(
  kind: ResourceKind,
  since: ChangesSinceImport,
  redact: Redactor,
): Promise<ChangesSinceImport> {
  const { source, target } = since;
  return {
    source: await namesWithoutSecrets(kind, source, redact),
    target: await namesWithoutSecrets(kind, target, redact),
  };
}

/** Redacts the labels of parts that stay as they are, because they contain names of tiles. */
async function keptWithoutSecrets(
  kind: ResourceKind,
  kept: readonly KeptPart[],
  redact: Redactor,
): Promise<readonly KeptPart[]> {
  const labels = await namesWithoutSecrets(
    kind,
    kept.map(({ label }) => label),
    redact,
  );
  return kept.map(({ key, label }, at) => ({ key, label: labels[at] ?? label }));
}

/** Redacts the names of tiles. The record that is the sign of hidden tiles is named like every record, so it is redacted elsewhere. */
async function mayHideWithoutSecrets(kind: ResourceKind, mayHide: MayHide, redact: Redactor): Promise<MayHide> {
  return {
    ...mayHide,
    settings: await namesWithoutSecrets(kind, mayHide.settings, redact),
    notHeld: await namesWithoutSecrets(kind, mayHide.notHeld, redact),
  };
}

function namesWithoutSecrets(kind: ResourceKind, names: readonly string[], redact: Redactor): Promise<string[]> {
  return Promise.all(names.map((name) => redactName({ kind: kind.name, name }, redact)));
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
