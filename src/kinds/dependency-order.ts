import type { ResourceKind } from "../core/resource-kind.ts";

/** Kinds that others point to come before those: the order in which records can be created, and from the end, deleted. */
export function inDependencyOrder(kinds: readonly ResourceKind[]): ResourceKind[] {
  const ordered = new Set<ResourceKind>();
  const begun = new Set<ResourceKind>();
  const visit = (kind: ResourceKind): void => {
    if (begun.has(kind)) return;
    begun.add(kind);
    for (const { to } of kind.references) {
      // A space like `dashboards/tiles` is inside its kind.
      const pointedTo = kinds.find(({ name }) => name === to.split("/")[0]);
      if (pointedTo) visit(pointedTo);
    }
    ordered.add(kind);
  };
  for (const kind of kinds) visit(kind);
  return [...ordered];
}

/** Whether records of some kind point to records of this one. */
export function isPointedTo({ name }: ResourceKind, kinds: readonly ResourceKind[]): boolean {
  return kinds.some(({ references }) => references.some(({ to }) => to === name));
}
