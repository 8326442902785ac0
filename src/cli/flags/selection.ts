import type { RecordFilter } from "../../core/records/record-filter.ts";
import type { Arguments, Flags } from "./outline.ts";

export const selectionFlags = {
  kinds: { completes: "kinds", describe: "Only these kinds, separated by commas: dashboards,alerts" },
  include: { array: true, describe: "Only records of this name or id (* and ? allowed); repeatable" },
  exclude: { array: true, describe: "Leave out records of this name or id; repeatable" },
} as const satisfies Flags;

/** Selection flags that also decide whether the alerts on a record are included. */
export const selectionFlagsWithAlerts = {
  ...selectionFlags,
  include: {
    ...selectionFlags.include,
    describe: "Only records of this name or id (* and ? allowed), and the alerts on them; repeatable",
  },
} as const satisfies Flags;

export interface Selection {
  /** Names of kinds, not yet checked; empty means all. */
  readonly kinds: readonly string[];
  readonly filter: RecordFilter;
}

export function parseSelection({ kinds, include, exclude }: Arguments<typeof selectionFlags>): Selection {
  return { kinds: splitKinds(kinds), filter: { include, exclude } };
}

export function splitKinds(list = ""): string[] {
  return list.split(",").flatMap((name) => name.trim() || []);
}
