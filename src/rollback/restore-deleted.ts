import { groupBy } from "../core/collections.ts";
import { IdMap, type KnownId, type KnownIds } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import { keyOfRecord, splitKey, targetKey, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { isPendingCreate, type CascadeLoss, type JournalReplay, type BroughtBackRecord } from "../journal/replay.ts";
import { findKind, kinds, knownKind } from "../kinds/registry.ts";
import { recordFinder, type Inventory } from "../matching/inventory.ts";
import { naturalKey } from "../matching/match-records.ts";
import { findPlaceholders } from "../redaction/placeholders.ts";
import { foldIds, foldedKey, idsIn, replaceKnownIds } from "../references/known-ids.ts";
import { recordFingerprint, haveSameContent } from "../references/record-content.ts";
import { findReferences } from "../references/references.ts";
import { withNotes, type RollbackNote, type RollbackItem } from "./item.ts";
import { wasCreatedBefore, type RollbackInput } from "./undo-record.ts";
import { checkRestoredBody } from "./check-restored-body.ts";
import { addNewIds, withNewIds, mentionableIds, mentionableIdsOfItems } from "./new-ids.ts";
import { valueAtTokens, withValueAt } from "../core/records/member-path.ts";
import { acceptedBody } from "../import/write-body.ts";
import { fitBody } from "../kinds/limits.ts";

/** A record that the server or the import deleted, or that the server may have deleted, with its body before the import. */
interface Lost extends CascadeLoss {
  readonly kind: ResourceKind;
  readonly id: string;
}

/** The items for deleted records, and the keys of the target's records that have taken the place of deleted records. */
export interface PlannedRestores {
  readonly items: readonly RollbackItem[];
  readonly inPlace: ReadonlySet<RecordKey>;
}

/**
 * Plans to create again the records that the server deleted during the import (`cascade-loss`) and the records that the import
 * deleted, referenced records first. Leaves alone a record that exists again, under whatever id. Does not restore a record that the
 * import itself had created.
 * @param deleted keys of the target's records that this rollback would delete; other records are preferred as counterparts
 * @param ids receives the new ids of records that exist again, and of their children, by their old ids
 */
export function planRestores(input: RollbackInput, deleted: ReadonlySet<RecordKey>, ids: IdMap): PlannedRestores {
  const { state, runs } = input;
  const inPlace = new Set<RecordKey>();
  const lacking = new Set<RecordKey>();
  const findAgain = counterpartFinder(input, deleted, ids);
  const startedAt = new Map(
    state.pendingWrites.flatMap((pending) => (isPendingCreate(pending) ? [[pending.key, pending.since]] : [])),
  );
  const chosen = lostRecords(state).filter(({ run }) => run === undefined || runs === undefined || runs.includes(run));
  const items = chosen.flatMap((lost): RollbackItem[] => {
    const { key, kind, id, name } = lost;
    const item = { key, kind: kind.name, sourceId: id, targetId: id, name };
    const body = withNewIds(kind, lost.body, ids);
    const { targetRecord, candidates } = findAgain(lost, body);
    if (targetRecord !== undefined) {
      if (!lost.proven && foldIds(targetRecord.id) === foldIds(id)) return [];
      inPlace.add(keyOfRecord(targetRecord));
      addNewIds(kind, { ...lost.body, id }, { ...targetRecord.body, id: targetRecord.id }, ids);
      return [{ ...item, action: "skip", code: "put-back", message: "is on the target again" }];
    }
    const checked = checkRestoredBody(kind, lost.body, undefined, input);
    const unclear = obstacleOf(kind, lost.body, lacking) ?? unclearOf(kind, body, candidates, startedAt.get(key));
    const obstacle = unclear ?? ("refusal" in checked ? checked.refusal : undefined);
    if (obstacle === undefined && "body" in checked) {
      return [withNotes({ ...item, action: "create", previous: checked.body }, checked.notes)];
    }
    lacking.add(key);
    return [{ ...item, action: "skip", ...obstacle }];
  });
  return { items, inPlace };
}

/** The record of the target that has taken the place of a deleted record, and all records that could have. */
interface FoundAgain {
  readonly targetRecord: StackRecord | undefined;
  readonly candidates: readonly StackRecord[];
}

/**
 * Makes a function that finds the record which has taken the place of a deleted record: the record with its id, or else a record
 * with its content. A record that is found by its content takes the place of one deleted record only.
 * @param deleted keys of the records that this rollback would delete; other records are preferred
 * @returns a function of a deleted record and of its former body with the present ids
 */
function counterpartFinder(
  { state, inventory }: RollbackInput,
  deleted: ReadonlySet<RecordKey>,
  ids: IdMap,
): (lost: Lost, body: JsonObject) => FoundAgain {
  const unclaimed = new Map<string, StackRecord[]>();
  // A record that an earlier run of the rollback created again is the counterpart of one deleted record only.
  const taken = new Set(state.broughtBack.map(({ targetId }) => foldIds(targetId)));
  const isDeleted = (record: StackRecord): number => Number(deleted.has(keyOfRecord(record)));
  return ({ kind, id, body: formerBody }, body) => {
    const listed = inventory.kinds.get(kind.name)?.records ?? [];
    const candidates = listed.filter((record) => !taken.has(foldIds(record.id)));
    const alike = groupBy(candidates, (record) => contentOf(kind, record.body));
    const takeEqual = (content: string): StackRecord | undefined => {
      const equal =
        unclaimed.get(content) ?? (alike.get(content) ?? []).toSorted((a, b) => isDeleted(a) - isDeleted(b));
      unclaimed.set(content, equal);
      return equal.shift();
    };
    // If somebody created the record again by hand, its texts may contain the old ids.
    const versions = [body, withNewIds(kind, formerBody, ids, new Map())];
    const contents = new Set(versions.map((version) => contentOf(kind, version)));
    const targetRecord =
      candidates.find((record) => foldIds(record.id) === foldIds(id)) ??
      [...contents].reduce<StackRecord | undefined>((found, content) => found ?? takeEqual(content), undefined);
    return { targetRecord, candidates };
  };
}

function contentOf(kind: ResourceKind, body: JsonObject): string {
  return `${kind.name} ${recordFingerprint(kind, body)}`;
}

/**
 * Tells why a record cannot be created again; undefined if it can.
 * @param lacking records that cannot be restored
 */
function obstacleOf(
  kind: ResourceKind,
  body: JsonObject,
  lacking: ReadonlySet<RecordKey | undefined>,
): RollbackNote | undefined {
  if (findPlaceholders(body).length > 0) {
    return {
      code: "redacted",
      message: "held a secret, which the journal does not store; create the record again by hand",
    };
  }
  if (kind.writeOnly.some(({ when }) => when?.(body) ?? true)) {
    return {
      code: "write-only",
      message: "may have held secrets that the API never returns; create the record again by hand",
    };
  }
  const missing = findReferences(kind, body, new Map()).some(
    ({ record, deferrable }) => !deferrable && lacking.has(record),
  );
  return missing
    ? { code: "dependency-failed", message: "the record that it points to cannot be restored; restore both by hand" }
    : undefined;
}

/**
 * Tells why it is uncertain whether a record must be created again: an earlier run of the rollback started to create it, and one or
 * more records of the target may be the result.
 * @param since time at which that create started, in Unix milliseconds; undefined if there was none
 */
function unclearOf(
  kind: ResourceKind,
  body: JsonObject,
  records: readonly StackRecord[],
  since: number | undefined,
): RollbackNote | undefined {
  const bodyKey = naturalKey(kind, body);
  const couldBeIt = (record: StackRecord): boolean =>
    since !== undefined && naturalKey(kind, record.body) === bodyKey && !wasCreatedBefore(record.body, since);
  if (!records.some(couldBeIt)) return undefined;
  const message =
    "an interrupted rollback may have created it again: check the target, and create it by hand if it is missing";
  return { code: "ambiguous", message };
}

/** Maps the old ids of records that earlier runs of this rollback created again to their new ids. */
export function mapRestoredIds(state: JournalReplay, inventory: Inventory): IdMap {
  const ids = new IdMap();
  for (const { was, targetRecord } of madeAgain(state, inventory)) {
    const [, id] = splitKey(was.key);
    addNewIds(knownKind(targetRecord.kind), { ...was.body, id }, { ...targetRecord.body, id: targetRecord.id }, ids);
  }
  return ids;
}

/** Adds to the target's lists the records that will be restored: a record must stay if a restored record references it. */
export function withRestoredRecords(inventory: Inventory, items: readonly RollbackItem[]): Inventory {
  const back = items.flatMap(({ kind, targetId, name, previous }): StackRecord[] =>
    previous === undefined ? [] : [{ kind, id: targetId, name, body: previous }],
  );
  const lists = [...inventory.kinds].map(
    ([kind, { status, records }]) =>
      [kind, { status, records: [...records, ...back.filter((record) => record.kind === kind)] }] as const,
  );
  return { ...inventory, kinds: new Map(lists) };
}

function lostRecords(state: JournalReplay): Lost[] {
  const written = new Map(
    [...state.records].map(([key, record]) => [foldedKey(splitKey(key)[0], record.targetId), record]),
  );
  const lost = state.cascadeLosses.flatMap((loss): Lost[] => {
    const [name, id] = splitKey(loss.key);
    const kind = findKind(name);
    if (kind === undefined) return [];
    const writtenRecord = written.get(foldedKey(name, id));
    if (writtenRecord?.created === true) return [];
    return [{ ...loss, kind, id, body: writtenRecord?.previous ?? loss.body }];
  });
  return lost.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
}

/** A record that an earlier run of the rollback created again: its former and its present state. */
interface MadeAgain {
  readonly was: BroughtBackRecord;
  readonly targetRecord: StackRecord;
}

function madeAgain({ broughtBack }: JournalReplay, inventory: Inventory): MadeAgain[] {
  return broughtBack.flatMap((was): MadeAgain[] => {
    const targetRecord = recordFinder(inventory)(splitKey(was.key)[0], was.targetId);
    return targetRecord === undefined ? [] : [{ was, targetRecord }];
  });
}

/**
 * Plans to add the links that an earlier run of the rollback could not write. Records that link to each other, or mention each
 * other in a text, are first created without these links and with the old ids in the texts. Everything else in these records stays
 * as it is on the target.
 * @param returning records that this rollback creates again
 */
export function planMissingLinks(
  { state, inventory, runs, now = Number.NaN }: RollbackInput,
  returning: readonly RollbackItem[],
  ids: IdMap,
): RollbackItem[] {
  const again = new Set([...state.broughtBack.map(({ key }) => key), ...returning.map(targetKey)]);
  const mentions = new Map([...mentionableIds(ids), ...mentionableIdsOfItems(returning)]);
  const recreated = madeAgain(state, inventory).filter(
    ({ was: { linked, run } }) => !linked && (run === undefined || runs === undefined || runs.includes(run)),
  );
  return recreated.flatMap(({ was: { key, body }, targetRecord }): RollbackItem[] => {
    const kind = knownKind(targetRecord.kind);
    const links = findReferences(kind, body, mentions).flatMap(({ record, deferPath, form, tokens }) => {
      if (record === undefined || !again.has(record)) return [];
      if (form === "embedded") return hasOldIds(targetRecord.body, body, tokens, { ids, mentions }) ? [tokens] : [];
      return deferPath && valueAtTokens(targetRecord.body, deferPath) === undefined ? [deferPath] : [];
    });
    if (links.length === 0) return [];
    const item = { key, kind: kind.name, sourceId: splitKey(key)[1], name: targetRecord.name };
    const withLinks = (to: JsonObject, from?: JsonObject): JsonObject =>
      links.reduce((copy, link) => withValueAt(copy, link, from && valueAtTokens(from, link)), to);
    // The earlier run may have created the record in a fitted form, whether this run has `--fit-limits` or not.
    const forms = [body, fitBody(kind, acceptedBody(kind, body), now)];
    const isAsMade = (form: JsonObject): boolean =>
      haveSameContent(kind, withLinks(withNewIds(kind, form, ids)), withLinks(targetRecord.body));
    if (!forms.some(isAsMade)) {
      const message = "was created again without some of its links, and changed since; add them by hand";
      return [{ ...item, targetId: targetRecord.id, action: "skip", code: "changed-since", message }];
    }
    const why = { code: "finish-links", message: "was created again without some of its links; they are added now" };
    const previous = withLinks(targetRecord.body, body);
    return [{ ...item, targetId: targetRecord.id, action: "update", ...why, previous, current: targetRecord.body }];
  });
}

/** Tells whether a text of the target came from the lost record and contains ids that no longer exist. */
function hasOldIds(
  targetBody: JsonObject,
  was: JsonObject,
  tokens: readonly string[],
  { ids, mentions }: { readonly ids: IdMap; readonly mentions: KnownIds },
): boolean {
  const [now, before] = [valueAtTokens(targetBody, tokens), valueAtTokens(was, tokens)];
  if (typeof now !== "string" || typeof before !== "string") return false;
  const newId = ({ space, id }: KnownId): string | undefined => ids.get(space, id);
  if (replaceKnownIds(now, mentions, newId) !== replaceKnownIds(before, mentions, newId)) return false;
  return idsIn(now).some((token) => {
    const knownId = mentions.get(token);
    return knownId !== undefined && newId(knownId)?.toLowerCase() !== token;
  });
}
