import type { PlanItem } from "../../core/plan.ts";
import type { KindName, RecordKey } from "../../core/record.ts";
import { kinds } from "../../kinds/registry.ts";

/**
 * Records that need no look at the target's list: another record that was written points to them, and the server refuses a
 * reference to what it does not have. Only records without links of their own, as the server may lose a link on its own.
 */
export function provenByUse(written: readonly PlanItem[]): ReadonlySet<RecordKey> {
  const provable = kinds.filter(({ name, references }) => references.length === 0 && isAlwaysChecked(name));
  const names = new Set(provable.map(({ name }) => name));
  return new Set(written.flatMap(({ dependsOn }) => dependsOn.filter((key) => names.has(key.split("/")[0] ?? ""))));
}

function isAlwaysChecked(kind: KindName): boolean {
  return kinds.flatMap(({ references }) => references).every(({ to, checked }) => to !== kind || checked);
}
