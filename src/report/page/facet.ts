import type { KindName } from "../../domain/record.ts";
import { kinds } from "../../kinds/registry.ts";
import { titleOf } from "./title-of.ts";

/** A choice of what is shown: all records of a kind, or all of a state. */
export interface Facet {
  /** The data attribute that it looks at, and what the group of buttons is called. */
  readonly name: "kind" | "state";
  readonly label: string;
  readonly values: readonly { readonly value: string; readonly label: string; readonly count: number }[];
}

/** The choice between the values that records have, in the order in which they come. */
export function facetOf(
  name: Facet["name"],
  label: string,
  values: readonly string[],
  wordFor: (value: string) => string,
): Facet {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return { name, label, values: [...counts].map(([value, count]) => ({ value, label: wordFor(value), count })) };
}

/** The choice between kinds, in the order in which the page has them. */
export function kindFacet(values: readonly KindName[]): Facet {
  const order = new Map(kinds.map(({ name }, index) => [name, index]));
  const place = (kind: KindName): number => order.get(kind) ?? kinds.length;
  return facetOf(
    "kind",
    "Kinds",
    [...values].sort((a, b) => place(a) - place(b)),
    titleOf,
  );
}
