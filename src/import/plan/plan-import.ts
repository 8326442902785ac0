import { StackferryError } from "../../core/errors.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import type { Plan, TargetVerdicts } from "../../core/plan/plan.ts";
import type { KindName, RecordKey, StackIdentity, StackRecord, Variant } from "../../core/records/record.ts";
import { isSameStack, keyOfRecord } from "../../core/records/record.ts";
import { yieldToEventLoop } from "../../core/event-loop.ts";
import { pluralize } from "../../core/text/format.ts";
import { refuseEmptySelection } from "../../core/records/record-filter.ts";
import { presentIds } from "../../matching/inventory.ts";
import { matchAll } from "../../matching/match-all.ts";
import { indexTarget } from "../../matching/target-index.ts";
import { indexArchive } from "../../references/archive-index.ts";
import { findRemovals, removedBeforeWrites, planRemovals } from "./plan-removals.ts";
import type { MirrorBasis } from "../remove/mirror-limits.ts";
import { NO_TRANSFORMS } from "../transform/transform-records.ts";
import { displayNames, withDoubled, planItems } from "./plan-items.ts";
import { matchOnlyItems } from "./match-only-items.ts";
import { chooseChild, refuseWithoutOwner } from "../../matching/chosen-child.ts";
import {
  blockCascadeDeletes,
  blockHiddenLoss,
  blockHiddenRemovals,
  hiddenLossOf,
  warnOfHiddenLoss,
} from "./update-losses.ts";
import { creatableKinds, isNarrowed } from "./decide/decide-new.ts";
import type { DecisionBasis, Decision } from "./decide/decision.ts";
import { exposedPlaces, secretsMissingFor } from "./decide/missing-secrets.ts";
import { NO_SECRETS } from "../read/fill-records.ts";
import { decideAll } from "./decide/decide.ts";
import { warnOfLeftBehind, warnOfTakenAlong, withDependents } from "./include-dependents.ts";
import {
  createdBeside,
  probableRenames,
  warnOfConflicts,
  warnOfSilenced,
  warnOfSubstitutes,
  warnOfUnseen,
  warnOfWrite,
  warnOfAssumed,
  warnOfLacked,
} from "./warnings.ts";
import { deadLinkWarnings } from "./dead-links.ts";
import { noteReferences, resolveReferences } from "./resolve-references.ts";
import { propagateBlocks } from "./propagate-blocks.ts";
import { listUnresolved } from "./unresolved-ids.ts";
import type { PlanBasis } from "./resolve-references.ts";
import { blockRefused, withChildRules } from "./variant-limits.ts";
import { orderWrites } from "./write-order.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";

const NO_VERDICTS: TargetVerdicts = { refused: new Map(), notKept: new Map() };

/** The basis of the decisions, as far as it is known before; every optional member is empty by default. */
export interface PlanInput
  extends
    Pick<DecisionBasis, "inventory" | "options">,
    Partial<
      Pick<DecisionBasis, "journaled" | "recordStates" | "lost" | "suppliedSecrets" | "transformed" | "verdicts">
    > {
  readonly records: readonly StackRecord[];
  /** The stack that the records came from. If it is unknown, an equal id on the target proves nothing. */
  readonly source?: StackIdentity;
  /** Records whose create earlier runs may have carried out twice. */
  readonly sentTwice?: ReadonlySet<RecordKey>;
  /** Kinds whose records the archive holds completely. */
  readonly whole?: ReadonlySet<KindName>;
  /** Whether the records come from files that people write, not from the answers of a stack. */
  readonly fromFiles?: boolean;
  /** Makes the plan delete records that the source no longer has. */
  readonly mirror?: MirrorBasis;
}

/**
 * Plans an import: matches, decides, blocks records that cannot be written, and orders the rest. Pure: nothing is written. Throws
 * `usage` for a map file that names a missing record, and `incomplete` if there is a conflict under `--on-conflict fail` or
 * `--on-edited fail`.
 */
