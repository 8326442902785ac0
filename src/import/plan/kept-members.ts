import type { Warning } from "../../core/outcome.ts";
import { formatPointer } from "../../core/records/member-path.ts";
import type { Decision } from "./decide/decision.ts";

/** A warning for each member that the target's record has, the archive's has not, and no update removes. */
export function warnOfKept({ action, kind, record, replaces }: Decision): Warning[] {
  if (action !== "update" || replaces === undefined) return [];
  const kept = (kind.keptOnUpdate ?? []).filter(
    (member) => (replaces.body[member] ?? null) !== null && (record.body[member] ?? null) === null,
  );
  const message = `no update removes this member of the ${kind.singular} "${record.name}", so the target keeps it`;
  return kept.map((member) => ({ code: "cannot-remove", message, pointer: formatPointer([member]) }));
}
