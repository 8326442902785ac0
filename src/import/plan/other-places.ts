import type { Warning } from "../../core/outcome.ts";
import { joinNames } from "../../core/text/plural.ts";
import type { StackRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { Matching } from "../../matching/match-all.ts";
import type { Decision } from "./decide/decision.ts";

const MAX_NAMED = 5;

/** Names the target's records that have this record's name but keep their data in another place, as a part of a sentence. */
export function otherPlacesText(
  kind: ResourceKind,
  { id }: StackRecord,
  { elsewhere }: Pick<Matching, "elsewhere">,
): string | undefined {
  const records = elsewhere.get(kind.name)?.get(id);
  if (records === undefined) return undefined;
  const named = joinNames(records, MAX_NAMED, ({ id: targetId, name }) => `"${name}" (${targetId})`);
  const has = records.length === 1 ? "has" : "have";
  return `the target's ${named} ${has} its data on another host, or in another database or table`;
}

/** Makes a warning for each record that is created beside one of the same name, so that nobody takes one for the other. */
export function createdBeside(decisions: Iterable<Decision>, matching: Pick<Matching, "elsewhere">): Warning[] {
  return [...decisions].flatMap(({ kind, record, action }) => {
    const others = action === "create" ? otherPlacesText(kind, record, matching) : undefined;
    if (others === undefined) return [];
    const message = `the ${kind.singular} "${record.name}" is created beside what is there: ${others}; if they are the same, name it in a map file`;
    return [{ code: "created-beside", message }];
  });
}
