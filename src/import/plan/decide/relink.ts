import type { JsonObject } from "../../../core/json.ts";
import { valueAtTokens, withValueAt } from "../../../core/records/member-path.ts";
import type { RecordKey, StackRecord } from "../../../core/records/record.ts";
import { translatedBody } from "../../../matching/pair-kind.ts";
import { borrowSecrets } from "../../../redaction/placeholders.ts";
import { foldIds, idsIn } from "../../../references/known-ids.ts";
import { haveSameContent } from "../../../references/record-content.ts";
import type { StoredLink } from "./compare.ts";
import { deadLinksOf } from "./compare.ts";
import type { DecisionBasis } from "./blockers.ts";
import { blockUnwritable, blockWithoutSecrets } from "./blockers.ts";
import type { Decision, Undecided } from "./decision.ts";
import { dependentsOf, isCopy } from "./decision.ts";

/** Code and message of an update that only sets a link to the new id of a record which is created again. */
export const RELINK = {
  code: "relink",
  message: "the record that it points to was deleted on the target and is created again; this update sets the new id",
} as const;

/**
 * Makes records updates that differ at most in ids of records which are created: these are dead links on the target. If only one
 * tile is restored, no other record is changed.
 */
export function relinkUnchanged(
  decisions: ReadonlyMap<RecordKey, Decision>,
  basis: DecisionBasis,
): readonly Decision[] {
  const { archive, matching, options, ids } = basis;
  if (options.chosen !== undefined) return [];
  const created = [...decisions.values()].filter(
    (decision) => decision.action === "create" && !isCopy(decision, matching),
  );
  const isWorking = ({ space, id, record: to }: StoredLink): boolean =>
    ids.get(space, id) !== undefined || (to !== undefined && decisions.get(to)?.action === "create");
  const differsOnlyByDeadLinks = ({ kind, record }: Undecided, target: StackRecord): boolean => {
    const body = borrowSecrets(translatedBody(kind, record, archive, options, ids), target.body);
    const linkedToDead = withDeadLinks(record, body, target, isWorking, basis);
    return linkedToDead !== undefined && haveSameContent(kind, linkedToDead, target.body);
  };
  return dependentsOf(created, archive).flatMap((key): readonly Decision[] => {
    const decision = decisions.get(key);
    const target = decision && matching.pairs.get(decision.kind.name)?.pairs.get(decision.record.id);
    if (!decision || !target) return [];
    const { kind, record, action, code } = decision;
    // A merge may have left parts of a journaled record as on the target.
    const mayDiffer = code === "exists" || (code === "journaled" && options.onConflict !== "update");
    if ((action !== "unchanged" && !mayDiffer) || (mayDiffer && !differsOnlyByDeadLinks(decision, target))) return [];
    const update = relink({ kind, record, targetId: target.id, targetName: decision.targetName }, target);
    return [blockUnwritable(blockWithoutSecrets(update, basis), basis)];
  });
}

/** Makes a record an update that sets its dead links. */
export function relink(decision: Undecided & Pick<Decision, "targetId" | "targetName">, target: StackRecord): Decision {
  return { ...decision, action: "update", replaces: target, ...RELINK };
}

/**
 * Returns the body with the target's dead ids in the places of working links, as they remain if a linked record was deleted and
 * created again; undefined if there are none.
 */
export function withDeadLinks(
  record: StackRecord,
  body: JsonObject,
  target: StackRecord,
  isWorking: (link: StoredLink) => boolean,
  basis: DecisionBasis,
): JsonObject | undefined {
  const dead = deadLinksOf(record, target, basis).filter(isWorking);
  if (dead.length === 0) return undefined;
  const deadIds = new Set(dead.map(({ storedId }) => foldIds(storedId)));
  return dead.reduce((before, { tokens }) => {
    const [link, storedLink] = [body, target.body].map((side) => valueAtTokens(side, tokens));
    if (typeof link !== "string" || typeof storedLink !== "string") return before;
    const working = idsIn(link);
    const isDeadOnly = idsIn(storedLink).every((id, at) => id === working[at] || deadIds.has(id));
    return isDeadOnly ? withValueAt(before, tokens, storedLink) : before;
  }, body);
}
