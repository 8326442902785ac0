import { groupBy } from "../core/collections.ts";
import type { Outcome } from "../core/outcome.ts";
import type { RecordState } from "../core/plan/state.ts";
import { keyOfRecord, splitKey, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { mergeRunWrites, type JournalReplay, type RunWrite } from "../journal/replay.ts";
import { findKind } from "../kinds/registry.ts";
import { withChildrenOfSameId } from "../matching/from-state.ts";
import { recordFinder, recordsWithContent, type Inventory } from "../matching/inventory.ts";
import { foldIds, foldedKey } from "../references/known-ids.ts";
import { leaveAlone } from "./outcomes.ts";

export interface BeforeImagesInput {
  readonly state: JournalReplay;
  readonly inventory: Inventory;
  /** Numbers of the runs to undo; default: all. */
  readonly runs?: readonly number[] | undefined;
  /** Whether to undo writes even if somebody has changed or used the records since. */
  readonly force: boolean;
}

/** Tells whether a run is to be undone. A loss without a run happened in a rollback, and is always undone. */
export function isChosen({ runs }: Pick<BeforeImagesInput, "runs">, run: number | undefined): boolean {
  return run === undefined || runs === undefined || runs.includes(run);
}

/** The images and deletes that undo the chosen runs' creates and updates. Keys are those of the target's records. */
export interface UndoneWrites {
  /** The content that the runs replaced. */
  readonly images: readonly StackRecord[];
  /** By image: what the runs stored of it. */
  readonly bases: ReadonlyMap<RecordKey, RecordState>;
  readonly created: ReadonlyMap<RecordKey, RecordState>;
  /** The records that stay as they are, each with the reason. */
  readonly left: readonly Outcome[];
  /** The keys of the written records in the journal. */
  readonly journalKeys: ReadonlyMap<RecordKey, readonly RecordKey[]>;
}

/** A record of the target, and the writes to it by the chosen runs and by all later runs, the earliest first. */
interface WrittenRecord {
  readonly kind: ResourceKind;
  readonly current: StackRecord;
  readonly chosen: readonly RunWrite[];
  readonly later: RunWrite | undefined;
  readonly sourceId: string;
}

/** No import sends content with these digests, so an image always counts as changed at its source. */
const NOTHING_SENT = { whole: "", members: {} } as const;

/** Assumed maximum error of a server's clock: it may be wrong by an hour, or by a time zone. */
const CLOCK_DIFFERENCE_MS = 24 * 60 * 60_000;

export function undoWrites(input: BeforeImagesInput): UndoneWrites {
  const { state, inventory } = input;
  const find = recordFinder(inventory);
  const images: StackRecord[] = [];
  const [bases, created] = [new Map<RecordKey, RecordState>(), new Map<RecordKey, RecordState>()];
  const left = ambiguousCreates(input);
  const journalKeys = new Map<RecordKey, readonly RecordKey[]>();
  const all = [...state.writes].flatMap(([key, writes]) => writes.map((write) => ({ ...write, key })));
  // Several records of an archive may have been written to one record of the target.
  for (const of of groupBy(all, ({ key, targetId }) => foldedKey(splitKey(key)[0], targetId)).values()) {
    const writes = of.toSorted((a, b) => a.run - b.run || (a.since ?? 0) - (b.since ?? 0));
    const chosen = writes.filter(({ run }) => isChosen(input, run));
    const last = chosen.at(-1);
    const [kindName, sourceId] = splitKey(last?.key ?? "");
    const kind = findKind(kindName);
    if (last === undefined || kind === undefined) continue;
    const current = find(kindName, last.targetId);
    if (current === undefined) {
      // A record that a later run has created again, under another id, is not reported under its former id.
      const isLast = foldIds(state.records.get(last.key)?.targetId ?? "") === foldIds(last.targetId);
      const record = { kind: kindName, id: last.targetId, name: last.name };
      if (isLast) left.push(leaveAlone(record, "gone", { sourceId }));
      continue;
    }
    const key = keyOfRecord(current);
    journalKeys.set(key, [...new Set(chosen.map((write) => write.key).toReversed())]);
    const first = writes.findIndex(({ run }) => isChosen(input, run));
    const later = writes.slice(first).find(({ run }) => !isChosen(input, run));
    const undone = undoRecord({ kind, current, chosen, later, sourceId }, find);
    if ("left" in undone) left.push(undone.left);
    else if (undone.image === undefined) created.set(key, undone.base);
    else {
      images.push(undone.image);
      bases.set(key, undone.base);
    }
  }
  return { images, bases, created, left, journalKeys };
}

/** Decides how to undo the writes to one record. Without an image, the record is deleted. */
function undoRecord(
  { kind, current, chosen, later, sourceId }: WrittenRecord,
  find: ReturnType<typeof recordFinder>,
): { readonly left: Outcome } | { readonly image?: StackRecord; readonly base: RecordState } {
  const leave = (code: string, message?: string) => ({ left: leaveAlone(current, code, { sourceId, message, find }) });
  if (later !== undefined) {
    return leave("later-run", `run ${later.run} wrote it later; undo that run first, or both with --run all`);
  }
  const { content = "", created = false, previous } = mergeRunWrites(chosen) ?? {};
  const stored = { whole: content, members: {} };
  const base = { targetId: current.id, name: current.name, written: true, sent: NOTHING_SENT, stored };
  if (created) return isProven(current, chosen[0]?.since) ? { base } : leave("unproven");
  if (previous === undefined) return leave("no-previous");
  const { kind: kindName, id } = current;
  const image = { kind: kindName, id, name: kind.nameOf(previous), body: { ...previous, id } };
  return { image, base: { ...base, children: withChildrenOfSameId(kind, image) } };
}

/**
 * Tells whether the journal and the target agree that an import created the record. Otherwise the record stays, even with
 * `--force`: a journal may contain anything.
 * @param since time at which the create began, in Unix milliseconds
 */
function isProven({ body: { createdAt } }: StackRecord, since: number | undefined): boolean {
  if (since === undefined) return false;
  return typeof createdAt !== "string" || !(Date.parse(createdAt) < since - CLOCK_DIFFERENCE_MS);
}

/** Lists the records that may be the results of creates without a known result, if there are more of them than such creates. */
function ambiguousCreates(input: BeforeImagesInput): Outcome[] {
  const { state, inventory } = input;
  const pending = state.pendingWrites.filter(
    ({ key, write }) => write === "create" && isChosen(input, state.creating.get(key) ?? 0),
  );
  const known = [...state.writes.values()].flat().map(({ targetId }) => foldIds(targetId));
  return [...groupBy(pending, ({ key, content }) => `${splitKey(key)[0]} ${content}`).values()].flatMap((of) => {
    const [kindName, sourceId] = splitKey(of[0]?.key ?? "");
    const kind = findKind(kindName);
    if (kind === undefined) return [];
    const others = new Set([...known, ...of.flatMap((write) => write.others ?? []).map(foldIds)]);
    const alike = recordsWithContent(inventory, kind, of[0]?.content).filter(({ id }) => !others.has(foldIds(id)));
    return alike.map((record) => leaveAlone(record, "ambiguous", { sourceId, find: recordFinder(inventory) }));
  });
}
