import type { IdSpace } from "../core/resource-kind.ts";
import { kinds } from "../kinds/registry.ts";
import { findReferences } from "../references/references.ts";
import type { Inventory } from "./inventory.ts";

/** The ids of a space that the target's records point to, each with who does: all that is known where the target has no list. */
export function idsInUse(wanted: IdSpace, inventory: Inventory): Map<string, string> {
  const used = new Map<string, string>();
  for (const kind of kinds.filter(({ references }) => references.some(({ to }) => to === wanted))) {
    for (const record of inventory.kinds.get(kind.name)?.records ?? []) {
      for (const { space, id } of findReferences(kind, record.body, new Map())) {
        if (space === wanted && !used.has(id)) used.set(id, `used by the ${kind.singular} "${record.name}"`);
      }
    }
  }
  return used;
}
