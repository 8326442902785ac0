import { definedMembers, groupBy } from "../../core/collections.ts";
import { qualifiedChildId, type IdMap } from "../../core/plan/id-map.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ContentDigests, FormerDigests, StateRecords, RecordState } from "../../core/plan/state.ts";
import type { Outcome } from "../../core/outcome.ts";
import {
  keyOfRecord,
  recordKey,
  splitKey,
  type KindName,
  type RecordKey,
  type StackRecord,
} from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { JournalReplay, RunWrite } from "../../journal/replay.ts";
import { findKind, knownKind } from "../../kinds/registry.ts";
import { recordFinder, type Inventory } from "../../matching/inventory.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import { foldIds, foldedKey, foldedTargetKey } from "../../references/known-ids.ts";
import { contentDigests, recordFingerprint } from "../../references/record-content.ts";
import { itemKey, type TakenParts, type Plan, type PlanItem } from "../../core/plan/plan.ts";
import { bodyOfWholeUpdate, type RecordTranslation } from "../write-body.ts";
import { digestKeysOfParts, partsOfPartialUpdate } from "../partial-update.ts";

/** The results of a run, which the new state is made from. */
export interface FinishedRun {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  /** The target's answer to the last write of each record. */
  readonly stored: ReadonlyMap<RecordKey, JsonObject>;
  /** Holds the ids of all matched and written records. */
  readonly translation: RecordTranslation;
  readonly records: readonly StackRecord[];
  /** The records' names at the source, if transforms changed them. */
  readonly formerNames?: ReadonlyMap<RecordKey, string>;
  readonly inventory: Inventory;
  /** Records written by runs of this import, according to its journal. */
  readonly journaled: ReadonlyMap<RecordKey, { readonly targetId: string }>;
}

/** The identities by which the records of a source are recognised in the next version of the source. */
export interface SourceIdentities {
  /** Returns the identity of a record: for a record of a stack its own key, for a record of files a key that survives a rename. */
  readonly identify: (key: RecordKey) => RecordKey;
  /** True if children keep their ids from one version to the next. In files, the ids of children only stand for positions. */
  readonly keepChildren: boolean;
}

/** The identities of records that come from a stack. */
export const STACK_IDENTITIES: SourceIdentities = { identify: (key) => key, keepChildren: true };

/** Makes the state after a run, even after a stopped run. Records that the run did not reach keep their former state. */
export function stateAfterRun(before: StateRecords, run: FinishedRun, identities: SourceIdentities): StateRecords {
  const mirrored = run.outcomes.filter(({ action, code }) => action === "delete" || code === "gone");
  const written = run.outcomes.filter((outcome) => !mirrored.includes(outcome));
  const outcomes = new Map(written.map((outcome) => [recordKey(outcome.kind, outcome.sourceId), outcome]));
  const records = new Map(run.records.map((record) => [keyOfRecord(record), record]));
  const writtenTargets = new Set([...before].filter(([, { written: isWritten }]) => isWritten).map(targetOf));
  const foundStates = new Map<RecordKey, RecordState>();
  for (const item of run.plan.items) {
    const record = records.get(itemKey(item));
    if (record === undefined) continue;
    const key = identities.identify(itemKey(item));
    const result = {
      item,
      kind: knownKind(item.kind),
      record,
      end: outcomes.get(itemKey(item)),
      before: before.get(key),
      writtenTargets,
    };
    const recordState = nextRecordState(result, run, identities.keepChildren);
    if (recordState !== undefined) foundStates.set(key, recordState);
  }
  const newStates = withoutSharedTargets(foundStates);
  const deletedTargets = mirrored.filter(({ status }) => status === "done").map(foldedTargetKey);
  const taken = new Set([...[...newStates].map(targetOf), ...deletedTargets]);
  const formerStates = [...before].filter((entry) => !newStates.has(entry[0]) && !taken.has(targetOf(entry)));
  return new Map([...formerStates, ...newStates]);
}

/**
 * Removes duplicates: a map file may map two records to one record of the target, but a state must not. Keeps only the record that
 * an import has written.
 */
function withoutSharedTargets(states: ReadonlyMap<RecordKey, RecordState>): ReadonlyMap<RecordKey, RecordState> {
  const byTarget = groupBy([...states], targetOf);
  return new Map(
    [...byTarget.values()].flatMap((entries) =>
      entries.length === 1 ? entries : entries.filter(([, { written }]) => written).slice(0, 1),
    ),
  );
}

function targetOf([key, { targetId }]: readonly [RecordKey, RecordState]): string {
  return foldedKey(splitKey(key)[0], targetId);
}

/**
 * Adds the writes of a run that did not end.
 * @param identities by record key: the record's identity, if the identity differs from the key
 */
