import { groupBy, partition } from "../../core/collections.ts";
import type { Outcome } from "../../core/outcome.ts";
import { itemKey, type PlanItem } from "../../core/plan/plan.ts";
import type { RecordKey } from "../../core/records/record.ts";
import { upperFirst } from "../../core/text/format.ts";
import type { RecordGroup, RecordItem } from "../document.ts";

export interface ExplainedItem {
  readonly item: RecordItem;
  readonly outcome: Pick<Outcome, "kind" | "sourceId" | "code" | "message">;
}

/**
 * Groups records by their reason. A record that is blocked because another one is blocked belongs to the group of that one, so that
 * a connection that 24 records need is named once. What the reader can do stands behind the first `; ` of a message.
 */
export function groupByReason(
  records: readonly ExplainedItem[],
  planItems: ReadonlyMap<RecordKey, PlanItem>,
): RecordGroup[] {
  const explained = new Map(records.map((record) => [itemKey(record.outcome), record]));
  const causes = new Map<RecordKey, ExplainedItem>();
  const causeOf = (record: ExplainedItem): ExplainedItem => {
    const key = itemKey(record.outcome);
    const known = causes.get(key);
    if (known !== undefined) return known;
    causes.set(key, record);
    if (record.outcome.code !== "dependency-blocked") return record;
    const blockedBy = planItems.get(key)?.blockedBy;
    const blocker = blockedBy && explained.get(blockedBy);
    const cause = blocker === undefined ? record : causeOf(blocker);
    causes.set(key, cause);
    return cause;
  };
  const groups = groupBy(records, (record) => {
    const { code = "", message = "" } = causeOf(record).outcome;
    return `${code}\n${message}`;
  });
  const made = [...groups].map(([key, members]): RecordGroup => {
    const [code = "", message = ""] = key.split("\n");
    return { code, ...splitMessage(message), records: members.map(({ item }) => item) };
  });
  return remediesOnce(made);
}

/** A `; ` between two clauses, outside of a quoted name. */
const CLAUSE = /; (?=(?:[^"]*"[^"]*")*[^"]*$)/;

/** Splits a message into what the record lacks, and what the reader can do. A record may lack several others. */
function splitMessage(message: string): { readonly reason: string; readonly remedy?: string } {
  const [first = "", ...others] = message.split(CLAUSE);
  const [needs, remedies] = partition(others, (clause) => /^(?:needs|watches) /.test(clause));
  return {
    reason: [first, ...needs].join("; "),
    ...(remedies.length > 0 && { remedy: upperFirst([...new Set(remedies)].join("; ")) }),
  };
}

/** Puts groups with the same remedy next to each other, and leaves the remedy only to the last of them. */
function remediesOnce(groups: readonly RecordGroup[]): RecordGroup[] {
  return [...groupBy(groups, ({ code, remedy }) => `${code} ${remedy ?? ""}`).values()].flatMap((alike) =>
    alike.map(({ remedy, ...group }, index) => ({
      ...group,
      ...(remedy !== undefined && index === alike.length - 1 && { remedy }),
    })),
  );
}
