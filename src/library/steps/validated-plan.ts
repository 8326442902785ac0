import type { RunContext } from "../../core/events.ts";
import type { ManualMapping, Plan } from "../../core/plan/plan.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import type { UnknownMembers } from "../../import/apply/unknown-members.ts";
import { lossesOf } from "../../import/apply/unknown-members.ts";
import { itemKey } from "../../import/plan/plan-import.ts";
import { findRefusals, updatesThatAdd, validatable } from "../../import/validate/find-refusals.ts";
import { knownKind } from "../../kinds/registry.ts";
import type { PreparedImport } from "./import-steps.ts";
import { expectedWork } from "./expected-work.ts";
import { readFrom } from "./import-steps.ts";
import { wholeInventory } from "../../matching/whole-inventory.ts";

/** When the target is asked what it would refuse: `auto` is in a dry run, and before a run whose requests it hardly adds to. */
export type ValidateMode = "auto" | "always" | "never";

/** At most so much of a run's requests is spent on questions, unless it is told to ask. */
const MAX_SHARE = 0.1;

export interface ValidationRequest {
  readonly validate: ValidateMode;
  readonly dryRun: boolean;
  /** That the plan was made with. */
  readonly mapping: ManualMapping;
}

/**
 * The plan, made again without the creates that the target says it would refuse (`would-be-refused`) and without the updates of which
 * it would keep nothing (`not-kept`): so these and what needs them are known before anything is written. What it would refuse a record
 * for by name is told as a loss (`left-out`), and so is, in a dry run, what it would drop (`not-stored`).
 */
export async function validatedPlan(
  prepared: PreparedImport,
  first: Plan,
  { validate, dryRun, mapping }: ValidationRequest,
  context: RunContext,
): Promise<Plan> {
  const { job, filled, planWith, unknown, now } = prepared;
  const plan = await planOnWholeRecords(prepared, first, mapping, context);
  const { client, settings, options } = job;
  const { labels, adapt = false } = options;
  const read = readFrom(filled);
  const input = { plan, client, labels, adapt, now, unknown, read, concurrency: settings.concurrency };
  const all = validate === "never" ? [] : validatable(plan, client.identity.variant);
  const work = expectedWork(plan, settings);
  const isCheap = all.length < MAX_SHARE * (client.requestCounts().total + work.requests);
  const isAskedAll = validate === "always" || dryRun || isCheap;
  // One question instead of a look and a write, where the target keeps nothing of what is new.
  const asked = isAskedAll ? all : await updatesThatAdd(all, input);
  if (asked.length === 0) return plan;
  const phase = "asking the target what it would refuse";
  context.events({ type: "phase", phase, total: asked.length, requests: asked.length, limit: work.limit });
  const { drops, ...verdicts } = await findRefusals({ ...input, asked }, context);
  const isAsBefore = verdicts.refused.size + verdicts.notKept.size === 0;
  const validated = isAsBefore ? plan : await planWith(mapping, verdicts);
  // A run that writes tells of them when it has read what is stored.
  const losses = [...(await lossesIn(validated, unknown, read)), ...(dryRun ? drops : [])];
  return { ...validated, warnings: [...validated.warnings, ...losses] };
}

/** What the records of a plan are written without. */
async function lossesIn(
  { items }: Plan,
  unknown: UnknownMembers,
  read: (key: RecordKey) => Promise<StackRecord>,
): Promise<Warning[]> {
  const losses: Warning[] = [];
  for (const item of items) {
    if (item.action !== "create" && item.action !== "update") continue;
    const kind = knownKind(item.kind);
    const { body } = await read(itemKey(item));
    losses.push(...lossesOf(kind, item.name, body, unknown.reduce(kind, body).lost));
  }
  return losses;
}

/**
 * The plan, made again with whole records of the target where its lists leave members out: an update must not clear, and a journal
 * must not lack, what a list does not show. Costs a request for each kind that is updated.
 */
async function planOnWholeRecords(
  prepared: PreparedImport,
  plan: Plan,
  mapping: ManualMapping,
  context: RunContext,
): Promise<Plan> {
  const differing = plan.items.flatMap(({ action, code, replaces }): StackRecord[] =>
    replaces !== undefined && (action === "update" || code === "edited" || code === "both-changed") ? [replaces] : [],
  );
  const samples = [...new Map(differing.toReversed().map((record) => [record.kind, record])).values()];
  const whole = await wholeInventory(prepared.inventory, samples, prepared.job.client, context);
  if (whole === undefined) return plan;
  prepared.planOn(whole);
  return prepared.planWith(mapping);
}