export function stateFromJournal(
  before: StateRecords,
  { records, writes, cascadeLosses }: JournalReplay,
  identities: Readonly<Record<RecordKey, RecordKey>>,
): StateRecords {
  const newStates = new Map<RecordKey, RecordState>();
  for (const [key, { targetId, name, content }] of records) {
    const identity = identities[key] ?? key;
    const recordState = before.get(identity);
    if (recordState?.stored?.whole === content) continue;
    const { sent: _sent, former: _former, ...rest } = recordState ?? {};
    const stored = { whole: content, members: {} };
    const hasOnlyOurs = isWrittenWhole(splitKey(key)[0], writes.get(key) ?? [], recordState);
    newStates.set(identity, {
      ...rest,
      targetId,
      name,
      written: true,
      lastWrite: content,
      ...(hasOnlyOurs ? unfinishedAs(stored) : { stored }),
    });
  }
  const removed = cascadeLosses.map(({ key }) => foldedKey(...splitKey(key)));
  const taken = new Set([...[...newStates].map(targetOf), ...removed]);
  return new Map([...[...before].filter((entry) => !taken.has(targetOf(entry))), ...newStates]);
}

/**
 * Tells whether imports alone have determined a record's content: the run has created the record, or has updated the content that
 * the last import stored. A merge may have left content that somebody made on the target.
 */
function isWrittenWhole(
  kindName: KindName,
  writes: readonly RunWrite[],
  recordState: RecordState | undefined,
): boolean {
  const [kind, last] = [findKind(kindName), writes.at(-1)];
  if (last === undefined || kind === undefined) return false;
  if (last.previous === undefined) return last.created && writes.length === 1 && recordState?.stored === undefined;
  return recordFingerprint(kind, last.previous) === recordState?.stored?.whole;
}

interface ItemResult {
  readonly item: PlanItem;
  readonly kind: ResourceKind;
  readonly record: StackRecord;
  readonly end: Outcome | undefined;
  readonly before: RecordState | undefined;
  /** The target's records that an import wrote, according to the former state, whichever records of the source they belong to. */
  readonly writtenTargets: ReadonlySet<string>;
}

/** Makes the state of one record; undefined if the run found out nothing new about it. */
function nextRecordState(result: ItemResult, run: FinishedRun, keepChildren: boolean): RecordState | undefined {
  const current = currentRecord(result, run);
  if (current === undefined) return undefined;
  const { item, kind, end, before } = result;
  const identity = identityOf(result, current, run, keepChildren);
  if (current.answer === undefined) {
    if (item.action === "skip" && kind.importPolicy.when === "on-request") return { ...before, ...identity };
    if ((end?.action ?? item.action) !== "unchanged") {
      // Without its target id, the record would be created a second time once the source has renamed it.
      return before === undefined && isJournaled(item, current, run) ? identity : undefined;
    }
  } else if (item.linksTo.length > 0 && end?.status !== "done") {
    const isWhole = partsOfPartialUpdate(item) === undefined;
    return { ...identity, ...(isWhole && unfinishedAs(contentDigests(kind, current.body))) };
  }
  return withContent(identity, result, current, run);
}

/** Adds the digests of what the run has written or found to the state of a record. */
function withContent(
  identity: RecordState,
  { item, kind, record, before }: ItemResult,
  { targetId, body }: CurrentRecord,
  { translation }: FinishedRun,
): RecordState {
  const sentBody = bodyOfWholeUpdate(kind, record, translation, targetId);
  const after = { ...identity, sent: contentDigests(kind, sentBody), stored: contentDigests(kind, body) };
  const parts = partsOfPartialUpdate(item);
  if (parts === undefined) return after;
  const replaced = item.replaces?.body ?? body;
  const keys = digestKeysOfParts(kind, record, parts, { ids: translation.ids, replaced });
  return stateOfParts(before, after, { keys, leaves: parts.leaves, replaced: contentDigests(kind, replaced) });
}

/**
 * Makes the digests of a record that an interrupted run may have left unfinished, for instance without its deferred links. The
 * digests claim that the source's record equalled the target's. So the next run takes the missing parts for changes of the source,
 * and writes them.
 * @param written digests of the parts that the run alone has determined
 */
function unfinishedAs(written: ContentDigests): Required<Pick<RecordState, "sent" | "stored">> {
  return { sent: written, stored: written };
}

/** A record as the target has it at the end of a run. */
interface CurrentRecord {
  readonly targetId: string;
  readonly body: JsonObject;
  /** The target's answer to the run's last write of the record; undefined if the run did not write it. */
  readonly answer: JsonObject | undefined;
}

/** Finds a record on the target; undefined if the target does not have it. */
function currentRecord(
  { item, kind }: ItemResult,
  { stored, translation, inventory }: FinishedRun,
): CurrentRecord | undefined {
  const answer = stored.get(itemKey(item));
  if (answer !== undefined) {
    const writtenId = translation.ids.get(kind.name, item.sourceId);
    return writtenId === undefined ? undefined : { targetId: writtenId, body: answer, answer };
  }
  const listed = recordFinder(inventory)(kind.name, item.targetId ?? "");
  return listed && { targetId: listed.id, body: listed.body, answer };
}

