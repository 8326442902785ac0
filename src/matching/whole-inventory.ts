import pLimit from "p-limit";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { StackClient } from "../core/ports.ts";
import type { KindName, StackRecord } from "../core/records/record.ts";
import { MAX_SINGLE_READS, membersLeftOut } from "../kinds/list-answers.ts";
import { parseRecord } from "../kinds/record-schema.ts";
import { knownKind } from "../kinds/registry.ts";
import { joinNames } from "../core/text/format.ts";
import type { Inventory, InventoryOfKind } from "./inventory.ts";
import { normalizedKinds } from "./inventory.ts";

/** Requests for single records in flight at a time. */
const AT_ONCE = 4;

/** Members named in a warning. */
const MAX_NAMED = 5;

/**
 * Reads records alone if lists omit members (docs/api.md#lists): otherwise a plan would wrongly find records equal or changed.
 * Undefined if the lists are complete. Costs a request per sample, and one per record of each kind whose list omits members.
 * @param samples records that seem to differ from their counterpart, at most one per kind
 */
export async function wholeInventory(
  inventory: Inventory,
  samples: readonly StackRecord[],
  client: StackClient,
  context: RunContext,
): Promise<Inventory | undefined> {
  const whole = new Map<KindName, InventoryOfKind>();
  for (const sample of samples) {
    const single = await readSingle(sample, client, context);
    const members = single === undefined ? [] : membersLeftOut(single.body, sample.body);
    const of = inventory.kinds.get(sample.kind);
    if (members.length === 0 || of === undefined) continue;
    if (of.records.length > MAX_SINGLE_READS) {
      const memberNames = joinNames(members, MAX_NAMED, (member) => member);
      const message = `the list of ${sample.kind} omits members (${memberNames}), and there are too many records to read one by one: records that seem to differ may be equal`;
      context.events({ type: "warning", warning: { code: "list-says-less", message } });
      continue;
    }
    const limit = pLimit(AT_ONCE);
    const records = await Promise.all(
      of.records.map((record) => limit(async () => (await readSingle(record, client, context)) ?? record)),
    );
    whole.set(sample.kind, { ...of, records });
  }
  if (whole.size === 0) return undefined;
  return { ...inventory, kinds: normalizedKinds(new Map([...inventory.kinds, ...whole])) };
}

/** Reads a record alone; undefined if it has no readable answer of its own. */
export async function readSingle(
  { kind: name, id }: StackRecord,
  client: StackClient,
  { signal }: RunContext,
): Promise<StackRecord | undefined> {
  const kind = knownKind(name);
  if (kind.routes[client.identity.variant].get === undefined) return undefined;
  try {
    const parsed = parseRecord(kind, await client.get(kind, id, signal));
    return parsed.ok ? parsed.record : undefined;
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted" || error.code === "unauthorized")
      throw error;
    return undefined;
  }
}
