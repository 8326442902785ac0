import type { Base, Bases, ChildPairs } from "../../core/plan/base.ts";
import { qualifiedChildId, type IdMap, type IdMapping } from "../../core/plan/id-map.ts";
import type { JsonObject } from "../../core/json.ts";
import type { EntryOf, Journal, Settled } from "../../core/plan/journal.ts";
import { itemKey, type PlanItem } from "../../core/plan/plan.ts";
import { keyOfRecord, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { knownKind } from "../../kinds/registry.ts";
import { childIdOf, childrenOf, mapChildrenByPosition, mapTakenChildren } from "../../references/children.ts";
import { settledByWrite } from "../../references/compare.ts";
import { childKey, partsOfDesired, partsOfTarget } from "../../references/parts.ts";

export interface RunMemory {
  readonly journal: Journal;
  readonly bases: Bases;
  readonly identify: (key: RecordKey) => RecordKey;
  /** False for code files, in which a child's id is only its position. */
  readonly keepsChildren: boolean;
  readonly formerNames: ReadonlyMap<RecordKey, string>;
}

/** Undefined if the answer has other children than were sent. */
export function mapAnswer(
  { kind: name, parts }: PlanItem,
  record: StackRecord,
  answer: { readonly ids: IdMap; readonly sent: JsonObject; readonly stored: JsonObject },
): IdMapping[] | undefined {
  const kind = knownKind(name);
  return parts === undefined
    ? mapChildrenByPosition(kind, record.body, answer.stored)
    : mapTakenChildren(kind, record, parts, answer);
}

interface WrittenBody {
  readonly desired: JsonObject;
  readonly stored: JsonObject;
  readonly lacksLinks: boolean;
}

export function settleWrite(
  item: PlanItem,
  record: StackRecord,
  { desired, stored, lacksLinks }: WrittenBody,
  ids: IdMap,
  memory: RunMemory,
): Settled {
  const kind = knownKind(item.kind);
  const base = memory.bases.get(itemKey(item));
  const parts = partsOfDesired(kind, desired, { owner: record, ids, known: base?.children });
  const keptKeys = item.kept?.map(({ key }) => key) ?? [];
  const before =
    keptKeys.length > 0 && item.replaces !== undefined ? partsOfTarget(kind, item.replaces.body) : undefined;
  return {
    ...settledByWrite(parts, partsOfTarget(kind, stored), { base, kept: keptKeys, before }),
    ...identityOf(kind, record, ids, memory),
    ...(lacksLinks && { lacksLinks: true as const }),
  };
}

export function seenEntry(
  item: PlanItem,
  record: StackRecord,
  ids: IdMap,
  memory: RunMemory,
): EntryOf<"seen"> | undefined {
  const targetId = ids.get(item.kind, record.id);
  if (targetId === undefined) return undefined;
  const identity = identityOf(knownKind(item.kind), record, ids, memory);
  const seen = item.seen ?? newPairsOnly(memory.bases.get(itemKey(item)), identity);
  if (seen === undefined) return undefined;
  return { type: "seen", key: memory.identify(itemKey(item)), name: item.name, targetId, ...seen, ...identity };
}

/** New pairs count only for children whose part the base has; others are guesses. */
function newPairsOnly(base: Base | undefined, { children = {} }: Pick<Settled, "children">): Settled | undefined {
  if (base === undefined) return undefined;
  const isNew = Object.entries(children).some(([space, pairs]) =>
    Object.entries(pairs).some(
      ([id, to]) => base.children?.[space]?.[id] === undefined && base.parts[childKey(space, to)] !== undefined,
    ),
  );
  return isNew ? { parts: {}, ...(base.lacksLinks === true && { lacksLinks: true }) } : undefined;
}

function identityOf(
  kind: ResourceKind,
  record: StackRecord,
  ids: IdMap,
  { keepsChildren, formerNames }: RunMemory,
): Pick<Settled, "children" | "sourceName"> {
  const sourceName = formerNames.get(keyOfRecord(record));
  const children = keepsChildren ? childPairs(kind, record, ids) : undefined;
  return { ...(children && { children }), ...(sourceName !== undefined && { sourceName }) };
}

function childPairs(kind: ResourceKind, record: StackRecord, ids: IdMap): ChildPairs | undefined {
  const spaces = kind.children.flatMap((children) => {
    const pairs = childrenOf(record.body, children).flatMap((child) => {
      const from = childIdOf(child);
      const to = ids.get(children.space, qualifiedChildId(record.id, from));
      return to === undefined || to === "" || from === "" ? [] : [[from, to] as const];
    });
    return pairs.length === 0 ? [] : [[children.space, Object.fromEntries(pairs)] as const];
  });
  return spaces.length === 0 ? undefined : Object.fromEntries(spaces);
}
