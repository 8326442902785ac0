import { getOrMake, groupBy } from "../core/collections.ts";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { isJsonObject } from "../core/json.ts";
import { memoryBudget, type SpendMemory } from "../core/records/memory-budget.ts";
import type { ListGap, ListedRecord, StackClient } from "../core/ports.ts";
import type { KindName, StackIdentity, StackRecord } from "../core/records/record.ts";
import type { FindRecord, ResourceKind, TargetAnswers } from "../core/resource-kind.ts";
import { idCaseNormalizer, withNormalizedId } from "../export/normalize-id-case.ts";
import {
  foreignApiError,
  forbiddenWarning,
  lacksOmittedMember,
  gapText,
  missingRightError,
} from "../kinds/list-answers.ts";
import { withDisplayNames } from "../kinds/nouns.ts";
import { parseRecord } from "../kinds/descriptor-parts.ts";
import { foldedKey } from "../references/known-ids.ts";
import { isAlwaysWritten } from "../kinds/registry.ts";

/** `partial`: the stack may have more records than its list shows. `forbidden`: the key lacks the right to read the list. */
export interface InventoryOfKind {
  readonly status: "complete" | "partial" | "not-offered" | "forbidden";
  readonly records: readonly StackRecord[];
  readonly refusal?: string;
}

export interface Inventory {
  readonly stack: StackIdentity;
  readonly kinds: ReadonlyMap<KindName, InventoryOfKind>;
  /** Records that show which members the stack supports, even if the stack no longer has the records. */
  readonly shownBefore?: readonly StackRecord[];
}

const recordsByKey = new WeakMap<Inventory, ReadonlyMap<string, StackRecord>>();

/** All finders of one inventory share an index, which ignores the case of ids. */
export function recordFinder(inventory: Inventory): FindRecord {
  const makeIndex = (): ReadonlyMap<string, StackRecord> =>
    new Map(recordsOf(inventory).map((record) => [foldedKey(record.kind, record.id), record]));
  return (kind, id) => getOrMake(recordsByKey, inventory, makeIndex).get(foldedKey(kind, id));
}

/**
 * A failed read throws, because a plan from half a list would create existing records again.
 * @throws StackferryError if a read fails; a missing list, or a refused optional one, is no failure
 */
export async function readInventory(
  client: StackClient,
  kinds: readonly ResourceKind[],
  context: RunContext,
): Promise<Inventory> {
  const hold = memoryBudget("stack");
  const lists = new Map<KindName, Promise<ReadKind>>();
  const readOnce = (name: KindName): Promise<ReadKind> =>
    getOrMake(lists, name, async (): Promise<ReadKind> => {
      const kind = kinds.find((candidate) => candidate.name === name);
      if (kind === undefined) return {};
      const hosts = await Promise.all((kind.livesOn ?? []).map(readOnce));
      const isEmpty = hosts.length > 0 && hosts.every(({ total }) => total === 0);
      return isEmpty ? { status: "complete", records: [], total: 0 } : readKind(client, kind, hold, context);
    });
  const read = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await readOnce(kind.name)) })));
  const codes = new Map(read.map(({ kind, error }) => [kind.name, error?.code]));
  const failed = read.find(({ status }) => status === undefined)?.error;
  const error = foreignApiError(client.identity, kinds, codes) ?? failed;
  if (error !== undefined) throw error;
  for (const { kind, status, error: refusal } of read) {
    if (status === "forbidden" && refusal !== undefined)
      context.events({ type: "warning", warning: forbiddenWarning(kind, refusal) });
  }
  const entries = read.map((list): [KindName, InventoryOfKind] => [list.kind.name, inventoryOf(list)]);
  return { stack: client.identity, kinds: normalizedKinds(new Map(entries)) };
}

/** Gives each id one case, because some stacks change the case between answers. */
function normalizedKinds(kinds: ReadonlyMap<KindName, InventoryOfKind>): Map<KindName, InventoryOfKind> {
  const all = [...kinds.values()].flatMap(({ records }) => records);
  const normalize = idCaseNormalizer(all, (record) => record);
  const named = groupBy(withDisplayNames(all.map((record) => withNormalizedId(record, normalize))), ({ kind }) => kind);
  return new Map([...kinds].map(([name, ofKind]) => [name, { ...ofKind, records: named.get(name) ?? [] }]));
}

