import { StackferryError } from "../../core/errors.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import type { Counterparts } from "../../core/plan/base.ts";
import { IdMap, type IdMapping, type KnownId } from "../../core/plan/id-map.ts";
import type { Plan, Removal } from "../../core/plan/plan.ts";
import {
  isSameStack,
  splitKey,
  type RecordKey,
  type StackIdentity,
  type StackRecord,
} from "../../core/records/record.ts";
import { pluralize, quoteShellWord } from "../../core/text/format.ts";
import { refuseEmptySelection } from "../../core/records/record-filter.ts";
import { matchAll } from "../../matching/match-all.ts";
import { indexTarget } from "../../matching/target-index.ts";
import { indexArchive, type ArchiveIndex } from "../../references/archive-index.ts";
import { childIdsOf } from "../../references/children.ts";
import { foldIds, makeKnownId } from "../../references/known-ids.ts";
import { findHiddenContentLoss } from "./update-losses.ts";
import { findRemovals, planRemovals, removedKeys } from "./plan-removals.ts";
import type { MirrorBasis } from "../remove/mirror.ts";
import { createBodies } from "../write-body.ts";
import { NO_TRANSFORM_NOTES } from "../transforms.ts";
import { makePlanItems, matchOnlyItems } from "./plan-items.ts";
import { withChosenChild, refuseChildWithoutOwner } from "../../matching/chosen-child.ts";
import type { DecisionBasis, Decision, PlanBasis, RecordToDecide } from "./decide/decision.ts";
import { secretsMissingFor } from "./decide/missing-secrets.ts";
import { NO_SECRETS } from "../read/fill-records.ts";
import { decideAll, recordsToCreate } from "./decide/decide.ts";
import { isConflict } from "./decide/table.ts";
import { guardAll } from "./guards.ts";
import { requestedRecords, withDependents } from "./selection.ts";
import { planWarnings } from "./warnings.ts";
import { propagateBlocks, resolveReferences, type PropagatedBlocks, type Resolution } from "./resolve-references.ts";
import { listUnresolvedIds } from "./unresolved-ids.ts";
import { applyChildRules } from "./variant-rules.ts";
import { orderWrites } from "./write-order.ts";

const NOTHING_KNOWN = {
  bases: new Map(),
  missing: new Map(),
  former: new Map(),
  unknownCreates: new Map(),
  suppliedSecrets: NO_SECRETS,
  holdsCredential: () => false,
  transformed: NO_TRANSFORM_NOTES,
  whole: new Set(),
  substitutes: new Set(),
} satisfies Partial<DecisionBasis>;

export interface PlanInput
  extends
    Pick<DecisionBasis, "inventory" | "options" | "archived" | "isMadeAgain">,
    Partial<Pick<DecisionBasis, keyof typeof NOTHING_KNOWN>> {
  readonly records: readonly StackRecord[];
  /** If the stack is unknown, an equal id on the target proves nothing. */
  readonly source?: StackIdentity;
  readonly fromFiles?: boolean;
  /** By `foldedKey`: the digest of what the target stored at the last write of any run. */
  readonly lastWrites?: ReadonlyMap<string, string>;
  readonly mirror?: MirrorBasis;
}

/**
 * @throws StackferryError `usage` for a mistake in the map file, a missing `--tile`, or an empty selection; `incomplete` for a
 * conflict under `--on-conflict fail`
 */
export async function planRecords(input: PlanInput, signal?: AbortSignal): Promise<Plan> {
  return planMatched(await matchSides(input, signal), undefined, signal);
}

