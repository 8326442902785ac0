import type { IdMap } from "../../core/importing/id-map.ts";
import type { Warning } from "../../core/outcome.ts";
import { formatPointer } from "../../core/records/member-path.ts";
import { findReferences, rewriteReferences } from "../../references/references.ts";
import { withDistinctItems } from "../apply/bodies.ts";
import type { Decision } from "./decide/decision.ts";
import { willWrite } from "./resolve.ts";

/** A warning for each list of a record whose items become fewer, as what they point to is one thing on the target. */
export function warnOfMerged(decision: Decision, ids: IdMap): Warning[] {
  const { kind, record } = decision;
  if (!willWrite(decision) || kind.distinctItems === undefined) return [];
  const references = findReferences(kind, record.body, new Map());
  const mapped = rewriteReferences(record.body, references, ids, new Map());
  const distinct = withDistinctItems(kind, mapped);
  const message = `several of these are one on the target, and the ${kind.singular} "${record.name}" is written with it once`;
  return Object.keys(kind.distinctItems)
    .filter((member) => distinct[member] !== mapped[member])
    .map((member) => ({ code: "merged", message, pointer: formatPointer([member]) }));
}
