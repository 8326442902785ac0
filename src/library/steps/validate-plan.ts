import { willWrite, recordOf, type Plan } from "../../core/plan/plan.ts";
import type { EventSink, RunContext } from "../../core/events.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { warnOfLeftOutMembers, type UnknownMembers } from "../../import/refusals.ts";
import { findRefusals, itemsToValidate } from "../../import/validate/find-refusals.ts";
import { knownKind } from "../../kinds/registry.ts";
import { planAgain, type DraftedPlan, type PreparedImport } from "./prepare-import.ts";
import { redactDisplayTexts } from "../../redaction/redact-names.ts";
import { plannedDeletes } from "../../import/remove/mirror.ts";
import { partialRecord } from "../../import/plan/decide/decision.ts";

/** A dry run and a run under an approved plan ask the target; other runs learn the same from their writes. */
export async function validatePlan(
  prepared: PreparedImport,
  draft: DraftedPlan,
  context: RunContext,
): Promise<DraftedPlan> {
  const { job, options, records, unknown } = prepared;
  const { plan, sides } = draft;
  const { client, settings, dryRun, approved } = job;
  const items = dryRun || approved !== undefined ? itemsToValidate(plan, client.identity.variant) : [];
  if (items.length === 0) return draft;
  const phase = "asking the target what it would refuse";
  context.events({ type: "phase", phase, total: items.length, counts: "requests" });
  const { fitLimits = false, now } = options;
  const { concurrency } = settings;
  const input = { plan, items, client, fitLimits, now, unknown, concurrency };
  const { refused, drops } = await findRefusals(input, withoutNames(prepared, context));
  const validated = refused.size === 0 ? plan : await planAgain(prepared, sides, refused, context);
  // Only a dry run reports `drops` here: a run that writes reports them after it has read the stored records.
  const losses = [...lossesIn(validated, unknown, records), ...(dryRun ? drops : [])];
  return { sides, plan: { ...validated, warnings: [...validated.warnings, ...losses] } };
}

/** A refusal of the target may quote the names of records. */
function withoutNames({ redactNames }: PreparedImport, context: RunContext): RunContext {
  const events: EventSink = (event) => {
    if (event.type !== "warning") return context.events(event);
    context.events({ ...event, warning: redactDisplayTexts(event.warning, redactNames) });
  };
  return { ...context, events };
}

function lossesIn({ items }: Plan, unknown: UnknownMembers, records: ReadonlyMap<RecordKey, StackRecord>): Warning[] {
  return items.filter(willWrite).flatMap((item) => {
    const kind = knownKind(item.kind);
    const { body } = partialRecord(kind, recordOf(item, records), item.parts);
    return warnOfLeftOutMembers(kind, item.name, body, unknown.withoutUnknown(kind, body).leftOut);
  });
}

export function countWrites(plan: Plan): number {
  return plan.items.filter(willWrite).length + plannedDeletes(plan).length;
}
