import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { qualifiedChildId, type IdMap } from "../../../core/plan/id-map.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { childIdOf, childrenOf } from "../../../references/children.ts";
import { valueAtTokens, withValueAt } from "../../../core/records/member-path.ts";
import type { RecordKey, StackRecord } from "../../../core/records/record.ts";
import { foldIds, idsIn } from "../../../references/known-ids.ts";
import { haveSameContent } from "../../../references/record-content.ts";
import { deadLinksOf, type StoredLink } from "./compare-links.ts";
import { blockWithoutSecrets } from "./missing-secrets.ts";
import { blockUnwritable } from "./block-unwritable.ts";
import {
  dependentsOfDecided,
  isCopy,
  makePair,
  type DecisionBasis,
  type Decision,
  type MatchedPair,
  type RecordToDecide,
} from "./decision.ts";

/** Code and message of an update that only sets a link to the id of a record which this or an earlier import has created. */
export const RELINK_REASON = {
  code: "relink",
  message: "links to an id that the target does not have; this update sets the right one",
} as const;

/**
 * Decides to update each record whose counterpart is equal except for dead links. A dead link leads to the former id of a record
 * that the import creates again. If only one tile is restored, no other record is changed.
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
  const differsOnlyByDeadLinks = (undecided: RecordToDecide, target: StackRecord): boolean => {
    const linkedToDead = withDeadLinks(makePair(undecided, target, basis), basis, isWorking);
    return linkedToDead !== undefined && haveSameContent(undecided.kind, linkedToDead, target.body);
  };
  return dependentsOfDecided(created, archive).flatMap((key): readonly Decision[] => {
    const decision = decisions.get(key);
    const target = decision && matching.pairs.get(decision.kind.name)?.pairs.get(decision.record.id);
    if (!decision || !target) return [];
    const { kind, record, action, code } = decision;
    // A merge may have left parts of a journaled record as on the target.
    const mayDiffer = code === "exists" || (code === "journaled" && options.onConflict !== "update");
    if ((action !== "unchanged" && !mayDiffer) || (mayDiffer && !differsOnlyByDeadLinks(decision, target))) return [];
    const update = decideRelink({ kind, record, targetId: target.id, targetName: decision.targetName }, target);
    return [blockUnwritable(blockWithoutSecrets(update, basis), basis)];
  });
}

/** Makes the decision to update a record so that its dead links lead to the new ids. */
export function decideRelink(
  decision: RecordToDecide & Pick<Decision, "targetId" | "targetName">,
  target: StackRecord,
): Decision {
  return { ...decision, action: "update", replaces: target, ...RELINK_REASON };
}

/**
 * Returns the body with the target's dead ids in place of working links: a dead id remains on the target if a linked record was
 * deleted and created again. Undefined if the target's record has no dead ids.
 * @param isWorking by default, a link works if the record that it leads to has a counterpart
 */
export function withDeadLinks(
  { kind, record, body, target }: MatchedPair,
  basis: DecisionBasis,
  isWorking = ({ space, id }: StoredLink): boolean => basis.ids.get(space, id) !== undefined,
): JsonObject | undefined {
  const stored = { ...target, body: inPlacesOf(kind, record, target.body, basis.ids) };
  const dead = deadLinksOf(record, stored, basis).filter(isWorking);
  if (dead.length === 0) return undefined;
  const deadIds = new Set(dead.map(({ storedId }) => foldIds(storedId)));
  return dead.reduce((before, { tokens }) => {
    const [link, storedLink] = [body, stored.body].map((side) => valueAtTokens(side, tokens));
    if (typeof link !== "string" || typeof storedLink !== "string") return before;
    const working = idsIn(link);
    const isDeadOnly = idsIn(storedLink).every((id, at) => id === working[at] || deadIds.has(id));
    return isDeadOnly ? withValueAt(before, tokens, storedLink) : before;
  }, body);
}

/**
 * Returns the target's body with its children in the positions of their counterparts in the archive, because links are compared by
 * position. A child of the archive without a counterpart is compared with the target's child in the same position.
 */
function inPlacesOf(kind: ResourceKind, { id: owner, body }: StackRecord, stored: JsonObject, ids: IdMap): JsonObject {
  const lists = kind.children.flatMap((children): [string, JsonValue][] => {
    const { member, space } = children;
    const [archived, present] = [body[member], stored[member]];
    if (!isJsonArray(archived) || !isJsonArray(present)) return [];
    const byId = new Map(childrenOf(stored, children).map((child) => [foldIds(childIdOf(child)), child]));
    const counterpartOf = (child: JsonValue): JsonObject | undefined => {
      const targetId = isJsonObject(child) ? ids.get(space, qualifiedChildId(owner, childIdOf(child))) : undefined;
      return targetId === undefined ? undefined : byId.get(foldIds(targetId));
    };
    return [[member, archived.map((child, at) => counterpartOf(child) ?? present[at] ?? null)]];
  });
  return { ...stored, ...Object.fromEntries(lists) };
}