export async function planMatched(
  sides: MatchedSides,
  refused: DecisionBasis["refused"] = new Map(),
  signal?: AbortSignal,
): Promise<Plan> {
  const matched = { ...sides, refused };
  const { matching, mirror } = matched;
  const found = mirror && findRemovals({ ...matched, mirror });
  const draft = await draftDecisions(matched, found?.removals ?? [], new Set(), signal);
  const { basis, resolutions, blockers, mirrored } = draft;

  const order = orderWrites(new Map([...resolutions].map(([key, { needs }]) => [key, needs])));
  const decisions = [...basis.decisions.values()];
  return {
    ...(mirrored && { mirror: mirrored.mirror }),
    items: [...makePlanItems(basis, order, resolutions), ...matchOnlyItems(basis)],
    matches: matching.matches,
    unresolved: listUnresolvedIds(blockers, basis),
    missingSecrets: decisions.flatMap((decision) => secretsMissingFor(decision, basis.suppliedSecrets)),
    ids: [...lastIds(basis), ...basis.ids],
    bodies: basis.bodies.built,
    idsToCome: basis.bodies.idsToCome,
    warnings: [
      ...matching.warnings,
      ...(found?.warnings ?? []),
      ...(mirrored?.warnings ?? []),
      ...planWarnings(basis, resolutions.values()),
    ],
  };
}

interface DraftedDecisions extends Omit<PropagatedBlocks, "decisions"> {
  readonly basis: PlanBasis;
  readonly mirrored: ReturnType<typeof planRemovals> | undefined;
}

/**
 * If assumed removals or creates are blocked in the end, decides again without them.
 * @param uncreated records that an earlier draft could not create in the end
 */
async function draftDecisions(
  matched: MatchedSides & Pick<DecisionBasis, "refused">,
  removals: readonly Removal[],
  uncreated: ReadonlySet<RecordKey>,
  signal: AbortSignal | undefined,
): Promise<DraftedDecisions> {
  const { archive, ids, mirror, options } = matched;
  const requested = requestedRecords(archive, options);
  const assumed = { ...matched, ...removedKeys(removals), toCreate: recordsToCreate(requested, ids, uncreated) };
  const decided = await decideAll(requested, assumed, signal);
  if (decided.size === 0 && mirror === undefined) refuseEmptySelection(options.filter, "in the archive");
  refuseCopiesOfCopies(requested, matched);
  refuseConflicts(decided);

  const allowed = guardAll(decided, assumed);
  const resolve = (decision: Decision, decisions: PlanBasis["decisions"]): Resolution => {
    const basis = { ...assumed, decisions };
    return applyChildRules(resolveReferences(decision, basis), decision, basis);
  };
  const propagated = await propagateBlocks(allowed, archive, resolve, signal);
  const { decisions } = propagated;
  const mirrored = mirror && planRemovals(removals, [...decisions.values()], matched, mirror);
  const remainingRemovals = mirrored?.mirror.removals ?? removals;
  const failedCreates = [...decided].flatMap(([key, { action }]) =>
    action === "create" && decisions.get(key)?.action !== "create" ? [key] : [],
  );
  const isDone =
    removedKeys(remainingRemovals).removed.size === assumed.removed.size &&
    failedCreates.every((key) => uncreated.has(key));
  if (isDone) return { ...propagated, basis: { ...assumed, decisions }, mirrored };
  return draftDecisions(matched, remainingRemovals, new Set([...uncreated, ...failedCreates]), signal);
}

export interface MatchedSides
  extends Omit<DecisionBasis, "removed" | "removedFirst" | "toCreate" | "refused">, Pick<PlanInput, "mirror"> {}

export async function matchSides(input: PlanInput, signal?: AbortSignal): Promise<MatchedSides> {
  const given = { ...NOTHING_KNOWN, ...input };
  const { source, inventory, bases, isMadeAgain } = given;
  const indexed = await indexArchive(given.records, signal);
  const former = formerIds(given, indexed);
  // In texts, ids that the source no longer has are translated, too, so such a text stays as an import wrote it.
  const formerKnown = former.map((each) => [foldIds(each.id), each.known] as const);
  const archive = { ...indexed, knownIds: new Map([...formerKnown, ...indexed.knownIds]) };
  const options = withChosenChild(archive, withDependents(given.options, archive));
  const target = await indexTarget(inventory, signal);
  const ownStack = source !== undefined && isSameStack(source, inventory.stack);
  const matching = await matchAll(archive, inventory, options, { bases, ownStack, isMadeAgain, signal });
  refuseChildWithoutOwner(options, archive, matching.pairs);
  // Code files mark charts in place of hidden tiles (`substitutes`), so they need no variant.
  const from = given.fromFiles === true ? undefined : source?.variant;
  const ids = new IdMap([...former.map(idMappingOf), ...matching.ids]);
  const bodies = createBodies(archive, options, ids);
  const loss = findHiddenContentLoss(inventory, options.acceptHiddenLoss, given.lastWrites);
  return { ...given, archive, options, target, ownStack, matching, ids, bodies, loss, ...(from && { from }) };
}