export async function planRecords(input: PlanInput, signal?: AbortSignal): Promise<Plan> {
  const { records, source, inventory, suppliedSecrets = NO_SECRETS } = input;
  const { journaled = new Map(), recordStates = new Map(), lost = new Set() } = input;
  const { sentTwice = new Set(), whole = new Set() } = input;
  const { verdicts = NO_VERDICTS, transformed = NO_TRANSFORMS } = input;
  // Only an answer of a stack can contain a chart in place of another tile; files contain the tiles that people mean.
  const shownBy = input.fromFiles === true ? undefined : source?.variant;
  const wholeArchive = await indexArchive(records, shownBy, signal);
  const options = chooseChild(wholeArchive, withDependents(input.options, wholeArchive));
  const target = await indexTarget(inventory, signal);
  const ownStack = source !== undefined && isSameStack(source, inventory.stack);
  const matching = await matchAll(wholeArchive, inventory, options, { journaled, recordStates, ownStack, signal });
  refuseWithoutOwner(options, wholeArchive, matching.pairs);
  const inputs = { matching, options, journaled, recordStates, lost, inventory, target, suppliedSecrets, transformed };
  const decisionBasis = { ...inputs, archive: wholeArchive, verdicts, ownStack, from: source?.variant };
  const { decisions: decided, ids } = await decideAll(decisionBasis, signal);
  if (decided.size === 0) refuseEmptySelection(options.filter, "in the archive");
  refuseConflicts(decided);
  const archive = await withPartialRecords(wholeArchive, decided, shownBy, signal);
  const { mirror } = input;
  const found = mirror && findRemovals({ mirror, records, inventory, options, matching, transformed });
  const loss = hiddenLossOf(inventory, options.acceptHiddenLoss);
  const removals = blockHiddenRemovals(found?.removals ?? [], loss);
  const removedFirst = removedBeforeWrites(removals);
  const writable = new Map(
    [...decided].map(([key, decision]) => {
      const keeping = blockHiddenLoss(blockCascadeDeletes(decision, ids, target, removedFirst), loss);
      return [key, blockRefused(keeping, { archive, inventory, ids })];
    }),
  );
  const creatable = creatableKinds(inventory, options);
  const basisOf = (soFar: PlanBasis["decisions"]): PlanBasis => {
    return { ...decisionBasis, archive, ids, creatable, whole, decisions: soFar };
  };
  const { decisions, resolutions, blockers } = await propagateBlocks(
    writable,
    archive,
    (decision, soFar) => withChildRules(resolveReferences(decision, basisOf(soFar)), decision, basisOf(soFar)),
    signal,
  );
  const basis = basisOf(decisions);
  const order = orderWrites(new Map([...resolutions].map(([key, { needs }]) => [key, needs])));
  const notes = new Map<RecordKey, ReturnType<typeof noteReferences>>();
  for (const [key, decision] of decisions) {
    notes.set(key, noteReferences(decision, basis));
    await yieldToEventLoop(signal);
  }
  // Only these records can have placeholders; a search of all records would read every body again.
  const secretive = [...decisions].flatMap(([key, decision]) =>
    archive.redacted.has(key) || suppliedSecrets.filled.has(key) ? [decision] : [],
  );
  const finalDecisions = [...decisions.values()];
  const displayNameFor = displayNames(archive);
  const plannedItems = planItems(basis, order, notes, displayNameFor);
  const matchOnly = matchOnlyItems(basis, displayNameFor);
  const items = [...withDoubled(plannedItems, sentTwice, basis), ...matchOnly];
  const mirrored = mirror && planRemovals(removals, finalDecisions, inventory, mirror);
  return {
    ...(mirrored && { mirror: mirrored.mirror }),
    items,
    matches: matching.matches,
    unresolved: listUnresolved(blockers, matchOnly, basis),
    missingSecrets: finalDecisions.flatMap((decision) => secretsMissingFor(decision, suppliedSecrets)),
    ids: [...ids],
    knownIds: archive.knownIds,
    present: presentIds(inventory),
    warnings: [
      ...matching.warnings,
      ...(found?.warnings ?? []),
      ...(mirrored?.warnings ?? []),
      ...warnOfLeftBehind(archive, options),
      ...warnOfTakenAlong(archive, options),
      ...deadLinkWarnings(finalDecisions, isNarrowed(options) ? plannedItems : items, basis),
      ...probableRenames(finalDecisions, basis),
      ...createdBeside(finalDecisions, matching),
      ...[...notes.values()].flatMap(({ warnings }) => warnings),
      ...finalDecisions.flatMap((decision) => warnOfAssumed(decision, archive)),
      ...finalDecisions.flatMap(warnOfLacked),
      ...finalDecisions.flatMap((decision) => warnOfWrite(decision, basis)),
      ...warnOfUnseen(finalDecisions, inventory),
      ...finalDecisions.flatMap(warnOfConflicts),
      ...warnOfSubstitutes(finalDecisions, archive),
      ...warnOfSilenced(finalDecisions),
      ...warnOfHiddenLoss(finalDecisions, inventory, loss),
      ...secretive.flatMap((decision) => exposedPlaces(decision, suppliedSecrets)),
    ],
  };
}

/** Indexes the archive again if only parts of a record are taken, so that references in its other parts do not count. */
async function withPartialRecords(
  archive: ArchiveIndex,
  decisions: ReadonlyMap<RecordKey, Decision>,
  from: Variant | undefined,
  signal: AbortSignal | undefined,
): Promise<ArchiveIndex> {
  if (![...decisions.values()].some(({ parts }) => parts !== undefined)) return archive;
  const records = archive.records.map((record) => {
    const decision = decisions.get(keyOfRecord(record));
    return decision?.parts === undefined ? record : decision.record;
  });
  return { ...(await indexArchive(records, from, signal)), knownIds: archive.knownIds };
}

function refuseConflicts(decisions: ReadonlyMap<RecordKey, Decision>): void {
  const conflicts = [...decisions.values()].filter((decision) => decision.code === "conflict");
  const [first] = conflicts;
  if (!first) return;
  const edited = conflicts.filter(({ since }) => since !== undefined && since.source.length === 0);
  const several = conflicts.length > 1;
  const problem =
    edited.length === conflicts.length
      ? `${several ? "were" : "was"} changed on the target since the last import`
      : `${several ? "exist" : "exists"} on the target with other content`;
  const message = `${pluralize(conflicts.length, "record")} ${problem}, the first is ${nameOfRecord(first.record)}`;
  const ways = [
    ...(edited.length > 0 ? ["--on-edited keep or overwrite"] : []),
    ...(edited.length < conflicts.length ? ["--on-conflict skip, update or duplicate"] : []),
  ];
  throw new StackferryError("incomplete", message, { hint: `Nothing was written. Choose ${ways.join(", and ")}.` });
}
