import { placesAt, valueAt } from "../../domain/member-path.ts";
import type { StackRecord } from "../../domain/record.ts";
import type { IdSpace, ReferencePath } from "../../domain/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";

/** Something that a record points to: a record of a kind, or of an id space outside the contract (connections). */
export interface Need {
  readonly space: IdSpace;
  readonly id: string;
}

/** What a record points to by the paths that its kind declares, each once. Parts (tiles) count as what holds them. */
export function needsOf({ kind, body }: StackRecord): readonly Need[] {
  const found = new Map<string, Need>();
  for (const path of findKind(kind)?.references ?? []) {
    if (path.within !== undefined) continue;
    for (const id of idsAt(path, body)) found.set(`${path.to} ${id}`, { space: path.to, id });
  }
  return [...found.values()];
}

function idsAt(path: ReferencePath, body: StackRecord["body"]): string[] {
  return placesAt(body, path.path).flatMap(({ value, indices }) => {
    if (typeof value !== "string" || value === "") return [];
    return path.when && valueAt(body, path.when.path, indices) !== path.when.is ? [] : [value];
  });
}