/** Returns the members of a record's state that do not depend on its content. */
function identityOf(
  { item, kind, record, before, writtenTargets }: ItemResult,
  { targetId, answer }: CurrentRecord,
  { translation, journaled, formerNames }: FinishedRun,
  keepChildren: boolean,
): RecordState {
  const key = itemKey(item);
  const earlier = before !== undefined && foldIds(before.targetId) === foldIds(targetId) ? before : undefined;
  return definedMembers({
    targetId,
    name: record.name,
    sourceName: formerNames?.get(key),
    written:
      answer !== undefined ||
      writtenTargets.has(foldedKey(kind.name, targetId)) ||
      isJournaled(item, { targetId }, { journaled }),
    lastWrite: answer === undefined ? earlier?.lastWrite : recordFingerprint(kind, answer),
    former: formerBase(earlier, answer && recordFingerprint(kind, answer)),
    children: keepChildren ? childrenIds(kind, record, translation.ids) : undefined,
  });
}

/** Tells whether an earlier run of this import wrote the record that the target has now. */
function isJournaled(
  item: PlanItem,
  { targetId }: Pick<CurrentRecord, "targetId">,
  { journaled }: Pick<FinishedRun, "journaled">,
): boolean {
  const writtenId = journaled.get(itemKey(item))?.targetId;
  return writtenId !== undefined && foldIds(writtenId) === foldIds(targetId);
}

/** Returns the digests from before the record's last write. @param written digest of what this run stored, if it wrote */
function formerBase(before: RecordState | undefined, written: string | undefined): FormerDigests | undefined {
  if (before === undefined || written === undefined) return before?.former;
  const { sent, stored } = before;
  return sent && stored && { sent, stored, replacedBy: written };
}

/** A digest that no content has, so that the part counts as changed. */
const OTHER_CONTENT = "0".repeat(16);

/** The parts that an update has taken, and the digests of the record that the update has replaced. */
interface UpdatedParts {
  readonly keys: readonly string[];
  readonly leaves: TakenParts["leaves"];
  readonly replaced: ContentDigests;
}

/**
 * Adds the written parts to the former state. All other parts keep their former digests, so that the next run finds their
 * differences again, and so that the record as a whole does not count as written by an import.
 */
function stateOfParts(
  before: RecordState | undefined,
  after: RecordState,
  { keys, leaves, replaced }: UpdatedParts,
): RecordState {
  const { sent, stored, children = {}, ...identity } = after;
  const spaces = [...new Set([...Object.keys(before?.children ?? {}), ...Object.keys(children)])];
  const withoutDigests = {
    ...identity,
    written: before?.written === true,
    ...(spaces.length > 0 && {
      children: Object.fromEntries(
        spaces.map((space) => [space, { ...before?.children?.[space], ...children[space] }]),
      ),
    }),
  };
  if (before?.sent === undefined || before.stored === undefined) return withoutDigests;
  return {
    ...withoutDigests,
    sent: { ...withMembersOf(before.sent, sent, keys), ...(leaves === "edits" && sent && { whole: sent.whole }) },
    stored: withRefitted(before.stored, withMembersOf(before.stored, stored, keys), { keys, replaced, after: stored }),
  };
}

/**
 * Stores new digests of parts that an update has changed without taking them from the archive: a tile has lost its container, or
 * was written in a form that the API accepts. A part that somebody edited still counts as edited, even if the update has made the
 * part equal to the version of the last import.
 */
function withRefitted(
  before: ContentDigests,
  merged: ContentDigests,
  { keys, replaced, after }: Pick<UpdatedParts, "keys" | "replaced"> & { readonly after: ContentDigests | undefined },
): ContentDigests {
  const refitted = Object.entries(before.members).flatMap(([key, former]): [string, string][] => {
    const [present, now] = [replaced.members[key], after?.members[key]];
    if (keys.includes(key) || present === undefined || now === undefined || present === now) return [];
    if (former === present) return [[key, now]];
    return former === now ? [[key, OTHER_CONTENT]] : [];
  });
  const isHidden = refitted.some(([, digest]) => digest === OTHER_CONTENT);
  return {
    whole: isHidden ? OTHER_CONTENT : merged.whole,
    members: { ...merged.members, ...Object.fromEntries(refitted) },
  };
}

function withMembersOf(
  before: ContentDigests,
  after: ContentDigests | undefined,
  keys: readonly string[],
): ContentDigests {
  const taken = Object.entries(after?.members ?? {}).filter(([key]) => keys.includes(key));
  const others = Object.entries(before.members).filter(([key]) => !keys.includes(key));
  return { ...before, members: Object.fromEntries([...others, ...taken]) };
}

function childrenIds(kind: ResourceKind, record: StackRecord, ids: IdMap): RecordState["children"] {
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
