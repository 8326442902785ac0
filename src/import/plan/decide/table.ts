import type { OutcomeCode } from "../../../core/codes.ts";
import type { ConflictPolicy, PlanItem } from "../../../core/plan/plan.ts";
import type { Change } from "../../../references/compare.ts";

/** `merge` writes only parts that the source alone has changed or added. */
export interface Verdict extends Pick<PlanItem, "code" | "message"> {
  readonly action: "unchanged" | "update" | "merge" | "skip" | "blocked";
}

const EDITED = "changed on the target alone since the last run";
const BOTH_CHANGED = "changed on both sides since the last run";
const UNKNOWN =
  "other content on the target, and nothing tells who changed it, or this archive is older than the last one";
const UNFINISHED =
  "an earlier run was cut short before it set links of this record, and the target has something else than the run sent; compare both: --on-conflict overwrite writes what the archive has, and the links";

const unchanged: Verdict = { action: "unchanged" };
const update: Verdict = { action: "update" };
const merge: Verdict = { action: "merge" };
const skip = (code: OutcomeCode, message: string): Verdict => ({ action: "skip", code, message });
const conflict = (code: OutcomeCode, message: string): Verdict => ({ action: "blocked", code, message });
const overwrite = (code: OutcomeCode, why: string): Verdict => ({
  action: "update",
  code,
  message: `${why}; overwritten`,
});

/** The gravest change among the parts of a record chooses the row, `--on-conflict` the column. */
const TABLE: Readonly<Record<Change, Readonly<Record<ConflictPolicy, Verdict>>>> = {
  same: { keep: unchanged, merge: unchanged, overwrite: unchanged, fail: unchanged },
  here: { keep: update, merge, overwrite: update, fail: update },
  there: {
    keep: skip("edited", EDITED),
    merge: skip("edited", EDITED),
    overwrite: overwrite("edited", EDITED),
    fail: conflict("edited", EDITED),
  },
  both: {
    keep: skip("both-changed", BOTH_CHANGED),
    merge,
    overwrite: overwrite("both-changed", BOTH_CHANGED),
    fail: conflict("both-changed", BOTH_CHANGED),
  },
  unknown: { keep: skip("exists", UNKNOWN), merge, overwrite: update, fail: conflict("exists", UNKNOWN) },
};

/** @param lacksLinks a killed run left the record without its links; if kept, the record would stay half done */
export function decideByTable(change: Change, policy: ConflictPolicy, lacksLinks: boolean): Verdict {
  if (change === "unknown" && policy === "keep" && lacksLinks)
    return { action: "blocked", code: "unfinished-import", message: UNFINISHED };
  return TABLE[change][policy];
}

export function isConflict({ action, code }: Pick<PlanItem, "action" | "code">): boolean {
  return action === "blocked" && (code === "edited" || code === "both-changed" || code === "exists");
}
