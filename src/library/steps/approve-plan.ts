import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { ManualMapping, Plan } from "../../core/plan/plan.ts";
import { shortDigest } from "../../core/plan/plan-digest.ts";
import { digestPlan } from "../../import/plan/plan-digest.ts";
import { matchSides } from "../../import/plan/plan-import.ts";
import { basisOfApprovedPlan, runOfApprovedPlan, type ApprovedBasis } from "../../import/read/cut-short-run.ts";
import { recordFinder, type Inventory } from "../../matching/inventory.ts";
import { planAgain, type DraftedPlan, type PreparedImport } from "./prepare-import.ts";
import { countWrites } from "./validate-plan.ts";

/** Returns the digest of a plan of this import. */
export async function digestOf(
  { job, options, redact }: Pick<PreparedImport, "job" | "options" | "redact">,
  plan: Plan,
): Promise<string> {
  const identify = job.files?.identify;
  return digestPlan(plan, { ...options, redact, ...(identify && { identify }) });
}

/** The approved plan that a run may carry out. */
export interface ApprovedPlan {
  /** The whole digest of the approved plan. */
  readonly digest: string;
  /** The run that has carried the plan out already. Then nothing is left to write. */
  readonly carriedOutBy?: Plan["carriedOutBy"];
}

/**
 * Returns the approved plan if it is the present plan, or if the present plan is the rest of it: of a run that was cut short, or of
 * one that has left nothing to write. Undefined if another plan was approved.
 * @param approved the digest that was given, or its first digits; `digest`: that of the present plan
 */
export async function approvedPlan(
  approved: string,
  { digest, plan }: { readonly digest: string; readonly plan: Plan },
  prepared: PreparedImport,
  drafted: DraftedPlan,
  context: RunContext,
): Promise<ApprovedPlan | undefined> {
  if (digest.startsWith(approved)) return { digest };
  const { history, journal } = prepared;
  const entries = await journal.read();
  const done = countWrites(plan) === 0 ? runOfApprovedPlan(entries, approved) : undefined;
  if (done !== undefined) return { digest: done.plan, carriedOutBy: { run: done.run, at: done.at } };
  const basis = basisOfApprovedPlan(entries, history, drafted.sides.inventory);
  if (basis === undefined || !basis.plan.startsWith(approved)) return undefined;
  return (await digestAt(basis, prepared, drafted, context)) === basis.plan ? { digest: basis.plan } : undefined;
}

/** @param plan the present plan, with its digest */
export function planChangedError(plan: Plan): StackferryError {
  const isEmpty = countWrites(plan) === 0;
  const hint = `Read the plan as it is now. To carry it out: --plan ${shortDigest(plan.digest ?? "")}`;
  return new StackferryError("plan-changed", "the plan is not the approved one, so nothing was written", {
    hint: isEmpty ? "Nothing is left to write, and no run that the journal knows has carried out that plan." : hint,
  });
}

/** Plans again with what the journal and the target were before the run that was cut short, and returns that plan's digest. */
async function digestAt(
  { history, inventory }: ApprovedBasis,
  prepared: PreparedImport,
  { verdicts }: DraftedPlan,
  context: RunContext,
): Promise<string> {
  const { paired } = prepared.options;
  const options = { ...prepared.options, ...(paired && { paired: pairsIn(inventory, paired) }) };
  const sides = await matchSides({ ...prepared.asOf(history, inventory), inventory, options }, context.signal);
  return digestOf(prepared, await planAgain(prepared, sides, verdicts, context));
}

/** Leaves out the pairs whose record of the target the run has created. */
function pairsIn(inventory: Inventory, paired: ManualMapping): ManualMapping {
  const find = recordFinder(inventory);
  const isThere = (kind: string, to: unknown): boolean => typeof to !== "string" || find(kind, to) !== undefined;
  return Object.fromEntries(
    Object.entries(paired).map(([kind, pairs]) => [
      kind,
      Object.fromEntries(Object.entries(pairs).filter(([, to]) => isThere(kind, to))),
    ]),
  );
}
