import { willWrite, type Removal, type PlanItem, type TakenParts } from "../../core/plan/plan.ts";
import { qualifiedChildId } from "../../core/plan/id-map.ts";
import type { JsonObject } from "../../core/json.ts";
import {
  keyOfRecord,
  recordKey,
  splitKey,
  targetKey,
  type KindName,
  type RecordKey,
  type StackRecord,
  labelOf,
} from "../../core/records/record.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import { findReferences, hostKeysOf } from "../../references/references.ts";
import { decisionKey, type Decision, type DecisionBasis, type PlanBasis } from "./decide/decision.ts";
import { resolveReferences, type Resolution } from "./resolve-references.ts";
import { applyChildRules, warnOfShortLived } from "./variant-rules.ts";
import type { Warning } from "../../core/outcome.ts";
import { findKind, knownKind } from "../../kinds/registry.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { blockRemoval, type MirrorBasis } from "../remove/mirror.ts";
import {
  findHiddenContent,
  hiddenContentText,
  isAsLastWritten,
  type HiddenContent,
  childrenHidingSettings,
} from "../../references/hidden-content.ts";
import { foldedKey, foldIds } from "../../references/known-ids.ts";
import { recordFinder, recordsOf, type Inventory } from "../../matching/inventory.ts";
import { hiddenContentNotes } from "../../kinds/hidden-settings.ts";
import { partsOfTarget, type Part } from "../../references/parts.ts";
import { displayNameMember } from "../../kinds/display-names.ts";

/**
 * Blocks an update that would delete alerts of the target. A `PUT` deletes the alerts on every tile that it leaves out
 * (docs/api.md#dashboards), and on every tile of a type that cannot have alerts (docs/api.md#tile-alerts). If the run deletes such
 * an alert itself, or moves it to another tile, the update is not blocked, but waits until that is done.
 */
export function blockCascadeDeletes(
  decision: Decision,
  decisions: ReadonlyMap<RecordKey, Decision>,
  basis: LossBasis,
): Decision {
  const atRisk = alertsAtRisk(decision, basis);
  const deletedAlerts = [...atRisk.removed, ...atRisk.lost];
  if (deletedAlerts.length === 0) return decision;
  const keys = [...new Set(deletedAlerts.map(keyOfRecord))];
  const isRemovedFirst = (key: RecordKey): boolean => basis.removedFirst.has(key);
  const moves = new Map(keys.flatMap((key) => (isRemovedFirst(key) ? [] : moveOf(key, decision, decisions, basis))));
  const isFreed = (key: RecordKey): boolean => isRemovedFirst(key) || moves.has(key);
  if (basis.mirror?.force === true || keys.every(isFreed)) {
    return { ...decision, afterRemovals: keys.filter(isRemovedFirst), afterMoves: [...moves.values()] };
  }
  const staying = (alerts: readonly StackRecord[]) => alerts.filter((alert) => !isFreed(keyOfRecord(alert)));
  const threatened = { removed: staying(atRisk.removed), lost: staying(atRisk.lost) };
  const { parts } = decision;
  return parts === undefined || threatened.lost.length > 0
    ? blockFor(decision, threatened)
    : keepWatched({ ...decision, parts }, threatened.removed);
}

interface LossBasis extends Pick<DecisionBasis, "ids" | "target" | "removedFirst"> {
  readonly mirror?: Pick<MirrorBasis, "force"> | undefined;
}

/** Returns the key of the archive's alert that the run moves from this record to other tiles; none if the alert stays on it. */
function moveOf(
  alertKey: RecordKey,
  from: Decision,
  decisions: ReadonlyMap<RecordKey, Decision>,
  { ids }: LossBasis,
): readonly (readonly [RecordKey, RecordKey])[] {
  const [kind, id] = splitKey(alertKey);
  const moved = decisions.get(recordKey(kind, ids.sourceOf(kind, id) ?? ""));
  if (moved?.action !== "update" || moved.replaces === undefined) return [];
  const childrenIn = (body: JsonObject, idOf: (space: string, own: string) => string | undefined) =>
    findReferences(moved.kind, body, new Map()).flatMap(({ space, id: own }) =>
      space.startsWith(`${from.kind.name}/`) ? [idOf(space, own)] : [],
    );
  const before = childrenIn(moved.replaces.body, (_, own) => splitKey(own)[1]);
  const after = childrenIn(moved.record.body, (space, own) => ids.get(space, own));
  const isElsewhere = after.every((child) => child !== undefined && !before.includes(child));
  return isElsewhere ? [[alertKey, decisionKey(moved)]] : [];
}

