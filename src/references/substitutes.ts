import type { StackRecord, Variant } from "../core/records/record.ts";
import { findKind } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "./children.ts";

/** A child that a record's answer shows in the place of one that the API cannot show. */
export interface Substitute {
  /** Of the child. */
  readonly id: string;
  readonly name: string;
}

/**
 * The children of a record, as an answer of a stack of that variant shows it, that stand in for others: what the stack holds there
 * is in no answer, and any update of the record destroys it (docs/api.md#hidden-tiles).
 */
export function substitutesIn({ kind, body }: Pick<StackRecord, "kind" | "body">, variant: Variant): Substitute[] {
  return (findKind(kind)?.children ?? []).flatMap((children) => {
    const standsIn = children.isSubstitute?.[variant];
    if (standsIn === undefined) return [];
    return childrenOf(body, children)
      .filter(standsIn)
      .map((child) => ({ id: childIdOf(child), name: children.nameOf(child) }));
  });
}
