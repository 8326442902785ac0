import type { IdMap, KnownIds } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { Warning } from "../core/outcome.ts";
import type { RecordKey, StackRecord, Variant } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { Translation } from "../import/write-body.ts";
import { acceptedBody, createBody, updateBody } from "../import/write-body.ts";
import { compareKept, compareStored } from "../import/unknown-members.ts";
import type { SafeWriter } from "../import/apply/safe-writer.ts";
import { knownKind } from "../kinds/registry.ts";
import { findReferences } from "../references/references.ts";
import type { RollbackItem } from "./item.ts";
import { learnIds, mentionsOf, withNewIds } from "./new-ids.ts";
import type { JournaledRecord, RunWrite } from "../journal/replay.ts";
import { mergeRuns } from "../journal/replay.ts";
import { borrowSecrets, findPlaceholders } from "../redaction/placeholders.ts";
import { recordFingerprint } from "../references/record-content.ts";

/** The resources that undoing an item needs. */
export interface UndoContext {
  readonly variant: Variant;
  readonly writer: SafeWriter;
  /** Old ids of records created again, with the new ids. The map grows with every created record. */
  readonly ids: IdMap;
  /** The target's answer to each create. */
  readonly made: Map<RecordKey, JsonObject>;
  /** Records that are still to be created again; links to them are deferred. */
  readonly uncreatedKeys: ReadonlySet<RecordKey>;
}

/**
 * Deletes a record, or restores its former content. Reads the record with a `GET` first, because somebody may have changed it
 * meanwhile.
 * @returns a warning for each member that the target stored differently
 */
export async function undoItem(item: RollbackItem, context: UndoContext): Promise<readonly Warning[]> {
  if (item.action === "skip") return [];
  const kind = knownKind(item.kind);
  const { key, name, targetId, current } = item;
  const { writer, ids, uncreatedKeys, variant } = context;
  if (item.action === "delete") {
    await writer.delete({ key, name, kind }, "delete", targetId, current);
    return [];
  }
  const record = lostRecord(item, kind, variant);
  const before = { ...record.body, id: targetId };
  if (item.action === "create") {
    const body = createBody(kind, record, idTranslation(ids), [...uncreatedKeys]);
    const stored = await writer.create({ key, name, kind }, body, "restore");
    context.made.set(key, stored);
    learnIds(kind, before, stored, ids);
    return compareStored(kind, name, body, stored);
  }
  const body = { ...kind.clearOnUpdate, ...acceptedBody(kind, withNewIds(kind, record.body, ids)) };
  const after = await writer.update({ key, name, kind }, "restore", targetId, body, current);
  learnIds(kind, before, { ...after, id: targetId }, ids);
  const keptWarnings =
    current === undefined ? [] : compareKept(kind, name, { before: current, sent: body, stored: after });
  return [...compareStored(kind, name, body, after), ...keptWarnings];
}

/**
 * Tells whether the content to restore links to, or mentions, records that are still to be created and so have no new ids yet.
 * @param mentions the ids of those records
 */
export function linksTo(
  { kind, previous = {} }: RollbackItem,
  uncreatedKeys: ReadonlySet<RecordKey | undefined>,
  mentions: KnownIds,
): boolean {
  return findReferences(knownKind(kind), previous, mentions).some(({ record }) => uncreatedKeys.has(record));
}

/** Adds the deferred links of a record, after all records of its kind have been created. */
export async function addLinks(
  item: RollbackItem,
  { writer, ids, variant, made }: UndoContext,
): Promise<readonly Warning[]> {
  const kind = knownKind(item.kind);
  const targetId = ids.get(item.kind, item.targetId) ?? item.targetId;
  const { key, name } = item;
  const record = lostRecord(item, kind, variant);
  const body = updateBody(kind, record, idTranslation(ids), targetId);
  const stored = await writer.update({ key, name, kind }, "restore", targetId, body, made.get(key));
  return compareStored(kind, name, body, stored);
}