export function isListed({ kinds }: Inventory, kind: KindName): boolean {
  const status = kinds.get(kind)?.status;
  return status === "complete" || status === "partial";
}

export function recordsOf({ kinds }: Inventory): StackRecord[] {
  return [...kinds.values()].flatMap(({ records }) => records);
}

export function targetAnswersOf({ stack, kinds, shownBefore = [] }: Inventory, kind: KindName): TargetAnswers {
  const records = [...(kinds.get(kind)?.records ?? []), ...shownBefore.filter((record) => record.kind === kind)];
  return { variant: stack.variant, shows: (member) => records.some(({ body }) => body[member] !== undefined) };
}

export function withRecords({ stack, kinds }: Inventory, found: readonly StackRecord[]): Inventory {
  const added = groupBy(found, ({ kind }) => kind);
  const withAdded = [...kinds].map(([name, of]): [KindName, InventoryOfKind] => [
    name,
    { ...of, records: [...of.records, ...(added.get(name) ?? [])] },
  ]);
  return { stack, kinds: new Map(withAdded) };
}

/** Without `status`, the read failed with `error`, or nobody asked for the list. */
interface ReadKind extends Partial<InventoryOfKind> {
  /** Includes records that are unreadable or that the list hides. */
  readonly total?: number;
  readonly error?: StackferryError;
}

async function readKind(
  client: StackClient,
  kind: ResourceKind,
  hold: SpendMemory,
  context: RunContext,
): Promise<ReadKind> {
  const records: StackRecord[] = [];
  let total = 0;
  let gap: ListGap | undefined;
  try {
    for await (const page of client.list(kind, context.signal, (found) => (gap = found))) {
      total += page.length;
      for (const listed of page) {
        const whole = await completeRecord(kind, listed, client, context);
        hold(whole.value);
        records.push(...readableRecords(kind, whole, context));
      }
    }
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    const refused = missingRightError(kind, client.identity.variant, error);
    if (refused !== undefined) return { status: "forbidden", error: refused };
    return error.code === "not-offered" ? { status: "not-offered", error } : { error };
  }
  context.events({ type: "listed", kind: kind.name, count: records.length });
  if (gap === undefined) return { status: "complete", records, total };
  const unless = isAlwaysWritten(kind.name) ? "" : " unless a map file names their ids";
  const message = `${gapText(kind, gap)}: the hidden records are not matched${unless}`;
  context.events({ type: "warning", warning: { code: "list-incomplete", message } });
  return { status: "partial", records, total: total + gap.hidden };
}

/** Reads a record by its id if the list omits a member, because the record would seem to lack the member. */
async function completeRecord(
  kind: ResourceKind,
  listed: ListedRecord,
  client: StackClient,
  { signal }: RunContext,
): Promise<ListedRecord> {
  const { value } = listed;
  if (!isJsonObject(value) || typeof value["id"] !== "string" || !lacksOmittedMember(kind, value)) return listed;
  try {
    return { value: await client.get(kind, value["id"], signal) };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return listed;
  }
}

function inventoryOf({ status = "not-offered", records = [], error }: ReadKind): InventoryOfKind {
  // A message about a record has only the hint; the warning about the kind has the whole error.
  return { status, records, ...(status === "forbidden" && error && { refusal: error.hint ?? error.message }) };
}

function readableRecords(kind: ResourceKind, { value, problem }: ListedRecord, context: RunContext): StackRecord[] {
  const parsed = parseRecord(kind, value, problem);
  if (parsed.ok) return [parsed.record];
  const message = `the target's ${kind.singular} ${parsed.id || "without id"} cannot be read (${parsed.problem}), so it is not matched; correct it there`;
  context.events({ type: "warning", warning: { code: "unreadable-record", message } });
  return [];
}
