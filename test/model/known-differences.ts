import type { Decision } from "./import.ts";
import type { PartChange } from "./compare.ts";
import { fold, type Journal } from "./journal.ts";
import type { Fault } from "./operations.ts";
import { isTile, nameOf, tileName } from "./stack.ts";
import type { Job, World } from "./world.ts";

// Where today's engine differs from the contract. A sequence is compared up to the first operation that one of these excuses.

/**
 * The differences that only a later operation would show: the operation is compared, and ends the sequence.
 *
 * - `killed-merge`: after a kill in a merge the base of what it wrote is lost, so later merges name it as a conflict.
 * - `killed-rollback`: after a kill in a rollback the base is the one after the undone run, so what was put back counts as edited.
 * - `equal-twin`: a rollback does not create a deleted record again beside one of equal content, which it takes for it.
 * - `force-in-use`: a forced rollback deletes what others use; the contract does not say so.
 * - `rollback-of-killed`: after a rollback of a run that was killed and gone on with, what was put back counts as edited.
 */
type KnownAfterwards = "killed-merge" | "killed-rollback" | "rollback-of-killed" | "equal-twin" | "force-in-use";

interface KnownDifference {
  readonly name: string;
  readonly reason: string;
  readonly excuses: (world: World, job: Job, plan: readonly Decision[], fault: Fault | undefined) => boolean;
}

const KNOWN = [
  {
    name: "older-archive",
    reason: "today an older archive goes back by itself: readings 5 and 6",
    excuses: (_, { archive }) => archive.letter !== "a",
  },
  {
    name: "tile",
    reason: "today --tile has no row in the table, and needs a dashboard that is there",
    excuses: (_, { options }) => options.tile !== undefined,
  },
  {
    name: "fail-on-edits",
    reason: "today --on-conflict fail does not refuse what only the target has changed",
    excuses: (_, { options }, plan) =>
      options.policy === "fail" &&
      plan.some(({ verdict }) => verdict === "conflict") &&
      plan.every(
        ({ verdict, changes }) =>
          verdict !== "conflict" || changes.every(({ change }) => change === "there" || change === "same"),
      ),
  },
  {
    name: "added-twice",
    reason:
      "today tiles of one name that both sides have added count as one tile, so a merge takes neither: reading 31",
    excuses: (_, __, plan) => plan.some(({ changes }) => hasAddedTwice(changes)),
  },
  {
    name: "alert-on-removed-tile",
    reason: "today only a merge leaves out an alert on a tile that was removed on the target; other policies block it",
    excuses: (_, { options }, plan) =>
      options.policy !== "merge" &&
      plan.some(({ kind, verdict, targetId }) => kind === "alert" && verdict === "edited" && targetId === undefined),
  },
  {
    name: "lagging-lists",
    reason:
      "today an import waits for what was created, not for what was updated or deleted: it takes an old list for somebody's edit",
    excuses: ({ journals }, { archive }, _, fault) => fault?.is === "lag" && hasChanged(journals[archive.letter] ?? []),
  },
  {
    name: "seen-in-part",
    reason:
      "today a record of which only some parts were found equal is not remembered, so a rename makes it anew: reading 8",
    excuses: ({ b, journals }, { archive }) =>
      [...fold(journals[archive.letter] ?? [])].some(([key, { targetId, wholeAt, isOurs }]) => {
        const [record, counterpart] = [archive.records.find(({ id }) => id === key), b.records.get(targetId)];
        const isSeen = wholeAt === undefined && !isOurs && record !== undefined && counterpart !== undefined;
        return isSeen && nameOf(record) !== nameOf(counterpart);
      }),
  },
  {
    name: "ours-after-rollback",
    reason: "today nothing that a rollback wrote is ours; by the contract only what it created again is not",
    excuses: ({ journals }, { archive }, plan) =>
      plan.some(({ verdict }) => verdict === "delete") &&
      (journals[archive.letter] ?? []).some((line) => line.is === "begin" && line.undoes !== undefined),
  },
] as const satisfies readonly KnownDifference[];

export type KnownName = KnownAfterwards | (typeof KNOWN)[number]["name"];

/** Tells whether the last run has updated or deleted a record. */
function hasChanged(journal: Journal): boolean {
  const run = journal.at(-1)?.run;
  return journal.some((line) => line.is === "intent" && line.run === run && line.does !== "create");
}

function hasAddedTwice(changes: readonly PartChange[]): boolean {
  const added = changes.filter(({ base, part }) => base === undefined && isTile(part));
  const names = (side: "desired" | "stored", other: "desired" | "stored"): string[] =>
    added.flatMap((each) => (each[other] === undefined ? tileName(each[side] ?? "") : []));
  return names("desired", "stored").some((name) => names("stored", "desired").includes(name));
}

/** Returns the name of the first known difference that an import meets. */
export function excusedBy(
  world: World,
  job: Job,
  plan: readonly Decision[],
  fault: Fault | undefined,
): KnownName | undefined {
  const known: readonly (KnownDifference & { readonly name: KnownName })[] = KNOWN;
  return known.find(({ excuses }) => excuses(world, job, plan, fault))?.name;
}