/** Makes an update wait for the alerts that the run moves away first; blocks it if such an alert cannot be moved before it. */
export function awaitMoves({ needs, blockers }: Resolution, decision: Decision, basis: PlanBasis): Resolution {
  const { afterMoves = [] } = decision;
  const moved = afterMoves.flatMap((key) => basis.decisions.get(key) ?? []);
  const staying = moved.filter((alert) => !canMoveFirst(alert, basis)).map(({ record }) => record);
  if (staying.length === 0) return { blockers, needs: { ...needs, hard: new Set([...needs.hard, ...afterMoves]) } };
  const { code = "would-delete-alerts", message = "" } = blockFor(decision, { removed: staying, lost: [] });
  return { needs, blockers: [...blockers, { code, message }] };
}

/**
 * Tells whether an alert can be moved before any dashboard is written. An alert that needs a dashboard's update could wait for the
 * very update that waits for the alert, and an alert on a tile that keeps none would be deleted by that update.
 */
function canMoveFirst(alert: Decision, basis: PlanBasis): boolean {
  if (alert.action !== "update" || warnOfShortLived(alert, basis).length > 0) return false;
  const { needs } = applyChildRules(resolveReferences(alert, basis), alert, basis);
  return [...needs.hard].every((key) => findKind(splitKey(key)[0])?.children.length === 0);
}

function blockFor(decision: Decision, { removed, lost }: AtRisk): Decision {
  const texts = [textOf(REMOVED, removed), textOf(LOST, lost)];
  const message = texts.filter((text) => text !== "").join("; ");
  return { ...decision, action: "blocked", code: "would-delete-alerts", message };
}

function textOf(why: string, alerts: readonly StackRecord[]): string {
  const names = alerts.map(labelOf);
  return names.length === 0 ? "" : `${why}: ${names.join(", ")}`;
}

const REMOVED = "the update would remove a tile that these alerts of the target watch; move or delete them first";
const LOST =
  "these alerts of the target watch a tile of a type that cannot have alerts (only line, stacked-bar and number tiles can), so the update would delete them; move or delete them first";

/** Alerts on tiles that an update removes, and on tiles that lose their alerts in every update. */
interface AtRisk {
  readonly removed: readonly StackRecord[];
  readonly lost: readonly StackRecord[];
}

/** Finds the target's alerts that the server deletes with an update. */
function alertsAtRisk(
  { action, kind, record, targetId, replaces, parts }: Decision,
  { ids, target }: Pick<DecisionBasis, "ids" | "target">,
): AtRisk {
  if (action !== "update" || targetId === undefined || replaces === undefined) return { removed: [], lost: [] };
  const removed: StackRecord[] = [];
  const lost: StackRecord[] = [];
  for (const children of kind.children) {
    const sent = new Map(
      childrenOf(record.body, children).map((child) => [
        ids.get(children.space, qualifiedChildId(record.id, childIdOf(child))),
        child,
      ]),
    );
    const isKept = (position: number): boolean =>
      parts !== undefined && parts.removed?.[children.member]?.includes(position) !== true;
    for (const [position, child] of childrenOf(replaces.body, children).entries()) {
      const dependents = target.dependentsOf(children.space, qualifiedChildId(targetId, childIdOf(child)));
      const becomes = sent.get(childIdOf(child)) ?? (isKept(position) ? child : undefined);
      if (becomes === undefined) removed.push(...dependents);
      else if (children.losesDependents?.(becomes) === true) lost.push(...dependents);
    }
  }
  return { removed, lost };
}

/** Content of the target that the API never shows, and whether the user accepts its loss. */
export interface HiddenContentLoss {
  readonly hidden: ReadonlyMap<RecordKey, HiddenContent>;
  readonly accepted: boolean;
  /**
   * Returns a record of the target if it may have content that nothing proves. A record that is as an import has stored it has none.
   */
  readonly doubtful: (kind: KindName, targetId: string) => StackRecord | undefined;
  /** The record of the target that is a sign of hidden children, as it is named in a sentence; undefined if there is none. */
  readonly hint: string | undefined;
}

