import type { ResourceKind } from "../core/resource-kind.ts";

/** Sorts kinds so that a kind comes after those that it references: the order for creates, and reversed, for deletes. */
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

/** Tells whether records of some kind reference records of this one. */
export function isPointedTo({ name }: ResourceKind, kinds: readonly ResourceKind[]): boolean {
  return kinds.some(({ references }) => references.some(({ to }) => to === name));
}
