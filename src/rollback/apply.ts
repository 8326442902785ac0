import type { JsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { warnOfKeptMembers, warnOfChangedMembers } from "../import/compare-answer.ts";
import { acceptedBody, bodyOfCreate, bodyOfWholeUpdate, type RecordTranslation } from "../import/write-body.ts";
import { knownKind } from "../kinds/registry.ts";
import pLimit from "p-limit";
import { StackferryError, isStoppedBeforeWrite } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { IdMap } from "../core/plan/id-map.ts";
import type { Journal } from "../core/plan/journal.ts";
import type { Outcome, Warning } from "../core/outcome.ts";
import type { Clock, StackClient } from "../core/ports.ts";
import { foldedKey } from "../references/known-ids.ts";
import { JournaledWriter } from "../import/apply/journaled-writer.ts";
import { reportCascadeLosses } from "../import/apply/cascade-losses.ts";
import { failedOutcome } from "../import/apply/write-all.ts";
import { nameOfRecord } from "../kinds/nouns.ts";
import { readCurrentUsers } from "../import/remove/dependents.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { dependentsOnHidden } from "../references/hidden-content.ts";
import { targetKey, type KindName, type RecordKey, type StackRecord, type Variant } from "../core/records/record.ts";
import { MAX_NAMED, joinNames } from "../core/text/format.ts";
import { NEXT_ROLLBACK_HINT } from "./cascade-deletes.ts";
import { reportedMembers, withNotes, type RollbackNote, type RollbackItem } from "./item.ts";
import { addNewIds, linksToUncreated, mentionableIds, mentionableIdsOfItems, withNewIds } from "./new-ids.ts";

export interface ApplyRollbackInput {
  readonly items: readonly RollbackItem[];
  readonly client: StackClient;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly concurrency: number;
  /** Numbers of the runs to undo; default: all. The journal records these numbers, so that the writes of other runs still count. */
  readonly runs?: readonly number[];
  /** Whether to delete records even if other records have begun to reference them since the plan. */
  readonly force?: boolean;
  /** Old ids of records that were already created again, with their new ids. */
  readonly ids?: IdMap;
  /** Ids of the target's records when the plan was made, by kind. */
  readonly present?: ReadonlyMap<KindName, ReadonlySet<string>>;
  /** Longest time, in milliseconds, until the target's lists show a write. The default is 10 s. */
  readonly consistencyWaitMs?: number;
  /** How long, in milliseconds, a stopped rollback still checks for cascade losses. */
  readonly graceMs?: number;
}

const CONSISTENCY_WAIT_MS = 10_000;

export interface RollbackResult {
  readonly outcomes: readonly Outcome[];
  readonly stopped?: StackferryError;
}

/**
 * Undoes runs of an import in the order of the plan, in groups of one kind and action. The journal records each step, as in an
 * import, so that an interrupted rollback can be resumed.
 */
export async function applyRollback(input: ApplyRollbackInput, context: RunContext): Promise<RollbackResult> {
  const { items, journal, clock, runs } = input;
  const run = new RollbackRun(input, context);
  if (runs !== undefined && items.some(({ action }) => action !== "skip")) {
    await journal.append({ type: "rollback", at: new Date(clock.now()).toISOString(), undoes: runs });
  }
  const outcomes: Outcome[] = [];
  // Records on children that remain are left out here: the check for cascade losses finds out which of these records the server has
  // deleted.
  const undoable = items.filter(({ action, cascadesFrom }) => action !== "skip" || cascadesFrom === undefined);
  for (const group of sideBySide(undoable)) {
    for (const outcome of await run.undoGroup(group)) {
      context.events({ type: "outcome", outcome });
      outcomes.push(outcome);
    }
  }
  const { stopped } = run;
  const { consistencyWaitMs = CONSISTENCY_WAIT_MS } = input;
  const before = recordsAtRisk(items, outcomes);
  const onHidden = new Set(items.flatMap(dependentsOnHiddenOf));
  const looking = {
    ...input,
    consistencyWaitMs,
    redact: createRedactor(),
    before,
    onHidden,
    unchecked: [],
    restoredBy: NEXT_ROLLBACK_HINT,
  };
  return await reportCascadeLosses<RollbackResult>(stopped ? { outcomes, stopped } : { outcomes }, looking, context);
}

/** Groups adjacent items of one kind and action. */
function sideBySide(items: readonly RollbackItem[]): RollbackItem[][] {
  const groups: RollbackItem[][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (first?.kind === item.kind && first.action === item.action) group?.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** Finds the target's records that should stay although the updates of this rollback could remove them. */
function recordsAtRisk(items: readonly RollbackItem[], outcomes: readonly Outcome[]): StackRecord[] {
  const keyOf = ({ kind, targetId = "" }: Pick<Outcome, "kind" | "targetId">): string => foldedKey(kind, targetId);
  const begunKeys = new Set(outcomes.filter(({ status }) => status !== "planned").map(keyOf));
  const deleted = new Set(items.filter(({ action }) => action === "delete").map(keyOf));
  return items
    .filter((item) => begunKeys.has(keyOf(item)))
    .flatMap(({ dependents = [] }) => dependents)
    .filter(({ kind, id }) => !deleted.has(foldedKey(kind, id)));
}

function dependentsOnHiddenOf({ kind, targetId, name, current, dependents }: RollbackItem): RecordKey[] {
  return dependentsOnHidden(current && { kind, id: targetId, name, body: current }, dependents);
}

/** Codes of errors that concern one record only; after any other error, the next record would fail too. */
const AFFECTS_ONE: readonly string[] = ["rejected", "not-found", "changed-since", "unreadable-record"];

const NOT_STARTED = { status: "planned", code: "not-started" } as const;

type Undone = Outcome & Pick<RollbackItem, "targetId">;

class RollbackRun {
  stopped: StackferryError | undefined;
  readonly #input: ApplyRollbackInput;
  readonly #context: RunContext;
  readonly #writer: JournaledWriter;
  readonly #undone = new Set<RecordKey>();
  readonly #ids: IdMap;

  constructor(input: ApplyRollbackInput, context: RunContext) {
    this.#input = input;
    this.#context = context;
    const { consistencyWaitMs = CONSISTENCY_WAIT_MS, present = new Map() } = input;
    this.#writer = new JournaledWriter({ ...input, consistencyWaitMs, present, redact: createRedactor() });
    this.#ids = new IdMap(input.ids);
  }

  /** Undoes items of one kind and action in parallel. */
  async undoGroup(group: readonly RollbackItem[]): Promise<Outcome[]> {
    const users = await this.#usersSincePlan(group);
    const limit = pLimit(this.#input.concurrency);
    const created = group.filter(({ action }) => action === "create");
    const uncreatedKeys = new Set(created.map(targetKey));
    const { variant } = this.#input.client.identity;
    const context = { variant, writer: this.#writer, ids: this.#ids, uncreatedKeys, answers: new Map() };
    const undone = await Promise.all(
      group.map((item) =>
        limit(() => this.#outcomeOf(item, users.get(targetKey(item)), () => undoItem(item, context))),
      ),
    );
    // Records that link to each other were created without these links and with old ids in their texts. This step adds the links
    // and corrects the texts.
    const mentions = mentionableIdsOfItems(created);
    const unlinked = created.filter(
      (item) => this.#undone.has(item.key) && linksToUncreated(item, uncreatedKeys, mentions),
    );
    const linked = await Promise.all(
      unlinked.map((item) => limit(() => this.#outcomeOf(item, undefined, () => addLinks(item, context)))),
    );
    const linkOutcomes = new Map(linked.map((outcome) => [targetKey(outcome), outcome]));
    return undone.map((outcome) => withLinks(outcome, linkOutcomes.get(targetKey(outcome))));
  }

  async #outcomeOf(
    item: RollbackItem,
    user: string | undefined,
    undo: () => Promise<readonly Warning[]>,
  ): Promise<Undone> {
    const description = reportedMembers(item);
    const obstacle = this.#obstacleTo(item, user);
    if (obstacle !== undefined) return { ...description, ...obstacle };
    try {
      const lost = await undo();
      this.#undone.add(item.key);
      return { ...reportedMembers(lost.length === 0 ? item : withNotes(item, [lossOf(lost)])), status: "done" };
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      if (!AFFECTS_ONE.includes(error.code)) this.stopped ??= error;
      if (isStoppedBeforeWrite(error)) return { ...description, ...NOT_STARTED };
      // A record that no longer exists references nothing, so it does not block the records that it referenced.
      if (error.code === "not-found" && item.action === "delete") this.#undone.add(item.key);
      return { ...description, ...failedOutcome(error, this) };
    }
  }

  /** Tells why an item is not undone: the rollback has stopped, or another record needs the item's record. */
  #obstacleTo(item: RollbackItem, user: string | undefined): Pick<Outcome, "status" | "code" | "message"> | undefined {
    if (item.cascadesFrom !== undefined) return this.#undone.has(item.cascadesFrom) ? undefined : NOT_STARTED;
    if (this.#context.signal?.aborted) {
      this.stopped ??= new StackferryError("interrupted", "the rollback was interrupted");
    }
    if (this.stopped) return NOT_STARTED;
    const waitsFor = item.usedBy?.find((key) => !this.#undone.has(key));
    if (waitsFor !== undefined) return { status: "failed", ...stillUsed(this.#nameOf(waitsFor)) };
    return user === undefined ? undefined : { status: "failed", code: "in-use", message: user };
  }

  /**
   * Finds the records that have begun to reference records of this group since the plan was made. If that fails, the rollback
   * stops.
   */
  async #usersSincePlan(group: readonly RollbackItem[]): Promise<ReadonlyMap<RecordKey, string>> {
    const { items, client, force = false } = this.#input;
    if (force || this.stopped || this.#context.signal?.aborted) return new Map();
    const undone = items.filter(({ key }) => this.#undone.has(key));
    const deleted = new Set(group.filter(({ action }) => action === "delete").map(targetKey));
    const [first] = group;
    try {
      return await readCurrentUsers(first?.kind ?? "", deleted, new Set(undone.map(targetKey)), client, this.#context);
    } catch (error) {
      if (!(error instanceof StackferryError)) throw error;
      this.stopped ??= error;
      return new Map();
    }
  }

  #nameOf(recordKey: RecordKey): string {
    const item = this.#input.items.find(({ key }) => key === recordKey);
    return item === undefined ? "a record" : nameOfRecord({ ...item, id: item.displayName ?? item.targetId });
  }
}

/** Combines the outcome of creating a record again with the outcome of adding its links. */
function withLinks(created: Undone, linked: Undone | undefined): Undone {
  if (linked?.status !== "planned") return linked ?? created;
  const message = "was created again, but the rollback ended before its links were added; the next rollback adds them";
  return { ...created, status: "failed", code: "link-failed", message };
}

/** Makes a note of the members that the target did not store as they were. */
function lossOf(lost: readonly Warning[]): RollbackNote {
  const pointersText = joinNames(lost, MAX_NAMED, ({ pointer = "" }) => pointer);
  return { code: "not-stored", message: `the stack did not restore these members exactly: ${pointersText}` };
}

function stillUsed(user: string): RollbackNote {
  return { code: "dependency-failed", message: `${user} points to it, and the change to ${user} could not be undone` };
}

/** The resources that undoing an item needs. */
interface UndoContext {
  readonly variant: Variant;
  readonly writer: JournaledWriter;
  /** Old ids of records created again, with the new ids. The map grows with every created record. */
  readonly ids: IdMap;
  /** The target's answer to each create. */
  readonly answers: Map<RecordKey, JsonObject>;
  /** Records that are still to be created again; links to them are deferred. */
  readonly uncreatedKeys: ReadonlySet<RecordKey>;
}

/**
 * Deletes a record, or restores its former content. Reads the record with a `GET` first, because somebody may have changed it
 * meanwhile.
 * @returns a warning for each member that the target stored differently
 */
async function undoItem(item: RollbackItem, context: UndoContext): Promise<readonly Warning[]> {
  if (item.action === "skip" || item.cascadesFrom !== undefined) return [];
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
    const body = bodyOfCreate(kind, record, idTranslation(ids), [...uncreatedKeys]);
    const stored = await writer.create({ key, name, kind }, body, "restore");
    context.answers.set(key, stored);
    addNewIds(kind, before, stored, ids);
    return warnOfChangedMembers(kind, name, body, stored);
  }
  const body = { ...kind.clearOnUpdate, ...acceptedBody(kind, withNewIds(kind, record.body, ids)) };
  const after = await writer.update({ key, name, kind }, "restore", targetId, body, current);
  addNewIds(kind, before, { ...after, id: targetId }, ids);
  const keptWarnings =
    current === undefined ? [] : warnOfKeptMembers(kind, name, { before: current, sent: body, stored: after });
  return [...warnOfChangedMembers(kind, name, body, after), ...keptWarnings];
}

/** Adds the deferred links of a record, after all records of its kind have been created. */
async function addLinks(
  item: RollbackItem,
  { writer, ids, variant, answers }: UndoContext,
): Promise<readonly Warning[]> {
  const kind = knownKind(item.kind);
  const targetId = ids.get(item.kind, item.targetId) ?? item.targetId;
  const { key, name } = item;
  const record = lostRecord(item, kind, variant);
  const body = bodyOfWholeUpdate(kind, record, idTranslation(ids), targetId);
  const stored = await writer.update({ key, name, kind }, "restore", targetId, body, answers.get(key));
  return warnOfChangedMembers(kind, name, body, stored);
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
  const [form, ...others] = splitFor?.(body, { variant, shows: (member) => body[member] !== undefined }, false) ?? [];
  return form === undefined || others.length > 0 ? body : form;
}

/** Makes a translation that changes nothing but ids. */
function idTranslation(ids: IdMap): RecordTranslation {
  return { ids, knownIds: mentionableIds(ids), naming: { tags: [] } };
}
