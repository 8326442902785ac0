import type { TargetVerdicts } from "../../../core/importing/plan.ts";
import type { Excess } from "../../../kinds/limits.ts";
import { findExcess } from "../../../kinds/limits.ts";
import type { ImportOptions } from "../../../matching/import-options.ts";
import { applyLabels } from "../../../matching/labels.ts";
import type { ArchiveIndex } from "../../../references/archive-index.ts";
import type { Decision } from "./decision.ts";
import { decisionKey } from "./decision.ts";

/** Of the members that have to change: a dashboard can have hundreds. */
const MOST_NAMED = 5;

/** What a decision about a body rests on. */
interface BodyBasis {
  readonly archive: ArchiveIndex;
  readonly options: ImportOptions;
  readonly verdicts: TargetVerdicts;
}

/** The decision, or that the body cannot be written: by what is known of the API, and by what the target says of it. */
export function judgeBody(decision: Decision, { archive, options, verdicts }: BodyBasis): Decision {
  const { action } = decision;
  const key = decisionKey(decision);
  const lacked = action === "update" ? verdicts.notKept.get(key) : undefined;
  if (lacked !== undefined) return asItIs(decision, lacked);
  const reason = action === "create" ? verdicts.refused.get(key) : undefined;
  const { namePrefix, tags } = options.labels;
  const { kind } = decision;
  const isTimed = kind.limits.some((limit) => limit.rule === "fits" && limit.timed === true);
  const mayExceed = isTimed || archive.excessive.has(key) || namePrefix !== undefined || tags.length > 0;
  if (reason === undefined) return mayExceed ? judgeLimits(decision, options) : decision;
  return { ...decision, action: "blocked", code: "would-be-refused", message: `the target would refuse it: ${reason}` };
}

/** Nothing is written where the target has what it would keep of it. */
function asItIs({ kind, record, targetId, targetName }: Decision, lacked: readonly string[]): Decision {
  const there = { ...(targetId !== undefined && { targetId }), ...(targetName !== undefined && { targetName }) };
  return { kind, record, ...there, action: "unchanged", code: "not-kept", lacked, isSaid: true };
}

/**
 * The decision, with what `--adapt` changes in the record, or that it is blocked: the API shows records in forms that it
 * refuses, and that is better known before anything is written.
 */
function judgeLimits(decision: Decision, { adapt = false, labels, now }: ImportOptions): Decision {
  const { action, kind, record } = decision;
  if (action !== "create" && action !== "update") return decision;
  const excess = findExcess(kind, applyLabels(kind, record.body, labels), now);
  if (excess.length === 0) return decision;
  const fixed = excess.filter((each) => each.fixed);
  if (fixed.length > 0) {
    const message = `the API takes only ${named(fixed)}, and anything else in its place would change its meaning; change it on the stack that it is from`;
    return { ...decision, action: "blocked", code: "over-limit", message };
  }
  if (!adapt) {
    const message = `the API refuses the form in which it shows this record; --adapt would write ${named(excess)}`;
    return { ...decision, action: "blocked", code: "needs-adapting", message };
  }
  return { ...decision, adaptations: excess.map(({ pointer, change }) => ({ pointer, change })) };
}

function named(excess: readonly Excess[]): string {
  const some = excess.slice(0, MOST_NAMED).map(({ pointer, change }) => `${pointer}: ${change}`);
  const more = excess.length > some.length ? [`and ${excess.length - some.length} more`] : [];
  return [...some, ...more].join(", ");
}
