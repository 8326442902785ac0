import type { Arguments, Flag } from "./outline.ts";

/** Flags that select records. */
export const selectionFlags = {
  kinds: {
    type: "string",
    requiresArg: true,
    completes: "kinds",
    describe: "Only these kinds, separated by commas: dashboards,alerts",
  },
  include: {
    type: "string",
    array: true,
    requiresArg: true,
    describe: "Only records of this name or id (* and ? allowed); repeatable",
  },
  exclude: {
    type: "string",
    array: true,
    requiresArg: true,
    describe: "Leave out records of this name or id (* and ? allowed); repeatable",
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** Selection flags that also decide whether the alerts on a record are included. */
export const selectionFlagsWithAlerts = {
  ...selectionFlags,
  include: {
    ...selectionFlags.include,
    describe: "Only records of this name or id (* and ? allowed), and the alerts on them; repeatable",
  },
  only: {
    type: "string",
    array: true,
    requiresArg: true,
    describe: "Only records of this name or id (* and ? allowed), not the alerts on them; repeatable",
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** The selected records. */
export interface Selection {
  /** Names of kinds, not yet checked; empty means all. */
  readonly kinds: readonly string[];
  readonly filter: {
    readonly include: readonly string[];
    readonly only?: readonly string[];
    readonly exclude: readonly string[];
  };
}

/** Normalises the selection flags. */
export function selection({
  kinds,
  include,
  only = [],
  exclude,
}: Arguments<typeof selectionFlags> & { readonly only?: readonly string[] }): Selection {
  return { kinds: kindsOf(kinds), filter: { include, only, exclude } };
}

/** Splits the value of `--kinds`. */
export function kindsOf(list = ""): string[] {
  return list.split(",").flatMap((name) => name.trim() || []);
}
