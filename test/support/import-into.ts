import { ignoreEvents } from "../../src/core/events.ts";
import type { Journal } from "../../src/core/plan/journal.ts";
import type { Plan } from "../../src/core/plan/plan.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { recordKey } from "../../src/core/records/record.ts";
import type { ImportResult } from "../../src/import/apply/apply-plan.ts";
import type { Transforms } from "../../src/core/plan/transforms.ts";
import { applyPlan } from "../../src/import/apply/apply-plan.ts";
import type { PlanInput } from "../../src/import/plan/plan-import.ts";
import { planRecords } from "../../src/import/plan/plan-import.ts";
import { transformRecords } from "../../src/import/transform/transform-records.ts";
import { memoryJournal } from "../../src/core/plan/journal.ts";
import { replayJournal } from "../../src/journal/replay.ts";
import { kinds } from "../../src/kinds/registry.ts";
import type { PlanOptions } from "../../src/matching/plan-options.ts";
import { readInventory } from "../../src/matching/inventory.ts";
import { instantClock } from "./instant-clock.ts";
import type { MemoryStack } from "./memory-stack.ts";

/** The options of a plain import. */
export const plainImport: PlanOptions = {
  onConflict: "skip",
  kinds: [],
  create: [],
  filter: { include: [], exclude: [] },
  mapping: {},
  defaults: {},
  naming: { tags: [] },
};

/** What an import is asked to do, and what the secrets file answers. */
type Wishes = Partial<PlanOptions> & Pick<PlanInput, "verdicts" | "suppliedSecrets" | "whole" | "transformed">;

/** Plans an import of records into a memory stack. */
export async function planInto(
  stack: MemoryStack,
  records: readonly StackRecord[],
  { verdicts, whole = new Set(), suppliedSecrets, transformed, ...options }: Wishes = {},
  journal: Journal = memoryJournal(),
): Promise<Plan> {
  const inventory = await readInventory(stack.client, kinds, { events: ignoreEvents });
  const journaled = replayJournal(journal.entries).records;
  return planRecords({
    records,
    source: inventory.stack,
    inventory,
    options: { ...plainImport, ...options },
    journaled,
    whole,
    ...(verdicts && { verdicts }),
    ...(suppliedSecrets && { suppliedSecrets }),
    ...(transformed && { transformed }),
  });
}

/** Plans and carries out an import of records into a memory stack. */
export async function importInto(
  stack: MemoryStack,
  records: readonly StackRecord[],
  options: Wishes = {},
  journal: Journal = memoryJournal(),
): Promise<ImportResult & { plan: Plan }> {
  const plan = await planInto(stack, records, options, journal);
  const result = await carryOut(stack, plan, records, options, journal);
  return { ...result, plan };
}

/** The same of records that are transformed first, as another stack's are. */
export function importTransformed(
  stack: MemoryStack,
  records: readonly StackRecord[],
  transforms: Transforms,
  options: Wishes = {},
): ReturnType<typeof importInto> {
  const transformed = transformRecords(records, transforms, plainImport.filter);
  return importInto(stack, transformed.records, { ...options, transformed });
}

/** Carries out a plan on a memory stack. */
function carryOut(
  stack: MemoryStack,
  plan: Plan,
  records: readonly StackRecord[],
  options: Partial<PlanOptions> = {},
  journal: Journal = memoryJournal(),
): Promise<ImportResult> {
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const input = {
    plan,
    client: stack.client,
    naming: options.naming ?? plainImport.naming,
    fitLimits: options.fitLimits ?? false,
    onError: "continue",
    concurrency: 4,
    journal,
    clock: instantClock(),
    consistencyWaitMs: 1000,
    verify: true,
    read: async (key: string) => {
      const record = byKey.get(key as `${string}/${string}`);
      if (!record) throw new Error(`no record ${key}`);
      return record;
    },
  } as const;
  return applyPlan(input, { events: ignoreEvents });
}
