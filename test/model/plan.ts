// The model: what a plan is, and what it is made from.
import type { Decided, PartChange, Policy } from "./compare.ts";
import type { Line, Memory } from "./journal.ts";
import type { Matches } from "./match.ts";
import { linksOf, type Archive, type ChosenTile, type Id, type ModelRecord, type Stack } from "./stack.ts";

export interface Options {
  readonly policy: Policy;
  /** Delete what is ours and the source no longer has. */
  readonly mirror?: boolean;
  /** Take only this dashboard of the source, and the alerts on it. */
  readonly only?: Id | undefined;
  /** Take only this tile of this dashboard of the source. */
  readonly tile?: ChosenTile | undefined;
  /** The journal of imports from the target to the source. */
  readonly reverse?: readonly Line[] | undefined;
  /** Make copies, whose names begin with this text. */
  readonly prefix?: string | undefined;
}

/** What a run does with a record of the source, or why it does nothing. `key` is the record's id there. */
export interface Decision {
  readonly key: Id;
  readonly kind: ModelRecord["kind"];
  readonly verdict:
    | Decided["verdict"]
    | "create"
    | "delete"
    | "gone-edited"
    | "later-run"
    | "no-dashboard"
    | (typeof BLOCKS)[number];
  readonly targetId: Id | undefined;
  readonly changes: readonly PartChange[];
  readonly taken: ReadonlySet<string>;
  /** The source's parts → the target's parts. */
  readonly children: ReadonlyMap<string, string>;
}

const BLOCKS = ["ambiguous", "missing", "dead-link", "would-delete-alerts", "in-use", "create-unknown"] as const;
export const isBlocked = ({ verdict }: Decision): boolean => BLOCKS.some((block) => block === verdict);

/** Tells whether a run writes nothing at all: a conflict under `fail`, or a tile whose dashboard is not there. */
export const isRefused = (plan: readonly Decision[]): boolean =>
  plan.some(({ verdict }) => verdict === "conflict" || verdict === "no-dashboard");

/** Lists what is asked for: all records, or the chosen dashboard and the alerts on it, or on the chosen tile. */
export function requestedOf({ records }: Archive, { tile, only }: Options): readonly ModelRecord[] {
  const [dashboard, watched] = [tile?.of ?? only, tile?.part ?? only];
  if (dashboard === undefined || watched === undefined) return records;
  return records.filter(
    ({ id, kind, parts }) => id === dashboard || (kind === "alert" && linksOf(parts).includes(watched)),
  );
}

/** All that a plan is made from. */
export interface Scene {
  readonly archive: Archive;
  readonly target: Stack;
  readonly options: Options;
  readonly memories: ReadonlyMap<Id, Memory>;
  readonly matches: Matches;
  /** Creates of a killed run of which nobody can say whether they arrived. */
  readonly unknown: ReadonlySet<Id>;
}
