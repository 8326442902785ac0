import type { IdMap } from "../../../core/importing/id-map.ts";
import type { ChangedSince } from "../../../core/importing/memory.ts";
import type { StackRecord } from "../../../core/records/record.ts";
import type { ImportOptions } from "../../../matching/import-options.ts";
import { foldIds } from "../../../references/known-ids.ts";
import { changedParts } from "../../../references/member-digests.ts";
import { recordFingerprint } from "../../../references/record-content.ts";
import { updateBody } from "../../apply/bodies.ts";
import type { Paired } from "./decide-conflict.ts";
import { decideConflict } from "./decide-conflict.ts";
import type { DecisionBasis } from "./decision-basis.ts";
import type { Decision } from "./decision.ts";
import { decisionKey } from "./decision.ts";

/**
 * Decides on a record that differs from its counterpart by what both were at the last import: a change of the source is told from
 * one that somebody made on the target. Undefined where nothing, or too little, is remembered.
 */
export function decideRemembered(
  there: Paired,
  target: StackRecord,
  ids: IdMap,
  { archive, options, remembered }: DecisionBasis,
): Decision | undefined {
  const { kind, record } = there;
  const known = remembered.get(decisionKey(there));
  if (known?.wanted === undefined || known.stored === undefined) return undefined;
  if (foldIds(known.targetId) !== foldIds(target.id)) return undefined;
  const { labels, adapt = false, now } = options;
  const translation = { ids, known: archive.known, labels, adapt, ...(now !== undefined && { now }) };
  const wanted = updateBody(kind, record, translation, target.id);
  const isChangedHere = recordFingerprint(kind, wanted) !== known.wanted.whole;
  const isChangedThere = recordFingerprint(kind, target.body) !== known.stored.whole;
  // The stack keeps it in another form than it was sent in; that was reported when it was written.
  if (!isChangedHere && !isChangedThere) return { ...there, action: "unchanged", code: "remembered" };
  // Nobody has changed the target, so there is nothing to choose.
  if (!isChangedThere) return { ...there, action: "update", replaces: target };
  const since: ChangedSince = {
    source: isChangedHere ? changedParts(kind, wanted, known.wanted) : [],
    target: changedParts(kind, target.body, known.stored),
  };
  if (!isChangedHere && options.restores === true) {
    return { ...decideConflict(there, target, true, options), replaces: target, since };
  }
  if (!isChangedHere) return { ...decideEdited(there, options), replaces: target, since };
  const { action } = decideConflict(there, target, true, options);
  if (action === "blocked") return { ...there, action, code: "conflict", message: BOTH, replaces: target, since };
  return { ...there, action, code: "both-changed", message: BOTH, replaces: target, since };
}

function decideEdited(there: Paired, { onEdited }: ImportOptions): Decision {
  if (onEdited === undefined) return { ...there, action: "skip", code: "edited", message: EDITED };
  const message = `${EDITED}; --on-edited overwrite writes what the source has`;
  if (onEdited === "overwrite") return { ...there, action: "update", code: "edited", message };
  if (onEdited === "fail") return { ...there, action: "blocked", code: "conflict", message };
  return { ...there, action: "skip", code: "edited", message };
}

const EDITED = "somebody changed it on the target since the last import; the source has not changed";
const BOTH = "it was changed on both sides since the last import; --on-conflict chooses the side that counts";
