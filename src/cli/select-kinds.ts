import { closestName } from "../config/closest-name.ts";
import { StackferryError } from "../domain/errors.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { findKind, kinds } from "../kinds/registry.ts";

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
