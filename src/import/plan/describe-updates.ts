import type { JsonObject } from "../../core/json.ts";
import { keyOfRecord, recordKey, type KindName, type StackRecord } from "../../core/records/record.ts";
import type { FindRecord, ResourceKind } from "../../core/resource-kind.ts";
import { knownKind } from "../../kinds/registry.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { redactDisplayTexts } from "../../redaction/redact-names.ts";
import { differingParts } from "../../references/compare.ts";
import { drawChanges } from "../../references/member-changes.ts";
import { partsOfTarget, type Part } from "../../references/parts.ts";
import { nameChangedReferences } from "../../references/reference-names.ts";
import { recordFinder, type Inventory } from "../../matching/inventory.ts";
import { plannedContents, type FormOptions } from "../write-body.ts";
import { warnOfMayHide } from "./update-losses.ts";
import type { MayHide, Plan, PlanItem } from "../../core/plan/plan.ts";

export interface UpdateBasis extends FormOptions {
  /** As in the archive, placeholders included. */
  readonly records: readonly StackRecord[];
  readonly inventory: Inventory;
  readonly redact: Redactor;
  readonly redactNames: (text: string) => string;
}

export async function describeUpdates(
  plan: Plan,
  { records, inventory, redact, redactNames, ...options }: UpdateBasis,
): Promise<Plan> {
  const byKey = new Map(records.map((record) => [keyOfRecord(record), record]));
  const findOnTarget = recordFinder(inventory);
  // References to records that are still to be created contain ids from the archive.
  const finders = [findOnTarget, (kind: KindName, id: string) => byKey.get(recordKey(kind, id))];
  const contentOf = plannedContents(plan, options);
  const items: PlanItem[] = [];
  for (const item of plan.items) items.push(await describeItem(item, contentOf, finders, redact));
  return redactPlanNames({ ...plan, items, warnings: [...plan.warnings, ...warnOfMayHide(items)] }, redactNames);
}

async function describeItem(
  item: PlanItem,
  contentOf: ReturnType<typeof plannedContents>,
  finders: readonly FindRecord[],
  redact: Redactor,
): Promise<PlanItem> {
  const { replaces, since, action } = item;
  if (replaces === undefined || (action !== "update" && since === undefined)) return item;
  const kind = knownKind(item.kind);
  const sent = contentOf(item);
  const versions = { left: (await redact(kind, replaces.body)).body, right: (await redact(kind, sent)).body };
  const differing = differingParts(partsOfTarget(kind, sent), partsOfTarget(kind, replaces.body));
  const [from, to] = [partsByKey(kind, versions.left), partsByKey(kind, versions.right)];
  const drawn = drawChanges(
    kind,
    differing.map(({ key }) => ({ source: from.get(key), target: to.get(key) })),
  );
  return { ...item, changes: nameChangedReferences(kind, drawn, versions, finders) };
}

function partsByKey(kind: ResourceKind, body: JsonObject): ReadonlyMap<string, Part> {
  return new Map(partsOfTarget(kind, body).map((part) => [part.key, part]));
}

/** Whole records, such as `replaces`, keep their names, because the writes use them. */
export function redactPlanNames(plan: Plan, redact: (text: string) => string): Plan {
  const redacted = <Part extends object>(part: Part): Part => redactDisplayTexts(part, redact);
  const redactItem = (item: PlanItem): PlanItem => {
    const { transformed, fitted, kept, since, mayHide, changes } = item;
    return {
      ...redacted(item),
      ...(transformed && { transformed: transformed.map(redacted) }),
      ...(fitted && { fitted: fitted.map(redacted) }),
      ...(kept && { kept: kept.map(redacted) }),
      ...(since && { since: { source: since.source.map(redact), target: since.target.map(redact) } }),
      ...(mayHide && { mayHide: mayHideRedacted(mayHide, redact) }),
      ...(changes && { changes: changes.map(redacted) }),
    };
  };
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

function mayHideRedacted({ settings, notHeld, hint }: MayHide, redact: (text: string) => string): MayHide {
  const names = { settings: settings.map(redact), notHeld: notHeld.map(redact) };
  return { ...names, ...(hint !== undefined && { hint: redact(hint) }) };
}
