import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { ManualMapping, Plan } from "../../core/plan/plan.ts";
import { shortDigest } from "../../core/plan/plan-digest.ts";
import { digestPlan } from "../../import/plan/plan-digest.ts";
import { matchSides } from "../../import/plan/plan-import.ts";
import { basisOfApprovedPlan, type ApprovedBasis } from "../../import/read/cut-short-run.ts";
import { recordFinder, type Inventory } from "../../matching/inventory.ts";
import { planAgain, type DraftedPlan, type PreparedImport } from "./prepare-import.ts";

/** Returns the digest of a plan of this import. */
export async function digestOf(
  { job, options, redact }: Pick<PreparedImport, "job" | "options" | "redact">,
  plan: Plan,
): Promise<string> {
  const identify = job.files?.identify;
  return digestPlan(plan, { ...options, redact, ...(identify && { identify }) });
}

/**
 * Returns the whole digest of the approved plan: that of the present plan, if it is the approved one; or that of the run that was cut
 * short, if the present plan is the rest of it. Undefined if another plan was approved.
 * @param approved the digest that was given, or its first digits; `digest`: that of the present plan
 */
export async function approvedDigest(
  { approved, digest }: { readonly approved: string; readonly digest: string },
  prepared: PreparedImport,
  drafted: DraftedPlan,
  context: RunContext,
): Promise<string | undefined> {
  if (digest.startsWith(approved)) return digest;
  const { history, journal } = prepared;
  const basis = basisOfApprovedPlan(await journal.read(), history, drafted.sides.inventory);
  if (basis === undefined || !basis.plan.startsWith(approved)) return undefined;
  return (await digestAt(basis, prepared, drafted, context)) === basis.plan ? basis.plan : undefined;
}

/** @param digest the digest of the present plan */
export function planChangedError(digest: string): StackferryError {
  return new StackferryError("plan-changed", "the plan is not the approved one, so nothing was written", {
    hint: `Read the plan as it is now. To carry it out: --plan ${shortDigest(digest)}`,
  });
}

/** Plans again with what the journal and the target were before the run that was cut short, and returns that plan's digest. */
async function digestAt(
  { history, inventory }: ApprovedBasis,
  prepared: PreparedImport,
  { verdicts }: DraftedPlan,
  context: RunContext,
): Promise<string> {
  const before = { ...prepared, ...prepared.asOf(history, inventory) };
  const { paired } = prepared.options;
  const options = { ...prepared.options, ...(paired && { paired: pairsIn(inventory, paired) }) };
  const sides = await matchSides({ ...before.planInput, inventory, options }, context.signal);
  return digestOf(before, await planAgain(before, sides, verdicts, context));
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
