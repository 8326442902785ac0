// The model: who changed what, and what an import does about it.
import type { Base, Memory } from "./journal.ts";
import { isTile, type Parts } from "./stack.ts";

/** Who changed a part since it was last settled: nobody, the source, the target, both, or nobody can say. */
export type Change = "same" | "here" | "there" | "both" | "unknown";

export interface PartChange {
  readonly part: string;
  readonly desired: string | undefined;
  readonly stored: string | undefined;
  readonly base: Base | undefined;
  readonly change: Change;
}

/** What is to be compared. All parts have the ids of the target; parts that only the source has keep theirs. */
export interface Sides {
  readonly desired: Parts;
  readonly target: Parts;
  readonly memory: Memory | undefined;
  /** The time of the archive. */
  readonly at: number;
  /** Whether the archive is of the target itself. */
  readonly isOwn: boolean;
  /** Tells whether two texts differ only in ids that the target does not have. */
  readonly differOnlyInDeadIds: (desired: string, stored: string) => boolean;
}

export function compare(sides: Sides): PartChange[] {
  const { desired, target, memory } = sides;
  return [...new Set([...desired.keys(), ...target.keys(), ...(memory?.bases.keys() ?? [])])].map((part) => {
    const texts = { part, desired: desired.get(part), stored: target.get(part), base: memory?.bases.get(part) };
    return { ...texts, change: changeOf(texts, sides) };
  });
}

function changeOf({ desired, stored, base }: Omit<PartChange, "part" | "change">, sides: Sides): Change {
  if (areEqual(desired, stored)) return "same";
  if (desired !== undefined && stored !== undefined && sides.differOnlyInDeadIds(desired, stored)) return "here";
  const { at, memory, isOwn } = sides;
  if (memory === undefined || (base === undefined && !memory.isWhole)) return "unknown";
  const isHere = !areEqual(desired, base?.desired);
  const isThere = !areEqual(stored, base?.stored);
  if (isHere && isThere) return "both";
  if (isThere) return "there";
  if (!isHere) return "same";
  // Time goes forward by itself, and back only on request.
  const isBack = at < (base?.at ?? memory.at) || (isOwn && !(base?.isWritten ?? memory.isOurs));
  return isBack ? "unknown" : "here";
}

/** Blanks around a name do not count: a web interface keeps them, and the API does not. */
export const areEqual = (text: string | undefined, other: string | undefined): boolean =>
  text?.trim() === other?.trim();

export type Policy = "keep" | "merge" | "overwrite" | "fail";
export type Verdict = "unchanged" | "update" | "edited" | "both-changed" | "exists" | "conflict" | "merge";

/** What happens to a record. Its gravest change chooses the row. */
const TABLE: Readonly<Record<Change, Readonly<Record<Policy, Verdict>>>> = {
  same: { keep: "unchanged", merge: "unchanged", overwrite: "unchanged", fail: "unchanged" },
  here: { keep: "update", merge: "update", overwrite: "update", fail: "update" },
  there: { keep: "edited", merge: "edited", overwrite: "update", fail: "conflict" },
  both: { keep: "both-changed", merge: "merge", overwrite: "update", fail: "conflict" },
  unknown: { keep: "exists", merge: "merge", overwrite: "update", fail: "conflict" },
};

export interface Decided {
  readonly verdict: Exclude<Verdict, "merge">;
  /** The parts that are taken from the source. The others stay as they are on the target. */
  readonly taken: ReadonlySet<string>;
}

/** @param chosen the only part that is wanted, which is taken under every policy */
export function decide(changes: readonly PartChange[], policy: Policy, chosen?: string): Decided {
  const differing = changes.filter(
    ({ part, change }) => change !== "same" && (chosen === undefined || part === chosen),
  );
  const take = (verdict: "update", parts: readonly PartChange[]): Decided => ({
    verdict,
    taken: new Set(parts.map(({ part }) => part)),
  });
  const keep = (verdict: Decided["verdict"]): Decided => ({ verdict, taken: new Set() });
  if (chosen !== undefined) return differing.length > 0 ? take("update", differing) : keep("unchanged");
  const row = gravest(differing);
  const verdict = TABLE[row][policy];
  if (verdict === "update") return take(verdict, differing);
  if (verdict !== "merge") return keep(verdict);
  const mergeable = differing.filter((each) => each.change === "here" || isNew(each));
  return mergeable.length > 0 ? take("update", mergeable) : decide(changes, "keep");
}

function gravest(changes: readonly PartChange[]): Change {
  const seen = new Set(changes.map(({ change }) => change));
  if (seen.has("unknown")) return "unknown";
  if (seen.has("both") || (seen.has("here") && seen.has("there"))) return "both";
  if (seen.has("there")) return "there";
  return seen.has("here") ? "here" : "same";
}

/** Tells whether only the source has a tile: to add it takes nothing away. */
function isNew({ part, change, desired, stored, base }: PartChange): boolean {
  return isTile(part) && change === "unknown" && desired !== undefined && stored === undefined && base === undefined;
}

/** Returns the bases of a record after some of its parts are settled. @param answer what the target has now */
export function settle(
  changes: readonly (PartChange & { readonly isSettled: boolean })[],
  answer: Parts,
  at: number,
  isWrite: boolean,
): ReadonlyMap<string, Base> {
  return new Map(
    changes.flatMap(({ part, desired, base, isSettled }): [string, Base][] => {
      // What the target alone has is the server's own, or was never ours.
      if (!isSettled || (desired === undefined && base === undefined)) return base === undefined ? [] : [[part, base]];
      // What neither side has any more is forgotten.
      if (desired === undefined && !answer.has(part)) return [];
      // What a write carries unchanged is what the import wants, so a later archive may change it as if it had been written.
      const isWritten = isWrite || base?.isWritten === true;
      return [[part, { desired, stored: answer.get(part), isWritten, at }]];
    }),
  );
}
