import { findPlaceholders } from "../redaction/placeholders.ts";
import type { PlaceholderPlace } from "../redaction/placeholders.ts";
import { withoutPath } from "../domain/member-path.ts";
import type { StackRecord } from "../domain/record.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import type { Decision } from "./decide.ts";

/** Where a record would be written with a placeholder in the place of a secret. Members that are never sent do not count. */
export function placeholdersToFill(kind: ResourceKind, record: StackRecord): PlaceholderPlace[] {
  return findPlaceholders([...kind.serverOwned, ...kind.refusedOnCreate].reduce(withoutPath, record.body));
}

/** The decision, or that the record is blocked: a placeholder is nothing that anybody wants on a stack. */
export function blockRedacted(decision: Decision): Decision {
  const { kind, record, action, targetId } = decision;
  if (action !== "create" && action !== "update") return decision;
  const count = placeholdersToFill(kind, record).reduce((sum, { rules }) => sum + rules.length, 0);
  if (count === 0) return decision;
  const what = count === 1 ? "a secret was" : `${count} secrets were`;
  const message = `${what} taken out of it when it was exported; --write-fill FILE drafts a file to name them in, --fill FILE uses it`;
  return {
    kind,
    record,
    ...(targetId !== undefined && { targetId }),
    action: "blocked",
    code: "redacted",
    message,
  };
}