function lostRecord(
  { targetId, name, previous = {} }: RollbackItem,
  kind: ResourceKind,
  variant: Variant,
): StackRecord {
  return { kind: kind.name, id: targetId, name, body: inOneForm(kind, previous, variant) };
}

/** Converts a body to the form of the target's variant, unless this form needs more than one record. */
function inOneForm({ splitFor }: ResourceKind, body: JsonObject, variant: Variant): JsonObject {
  // The body came from this stack itself, so the stack knows its members.
  const [form, ...others] = splitFor?.(body, { variant, shows: (member) => body[member] !== undefined }) ?? [];
  return form === undefined || others.length > 0 ? body : form;
}

/** Makes a translation that changes nothing but ids. */
function idTranslation(ids: IdMap): Translation {
  return { ids, knownIds: mentionsOf(ids), naming: { tags: [] } };
}

/** The action for a record, and the reason. */
export type Undo = Pick<RollbackItem, "action" | "code" | "message" | "previous" | "current">;

/** The writes to one record of the target by the chosen runs, and by later runs. */
export interface WrittenRecord {
  /** Writes of the runs to undo, the earliest first; at least one. */
  readonly chosen: readonly RunWrite[];
  /** Numbers of later runs that wrote the record and are not undone. */
  readonly later: readonly number[];
}

/** Assumed maximum error of a server's clock: it may be wrong by an hour, or by a time zone. */
const CLOCK_DIFFERENCE_MS = 24 * 60 * 60_000;

/**
 * Decides how to undo the writes of the chosen runs to one record.
 * @param current the target's record now
 * @param ids old ids of records created again, with their new ids
 */
export function undoRecord(
  kind: ResourceKind,
  { chosen, later }: WrittenRecord,
  current: StackRecord | undefined,
  { force, ids }: { readonly force: boolean; readonly ids: IdMap },
): Undo {
  const merged = mergeRuns(chosen);
  if (!current || !merged) return skipWith("gone", "is no longer on the target");
  const { previous } = merged;
  const record = previous === undefined ? merged : { ...merged, previous: withNewIds(kind, previous, ids) };
  const digest = recordFingerprint(kind, current.body);
  const [run] = later;
  if (run !== undefined) {
    return skipWith("later-run", `run ${run} wrote it later; undo that run first, or both with --run all`);
  }
  if (record.previous && digest === recordFingerprint(kind, borrowSecrets(record.previous, current.body))) {
    return skipWith("put-back", "is what it was before the import");
  }
  if (!force && digest !== record.content) {
    return skipWith("changed-since", "was changed on the target since the import; --force undoes it anyway");
  }
  return record.created ? undoCreate(chosen[0]?.since, current) : undoUpdate(record, current);
}

/**
 * Decides whether to delete a record that the import created. A record stays unless the journal and the target agree that the
 * import created it, even with --force: a journal may contain anything.
 */
export function undoCreate(since: number | undefined, current: StackRecord): Undo {
  if (since === undefined) return skipWith("unproven", "no line of the journal says that its create began");
  if (wasThereBefore(current.body, since)) {
    return skipWith("unproven", "the target says that it was created before the import began");
  }
  return { action: "delete", current: current.body };
}

/** Tells whether the target says that a record was created before `since` (Unix milliseconds). */
export function wasThereBefore({ createdAt }: JsonObject, since: number): boolean {
  return typeof createdAt === "string" && Date.parse(createdAt) < since - CLOCK_DIFFERENCE_MS;
}

function undoUpdate({ previous }: JournaledRecord, { body }: StackRecord): Undo {
  if (!previous) return skipWith("no-previous", "the journal does not have its former content");
  if (findPlaceholders(previous).length > 0) {
    const byHand = "restore it by hand, or from an archive with --secrets";
    return skipWith("redacted", `held a secret, which the journal does not store; ${byHand}`);
  }
  return { action: "update", previous, current: body };
}

function skipWith(code: string, message: string): Undo {
  return { action: "skip", code, message };
}
