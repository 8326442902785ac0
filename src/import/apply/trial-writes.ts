import type { JsonObject } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import { itemKey, type PlanItem } from "../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { findKind } from "../../kinds/registry.ts";

/** The result of one write of a record. */
export type WriteResult = Pick<Outcome, "status"> & Partial<Outcome>;

/** A form of records of which nothing tells, before a write, whether the target takes it. */
export interface Trial {
  readonly form: string;
  /** Returns the result of all other records of the form, unsent, if the result of this one shows that the target does not take it. */
  readonly verdict: (end: WriteResult) => WriteResult | undefined;
}

/** Sends the first record of each form alone. What its answer shows counts for the others. */
export class TrialWrites {
  readonly #first = new Map<string, { readonly trial: Trial; readonly end: Promise<WriteResult> }>();

  async write(trial: Trial | undefined, send: () => Promise<WriteResult>): Promise<WriteResult> {
    if (trial === undefined) return send();
    const earlier = this.#first.get(trial.form);
    if (earlier !== undefined) return earlier.trial.verdict(await earlier.end) ?? send();
    const end = send();
    this.#first.set(trial.form, { trial, end });
    return end;
  }
}

/**
 * Tells whether nothing proves that the target takes the record: some deployments cannot create a kind, and some keep only a part of
 * a record.
 * @param answers the target's answers to the writes so far
 */
export function trialOf(
  item: PlanItem,
  record: StackRecord | undefined,
  answers: ReadonlyMap<RecordKey, JsonObject>,
): Trial | undefined {
  const { kind: name, action } = item;
  const kind = findKind(name);
  if (action === "create" && kind?.importPolicy.when === "on-request") {
    return { form: `create ${name}`, verdict: (end) => (end.code === "not-offered" ? end : undefined) };
  }
  const held = record && kind?.heldInPart?.(record.body);
  if (held === undefined) return undefined;
  const verdict = ({ code }: WriteResult): WriteResult | undefined => {
    const answer = answers.get(itemKey(item));
    return code === "not-stored" && answer !== undefined && !held.isWhole(answer)
      ? { status: "failed", action: "blocked", ...held.refusal }
      : undefined;
  };
  return { form: `${name} ${held.refusal.code}`, verdict };
}