/**
 * Finds the hidden content of the target.
 * @param accepted whether `--accept-hidden-loss` was given
 * @param lastWrites by record (`foldedKey`): digest of what the target stored at the last write of an import
 */
export function findHiddenContentLoss(
  inventory: Inventory,
  accepted = false,
  lastWrites: ReadonlyMap<string, string> = new Map(),
): HiddenContentLoss {
  const records = recordsOf(inventory);
  const hint = records.find(({ kind, body }) => findKind(kind)?.hintsAtHidden?.(body) === true);
  return {
    hidden: findHiddenContent(records, inventory.stack.variant),
    accepted,
    hint: hint && nameOfRecord(hint),
    doubtful: (kind, targetId) => {
      const record = recordFinder(inventory)(kind, targetId);
      return record && isAsLastWritten(record, lastWrites.get(foldedKey(kind, targetId))) ? undefined : record;
    },
  };
}

/** Tells why a record must not be written or deleted; undefined if no loss is known or the loss is accepted. */
function hiddenRefusal(key: RecordKey, { hidden, accepted }: HiddenContentLoss) {
  const content = hidden.get(key);
  if (content === undefined || accepted) return undefined;
  const message = `has content on the target that the API does not show, and that the write would delete for good: ${hiddenContentText(content)}; --accept-hidden-loss allows it`;
  return { code: "would-lose-hidden", message } as const;
}

/** Blocks an update that would destroy content that the target's API does not return. */
export function blockHiddenLoss(decision: Decision, loss: HiddenContentLoss): Decision {
  const { action, kind, targetId } = decision;
  const refusal =
    action === "update" && targetId !== undefined ? hiddenRefusal(recordKey(kind.name, targetId), loss) : undefined;
  return refusal === undefined ? decision : { ...decision, action: "blocked", ...refusal };
}

/** Blocks removals of records with hidden content: this content would be lost with the record, and no rollback could restore it. */
export function blockHiddenRemovals(removals: readonly Removal[], loss: HiddenContentLoss): readonly Removal[] {
  return removals.map((removal): Removal => {
    const refusal = removal.action === "delete" ? hiddenRefusal(targetKey(removal), loss) : undefined;
    return refusal === undefined ? removal : blockRemoval(removal, refusal);
  });
}

/** Makes a warning for each update that destroys known hidden content, with the user's consent. */
export function warnOfHiddenLoss(decisions: readonly Decision[], { hidden }: HiddenContentLoss): Warning[] {
  return decisions.flatMap(({ action, kind, record, targetId = "" }): Warning[] => {
    const content = action === "update" ? hidden.get(recordKey(kind.name, targetId)) : undefined;
    if (content === undefined) return [];
    const message = `the update of ${nameOfRecord(record)} deletes content that the API does not show, and no rollback can restore it: ${hiddenContentText(content)}`;
    return [{ code: "would-lose-hidden", message }];
  });
}

/**
 * Adds to a write what the API may hide, and nothing proves: settings and tiles of the target that an update deletes, and settings
 * that the archive lacks. A record that is as an import has stored it hides nothing, because no write can send such content.
 */
export function nameHiddenContent(
  decision: Decision,
  { inventory, from }: Pick<DecisionBasis, "inventory" | "from">,
  { doubtful, hint }: Pick<HiddenContentLoss, "doubtful" | "hint">,
): Decision {
  if (!willWrite(decision)) return decision;
  const { action, kind, record, targetId = "" } = decision;
  const overwritten = action === "update" ? doubtful(kind.name, targetId) : undefined;
  const settings = overwritten === undefined ? [] : childrenHidingSettings(overwritten, inventory.stack.variant);
  const notHeld = from === undefined ? [] : childrenHidingSettings(record, from);
  const mayHideTiles =
    overwritten !== undefined && kind.children.some(({ isSubstitute }) => isSubstitute !== undefined);
  const mayHide = { settings, notHeld, ...(mayHideTiles && hint !== undefined && { hint }) };
  const isEmpty = settings.length + notHeld.length === 0 && mayHide.hint === undefined;
  return isEmpty ? decision : { ...decision, mayHide };
}

