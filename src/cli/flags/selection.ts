import type { InferredOptionTypes, Options } from "yargs";
import { StackferryError } from "../../core/errors.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { closestName } from "../../core/similarity.ts";
import { findKind, kinds } from "../../kinds/registry.ts";

/** Flags that select records. */
export const selectionFlags = {
  kinds: { type: "string", requiresArg: true, describe: "Only these kinds, separated by commas" },
  include: {
    type: "string",
    array: true,
    requiresArg: true,
    describe: "Only records of this name or id (* and ?), repeatable",
  },
  exclude: {
    type: "string",
    array: true,
    requiresArg: true,
    describe: "No records of this name or id (* and ?), repeatable",
  },
} as const satisfies Readonly<Record<string, Options>>;

/** Which records are selected. */
export interface Selection {
  /** Names of kinds, not yet checked; empty means all. */
  readonly kinds: readonly string[];
  readonly filter: { readonly include: readonly string[]; readonly exclude: readonly string[] };
}

/** The selection flags, normalised. */
export function selection(args: InferredOptionTypes<typeof selectionFlags>): Selection {
  const names = (args.kinds ?? "").split(",").map((name) => name.trim());
  return {
    kinds: names.filter((name) => name !== ""),
    filter: { include: args.include ?? [], exclude: args.exclude ?? [] },
  };
}

/** The kinds that `--kinds` names. @throws StackferryError `usage` for a name that is none. */
export function namedKinds(names: readonly string[]): ResourceKind[] {
  return [...new Set(names)].map((name) => {
    const kind = findKind(name);
    if (kind !== undefined) return kind;
    const known = kinds.map((each) => each.name);
    const meant = closestName(name, known);
    const hint = meant === undefined ? `the kinds are ${known.join(", ")}` : `did you mean ${meant}?`;
    throw new StackferryError("usage", `--kinds names "${name}", which is no kind`, { hint });
  });
}
