import { willWrite, recordOf, type Plan } from "../../core/plan/plan.ts";
import type { RunContext } from "../../core/events.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { warnOfLeftOutMembers, type UnknownMembers } from "../../import/refusals.ts";
import { findRefusals, itemsToValidate } from "../../import/validate/find-refusals.ts";
import { knownKind } from "../../kinds/registry.ts";
import { planAgain, type DraftedPlan, type PreparedImport } from "./prepare-import.ts";
import { redactDisplayTexts } from "../../redaction/redact-names.ts";
import { plannedDeletes } from "../../import/remove/mirror.ts";
import { partialRecord } from "../../import/plan/decide/decision.ts";

/**
 * In a dry run or under an approved plan, asks the target to validate the creates, and plans again without those that
 * the target would refuse (`would-be-refused`). Adds warnings about members that the target refuses by name
 * (`left-out`); in a dry run, also about members that it would not store (`not-stored`).
 */
export async function validatePlan(
  prepared: PreparedImport,
  draft: DraftedPlan,
  context: RunContext,
): Promise<DraftedPlan> {
  const { job, options, records, unknown } = prepared;
  const { plan, sides } = draft;
  const { client, settings, dryRun, approved } = job;
  const { fitLimits = false, now } = options;
  const input = { plan, client, fitLimits, now, unknown, concurrency: settings.concurrency };
  // Any other run learns the same from its writes. A run under an approved plan asks, because the dry run of that plan has asked.
  const questions = dryRun || approved !== undefined ? itemsToValidate(plan, client.identity.variant) : [];
  if (questions.length === 0) return draft;
  const phase = "asking the target what it would refuse";
  context.events({ type: "phase", phase, total: questions.length, counts: "requests" });
  const { refused, drops } = await findRefusals({ ...input, items: questions }, withoutNames(prepared, context));
  const validated = refused.size === 0 ? plan : await planAgain(prepared, sides, refused, context);
  // A run that writes reports such members after it has read the stored records.
  const losses = [...lossesIn(validated, unknown, records), ...(dryRun ? drops : [])];
  return { sides, plan: { ...validated, warnings: [...validated.warnings, ...losses] } };
}

/** Redacts the names of records in warnings, because a refusal of the target may quote them. */
function withoutNames({ redactNames }: PreparedImport, context: RunContext): RunContext {
  return {
    ...context,
    events: (event) =>
      context.events(
        event.type === "warning" ? { ...event, warning: redactDisplayTexts(event.warning, redactNames) } : event,
      ),
  };
}

/** Warns of the members that are left out of the plan's records. */
function lossesIn({ items }: Plan, unknown: UnknownMembers, records: ReadonlyMap<RecordKey, StackRecord>): Warning[] {
  const losses: Warning[] = [];
  for (const item of items) {
    if (!willWrite(item)) continue;
    const kind = knownKind(item.kind);
    const { body } = partialRecord(kind, recordOf(item, records), item.parts);
    losses.push(...warnOfLeftOutMembers(kind, item.name, body, unknown.withoutUnknown(kind, body).leftOut));
  }
  return losses;
}

export function countWrites(plan: Plan): number {
  return plan.items.filter(willWrite).length + plannedDeletes(plan).length;
}
