import { ignoreEvents } from "../../src/domain/events.ts";
import type { Plan } from "../../src/domain/plan.ts";
import { recordKey } from "../../src/domain/record.ts";
import type { StackRecord } from "../../src/domain/record.ts";
import { applyPlan } from "../../src/jobs/apply-plan.ts";
import type { ImportResult } from "../../src/jobs/apply-plan.ts";
import type { ImportOptions } from "../../src/jobs/import-options.ts";
import { readInventory } from "../../src/jobs/inventory.ts";
import { planImport } from "../../src/jobs/plan-import.ts";
import { kinds } from "../../src/kinds/registry.ts";
import type { MemoryStack } from "./memory-stack.ts";

/** The options of a plain import. */
export const plainImport: ImportOptions = {
  onConflict: "skip",
  kinds: [],
  filter: { include: [], exclude: [] },
  mapping: {},
  defaults: {},
  labels: { tags: [] },
};

/** Plans an import of records into a memory stack. */
export async function planInto(
  stack: MemoryStack,
  records: readonly StackRecord[],
  options: Partial<ImportOptions> = {},
): Promise<Plan> {
  const inventory = await readInventory(stack.client, kinds, { events: ignoreEvents });
  return planImport({ records, inventory, options: { ...plainImport, ...options } });
}

/** Plans and carries out an import of records into a memory stack. */
export async function importInto(
  stack: MemoryStack,
  records: readonly StackRecord[],
  options: Partial<ImportOptions> = {},
): Promise<ImportResult & { plan: Plan }> {
  const plan = await planInto(stack, records, options);
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const result = await applyPlan(
    {
      plan,
      client: stack.client,
      labels: options.labels ?? plainImport.labels,
      onError: "continue",
      concurrency: 4,
      read: async (key) => {
        const record = byKey.get(key);
        if (!record) throw new Error(`no record ${key}`);
        return record;
      },
    },
    { events: ignoreEvents },
  );
  return { ...result, plan };
}
