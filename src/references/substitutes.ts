import type { StackRecord, Variant } from "../core/records/record.ts";
import { findKind } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "./children.ts";

/** A child that an answer shows instead of one that the API cannot show. */
export interface Substitute {
  /** The child's own id. */
  readonly id: string;
  readonly name: string;
}

/**
 * Lists the children that an answer of this variant shows as substitutes: no answer shows the real content, and any update of the
 * record destroys it (docs/api.md#hidden-tiles).
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
