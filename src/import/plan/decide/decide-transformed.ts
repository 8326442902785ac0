import type { TransformNotes } from "../../transform/transform-records.ts";
import type { Decision, Undecided } from "./decision.ts";
import { decisionKey } from "./decision.ts";

/** What transforms decide of a record whatever is on the target; undefined where that is for the others to say. */
export function decideTransformed(undecided: Undecided, { leftOut, collisions }: TransformNotes): Decision | undefined {
  const key = decisionKey(undecided);
  if (leftOut.has(key)) {
    const message = "transforms.leaveOut of the target names it";
    return { ...undecided, action: "skip", code: "left-out", message };
  }
  const message = collisions.get(key);
  return message === undefined ? undefined : { ...undecided, action: "blocked", code: "renamed-alike", message };
}
