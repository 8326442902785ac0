import type { RunContext } from "../../core/events.ts";
import type { ManualMapping, Plan } from "../../core/importing/plan.ts";
import { findRefusals, validatable } from "../../import/validate/find-refusals.ts";
import type { PreparedImport } from "./import-steps.ts";
import { expectedWork, readFrom } from "./import-steps.ts";

/** When the target is asked what it would refuse: `auto` is in a dry run, and before a run whose requests it hardly adds to. */
export type ValidateMode = "auto" | "always" | "never";

/** At most so much of a run's requests is spent on questions, unless it is told to ask. */
const MOST_SHARE = 0.1;

export interface ValidationRequest {
  readonly validate: ValidateMode;
  readonly dryRun: boolean;
  /** That the plan was made with. */
  readonly mapping: ManualMapping;
}

/**
 * The plan, made again without the creates that the target says it would refuse (`would-be-refused`): so these and what needs
 * them are known before anything is written.
 */
export async function validatedPlan(
  { job, filled, planWith }: PreparedImport,
  plan: Plan,
  { validate, dryRun, mapping }: ValidationRequest,
  context: RunContext,
): Promise<Plan> {
  const { client, settings, options } = job;
  const questions = validatable(plan, client.identity.variant).length;
  const work = expectedWork(plan, settings);
  const isCheap = questions < MOST_SHARE * (client.requestCounts().total + work.requests);
  if (questions === 0 || validate === "never" || (validate === "auto" && !dryRun && !isCheap)) return plan;
  const phase = "asking the target what it would refuse";
  context.events({ type: "phase", phase, total: questions, requests: questions, limit: work.limit });
  const { labels, adapt = false } = options;
  const input = { plan, client, labels, adapt, read: readFrom(filled), concurrency: settings.concurrency };
  const refused = await findRefusals(input, context);
  return refused.size === 0 ? plan : await planWith(mapping, refused);
}