export function warnOfMayHide(items: readonly PlanItem[]): Warning[] {
  return hiddenContentNotes(items.filter(willWrite), false).map(({ code, message }) => ({ code, message }));
}

/**
 * Takes out of a merge the removal of children that alerts of the target watch: these children are kept and named. If nothing else
 * is merged, nothing is written.
 */
function keepWatched(decision: Decision & { readonly parts: TakenParts }, alerts: readonly StackRecord[]): Decision {
  const { kind, replaces, parts, kept = [] } = decision;
  if (replaces === undefined) return decision;
  const watchedIds = new Set(
    alerts.flatMap((alert) =>
      findReferences(knownKind(alert.kind), alert.body, new Map()).map(({ id }) => foldIds(id)),
    ),
  );
  const isWatched = ({ child }: Part): boolean => {
    if (child === undefined || parts.removed?.[child.children.member]?.includes(child.position) !== true) return false;
    const body = childrenOf(replaces.body, child.children)[child.position];
    return body !== undefined && watchedIds.has(foldIds(qualifiedChildId(replaces.id, childIdOf(body))));
  };
  const watched = partsOfTarget(kind, replaces.body).filter(isWatched);
  const isTaken = (member: string, position: number): boolean =>
    !watched.some(({ child }) => child?.children.member === member && child.position === position);
  const removed = Object.entries(parts.removed ?? {}).map(([member, positions]) => [
    member,
    positions.filter((position) => isTaken(member, position)),
  ]);
  const reduced: TakenParts = { ...parts, removed: Object.fromEntries(removed) };
  const merged = { ...decision, parts: reduced, kept: [...kept, ...watched.map(({ key, label }) => ({ key, label }))] };
  if (!takesNothing(reduced)) return merged;
  return {
    ...merged,
    action: "skip",
    code: "both-changed",
    message: textOf(REMOVED, alerts),
    parts: undefined,
  };
}

function takesNothing({ members = [], taken, removed = {} }: TakenParts): boolean {
  return members.length === 0 && [taken, removed].every((by) => Object.values(by).every(({ length }) => length === 0));
}

/**
 * Lists the records that the server would delete together with what a forced run deletes or updates: alerts on a deleted dashboard,
 * and alerts on a tile that an update removes. The run deletes them itself, so that the plan names them. Leaves out records that
 * are deleted anyway, and records that the run updates, because these get another host.
 */
export function forcedRemovals(
  decisions: Iterable<Decision>,
  removals: readonly Removal[],
  basis: Pick<DecisionBasis, "inventory" | "ids" | "target">,
): Removal[] {
  const { inventory } = basis;
  const settled = new Set(removals.filter(({ action }) => action === "delete").map(targetKey));
  const hosts = new Map<RecordKey, string>(
    removals.flatMap((removal) =>
      removal.action === "delete" ? [[targetKey(removal), nameOfRecord({ ...removal, id: removal.targetId })]] : [],
    ),
  );
  const lost = new Map<RecordKey, { readonly record: StackRecord; readonly why: string }>();
  for (const decision of decisions) {
    const { action, kind, targetId = "", replaces } = decision;
    if (action !== "update") continue;
    settled.add(recordKey(kind.name, targetId));
    const { removed, lost: losing } = alertsAtRisk(decision, basis);
    const why = `its tile of ${nameOfRecord(replaces ?? decision.record)} is removed, or can have no alerts then`;
    for (const record of [...removed, ...losing]) lost.set(keyOfRecord(record), { record, why });
  }
  for (const record of recordsOf(inventory)) {
    const host = hostKeysOf(knownKind(record.kind), record.body).find((key) => hosts.has(key));
    if (host !== undefined) lost.set(keyOfRecord(record), { record, why: `${hosts.get(host)} is deleted` });
  }
  return [...lost].flatMap(([key, { record, why }]): Removal[] => {
    if (settled.has(key)) return [];
    const { kind, id, name } = record;
    const displayName = displayNameMember(record, recordFinder(inventory));
    const removal = { kind, sourceId: id, name, ...displayName, targetId: id, isKnown: false, targetRecord: record };
    return [{ ...removal, action: "delete", code: "cascade-loss", message: `is deleted, because ${why}` }];
  });
}
