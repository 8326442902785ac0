import type { ConflictPolicy, PlanItem } from "../../../core/plan/plan.ts";
import type { Change } from "../../../references/compare.ts";

/** The action for a record with a counterpart, and the reason. `merge`: the parts are written that changed at the source alone, if any. */
export interface Verdict extends Pick<PlanItem, "code" | "message"> {
  readonly action: "unchanged" | "update" | "merge" | "skip" | "blocked";
}

/**
 * The table of decisions. The gravest change among the parts of a record chooses the row, `--on-conflict` the column. A record without
 * a counterpart is created. To keep a record that a killed run left without its links would leave it half done.
 */
export function decideByTable(change: Change, policy: ConflictPolicy, lacksLinks = false): Verdict {
  switch (change) {
    case "same":
      return { action: "unchanged" };
    case "here":
      return { action: policy === "merge" ? "merge" : "update" };
    case "there":
      return decideConflict(policy, "edited", EDITED, false);
    case "both":
      return decideConflict(policy, "both-changed", BOTH_CHANGED, true);
    case "unknown":
      if (lacksLinks && policy === "keep") return { action: "blocked", code: "unfinished-import", message: UNFINISHED };
      return decideConflict(policy, "exists", UNKNOWN, true);
  }
}

function decideConflict(policy: ConflictPolicy, code: string, why: string, canMerge: boolean): Verdict {
  const kept = { code, message: why };
  switch (policy) {
    case "keep":
      return { action: "skip", ...kept };
    case "merge":
      return canMerge ? { action: "merge" } : { action: "skip", ...kept };
    case "overwrite":
      return code === "exists"
        ? { action: "update" }
        : { action: "update", code, message: `${why}; overwritten by --on-conflict overwrite` };
    case "fail":
      break;
  }
  return { action: "blocked", code: "conflict", message: why };
}

const EDITED = "changed on the target since the last import, and not in the archive";
const BOTH_CHANGED = "changed on both sides since the last import";
const UNKNOWN = "other content on the target, and nothing tells who changed it";
const UNFINISHED =
  "an earlier run was cut short before it set links of this record, and the target has something else than the run sent; compare both: --on-conflict overwrite writes what the archive has, and the links";
