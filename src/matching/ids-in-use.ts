import type { IdSpace } from "../core/resource-kind.ts";
import { kinds } from "../kinds/registry.ts";
import { findReferences } from "../references/references.ts";
import type { Inventory } from "./inventory.ts";

/**
 * Collects the ids of a space that the target's records reference, each with a record that does. Without a list on the target,
 * nothing else is known of the space.
 */
export function idsInUse(wantedSpace: IdSpace, inventory: Inventory): Map<string, string> {
  const used = new Map<string, string>();
  for (const kind of kinds.filter(({ references }) => references.some(({ to }) => to === wantedSpace))) {
    for (const record of inventory.kinds.get(kind.name)?.records ?? []) {
      for (const { space, id } of findReferences(kind, record.body, new Map())) {
        if (space === wantedSpace && !used.has(id)) used.set(id, `used by the ${kind.singular} "${record.name}"`);
      }
    }
  }
  return used;
}
