import type { StackRecord } from "../../../core/records/record.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import type { ImportOptions } from "../../../matching/import-options.ts";
import type { Decision } from "./decision.ts";

/** A record that has its counterpart on the target. */
export type Paired = Pick<Decision, "kind" | "record" | "targetName"> & { readonly targetId: string };

/** What `--on-conflict` says of a record that the target has with other content. @param ours an earlier import has written it */
export function decideConflict(
  there: Paired,
  target: StackRecord,
  ours: boolean,
  { onConflict }: ImportOptions,
): Decision {
  const { kind, record } = there;
  if (onConflict === "update") return { ...there, action: "update", replaces: target };
  // A copy that an earlier run made is that copy, whatever became of it since.
  if (onConflict === "duplicate" && !ours) return { kind, record, action: "create" };
  const message = `the target has this ${nounOf(kind.name)} with other content; --on-conflict chooses what to do with it`;
  if (onConflict === "fail") return { ...there, action: "blocked", code: "conflict", message };
  return { ...there, action: "skip", code: "exists", message };
}