interface KnownPair {
  readonly known: KnownId;
  /** As the source wrote the id. */
  readonly id: string;
  readonly to: string;
  readonly owner?: RecordKey;
}

function pairsOfRecord(key: RecordKey, { targetId, children = {} }: Counterparts): KnownPair[] {
  const [kind, id] = splitKey(key);
  const ofChildren = Object.entries(children).flatMap(([space, pairs]) =>
    Object.entries(pairs).map(([child, to]) => ({ known: makeKnownId(space, child, id), id: child, to, owner: key })),
  );
  return [{ known: makeKnownId(kind, id), id, to: targetId }, ...ofChildren];
}

function idMappingOf({ known: { space, id: from }, to }: KnownPair): IdMapping {
  return { space, from, to };
}

type KnownBefore = Pick<DecisionBasis, "bases" | "missing" | "former">;

function formerIds({ bases, missing, former }: KnownBefore, archive: ArchiveIndex): KnownPair[] {
  const ofRecords = [...former, ...missing].flatMap(([key, known]) => pairsOfRecord(key, known));
  const ofChildren = [...bases].flatMap(([key, known]) => {
    const record = archive.byKey.get(key);
    const present = record === undefined ? new Set<string>() : childIdsOf(record);
    return pairsOfRecord(key, known).filter(({ owner, id }) => owner !== undefined && !present.has(foldIds(id)));
  });
  return [...ofRecords, ...ofChildren];
}

/** Ids of records without a counterpart are written as they were compared (`idToCompare`). */
function lastIds({ archive, bases, ids, toCreate }: DecisionBasis): IdMapping[] {
  const isWithout = (key: RecordKey): boolean => ids.get(...splitKey(key)) === undefined && !toCreate.has(key);
  const without = [...bases].filter(([key]) => archive.byKey.has(key) && isWithout(key));
  return without.flatMap(([key, base]) => pairsOfRecord(key, base).map(idMappingOf));
}

/** On the archive's own stack, each run would copy the copies of the last run. */
function refuseCopiesOfCopies(
  requested: readonly RecordToDecide[],
  { ownStack, options: { namePrefix = "" } }: Pick<MatchedSides, "ownStack" | "options">,
): void {
  if (!ownStack || namePrefix === "") return;
  const copy = requested.find(
    ({ kind, record }) => kind.nameFields.name !== undefined && record.name.startsWith(namePrefix),
  );
  if (copy === undefined) return;
  const message = `${nameOfRecord(copy.record)} has the name prefix already, and would become a copy of a copy`;
  throw new StackferryError("usage", message, {
    hint: `Nothing was written. Leave such records out: --exclude ${quoteShellWord(`${namePrefix}*`)}; or give another prefix.`,
  });
}

function refuseConflicts(decisions: ReadonlyMap<RecordKey, Decision>): void {
  const conflicts = [...decisions.values()].filter(isConflict);
  if (conflicts.length === 0) return;
  const message = `${pluralize(conflicts.length, "record")} changed, or may have changed, on the target`;
  throw new StackferryError("incomplete", message, {
    faults: conflicts.map(({ record, message: why }) => `${nameOfRecord(record)}: ${why}`),
    hint: "Nothing was written. Choose --on-conflict keep, merge or overwrite.",
  });
}
