import type { OutcomeCode } from "../../core/codes.ts";
import { foldedKey, foldedTargetKey } from "../../references/known-ids.ts";
import type { JsonObject } from "../../core/json.ts";
import { StackferryError } from "../../core/errors.ts";
import { groupBy } from "../../core/collections.ts";
import { IdMap } from "../../core/plan/id-map.ts";
import { withoutWarnings, type RunContext } from "../../core/events.ts";
import { readInventory, recordsOf } from "../../matching/inventory.ts";
import type { Image, Journal } from "../../core/plan/journal.ts";
import type { Outcome, Warning } from "../../core/outcome.ts";
import { itemKey, type Plan } from "../../core/plan/plan.ts";
import {
  keyOfRecord,
  recordKey,
  splitKey,
  targetKey,
  type RecordKey,
  type StackRecord,
} from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { findKind, kinds, knownKind } from "../../kinds/registry.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { redactName } from "../../redaction/redact-names.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { dependentsOnHidden } from "../../references/hidden-content.ts";
import { differingParts } from "../../references/compare.ts";
import { drawChanges } from "../../references/member-changes.ts";
import { mapChildrenByIdentity } from "../../references/children.ts";
import { partsOfTarget } from "../../references/parts.ts";
import { findReferences, rewriteReferences } from "../../references/references.ts";
import { naturalKey } from "../../matching/match-records.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import { notStored } from "../compare-answer.ts";
import type { OperationsEnd } from "./run-operations.ts";
import { FIRST_PAUSE_MS, type ListedRecords, type ListReadOptions } from "./lost-create.ts";

export interface CheckInput extends ListReadOptions {
  readonly plan: Plan;
  readonly stored: ReadonlyMap<RecordKey, JsonObject>;
  /** Records that the target had before the run, and records that the run has created. */
  readonly known: ListedRecords;
  readonly unchecked: readonly Image[];
  readonly journal: Journal;
  readonly redact: Redactor;
  readonly warn: (warning: Warning) => void;
}

/** The server may delete other records along with an update. After a stopped run, only such records are looked for. */
export async function checkTarget(run: OperationsEnd, input: CheckInput, context: RunContext): Promise<OperationsEnd> {
  const written = run.stopped ? [] : run.outcomes.filter(isWritten);
  const watched = await watchedRecords(run.outcomes, input);
  const expected = [
    ...written.map(({ kind, targetId = "" }) => ({ kind, id: targetId })),
    ...watched.map(({ record }) => record),
  ];
  if (expected.length === 0 || (written.length === 0 && context.signal?.aborted === true)) return run;
  if (written.length > 0) context.events({ type: "phase", phase: "checking what was written" });
  try {
    const listed = await pollUntilListed(expected, input, context);
    const checked = run.stopped ? run.outcomes : checkWritten(run.outcomes, listed, input);
    return { ...run, outcomes: withLosses(checked, await noteLosses(watched, listed, input, context)) };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { ...run, stopped: run.stopped ?? error };
  }
}

async function pollUntilListed(
  expected: readonly Pick<StackRecord, "kind" | "id">[],
  { client, clock, consistencyWaitMs }: ListReadOptions,
  context: RunContext,
): Promise<ReadonlyMap<string, StackRecord>> {
  const found = new Map<string, StackRecord>();
  const deadline = clock.now() + consistencyWaitMs;
  const quiet = withoutWarnings(context);
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const unlisted = expected.filter((record) => !found.has(foldedKey(record.kind, record.id)));
    const lacking = [...groupBy(unlisted, ({ kind }) => kind).keys()].map(knownKind);
    if (lacking.length === 0) return found;
    const listed = recordsOf(await readInventory(client, lacking, quiet));
    for (const record of listed) found.set(foldedKey(record.kind, record.id), record);
    const timeLeft = deadline - clock.now();
    if (timeLeft <= 0 || unlisted.every((record) => found.has(foldedKey(record.kind, record.id)))) return found;
    if (context.signal?.aborted)
      throw new StackferryError("interrupted", "the check of what was written was interrupted");
    await clock.sleep(Math.min(pause, timeLeft), context.signal);
  }
}

export function isWritten(outcome: Outcome): boolean {
  return outcome.status === "done" && (outcome.action === "create" || outcome.action === "update");
}

export function isRemoved({ action, status }: Outcome): boolean {
  return action === "delete" && status === "done";
}

function checkWritten(
  outcomes: readonly Outcome[],
  listed: ReadonlyMap<string, StackRecord>,
  input: CheckInput,
): readonly Outcome[] {
  const doubles = findDoubles(outcomes, listed, input.known);
  return outcomes.map((outcome): Outcome => {
    if (!isWritten(outcome)) return outcome;
    const key = foldedTargetKey(outcome);
    const record = listed.get(key);
    const answer = input.stored.get(itemKey(outcome));
    if (record !== undefined && answer !== undefined) {
      for (const warning of differences(outcome, answer, record)) input.warn(warning);
    }
    return { ...outcome, ...failureOf(record, doubles.get(key)) };
  });
}

function failureOf(
  listed: StackRecord | undefined,
  doubles: readonly string[] = [],
): Pick<Outcome, "status" | "code" | "message"> | undefined {
  if (doubles.length > 0) {
    const message = `was created, but another one like it appeared during the run (${doubles.join(", ")}): an import from another machine may have run at the same time; compare both, and roll one import back`;
    return { status: "failed", code: "doubled", message };
  }
  if (listed !== undefined) return undefined;
  const message =
    "the stack confirmed the write, but does not list the record; look for it there, because the next import creates it again";
  return { status: "failed", code: "not-stored", message };
}

/**
 * Another machine may create the same records at the same time. Referenced kinds come first: an alert's double is on its
 * dashboard's double.
 */
function findDoubles(
  outcomes: readonly Outcome[],
  listed: ReadonlyMap<string, StackRecord>,
  known: ListedRecords,
): ReadonlyMap<string, readonly string[]> {
  const created = new Set(
    outcomes.filter(({ action, status }) => action === "create" && status === "done").map(foldedTargetKey),
  );
  const recordsByKind = groupBy([...listed], ([, { kind }]) => kind);
  const toOurs = new IdMap();
  const found = new Map<string, readonly string[]>();
  for (const kind of kinds) {
    const records = recordsByKind.get(kind.name) ?? [];
    const ours = records.filter(([key]) => created.has(key));
    const strangers = records.flatMap(([, record]) => (known.has(record.kind, record.id) ? [] : [record]));
    const likeByKey = groupBy(strangers, ({ body }) =>
      naturalKey(kind, rewriteReferences(body, findReferences(kind, body), toOurs, new Map())),
    );
    for (const [natural, twins] of groupBy(ours, ([, { body }]) => naturalKey(kind, body))) {
      const doubles = natural === undefined ? [] : (likeByKey.get(natural) ?? []);
      const ids = doubles.map(({ id }) => id);
      if (ids.length > 0) for (const [key] of twins) found.set(key, ids);
      for (const [index, double] of doubles.entries()) {
        const [, record] = twins[index % twins.length] ?? [];
        if (record !== undefined) addIds(kind, double, record, toOurs);
      }
    }
  }
  return found;
}

function addIds(kind: ResourceKind, double: StackRecord, ours: StackRecord, toOurs: IdMap): void {
  toOurs.set(kind.name, double.id, ours.id);
  for (const { space, from, to } of mapChildrenByIdentity(kind, double.id, double.body, ours.body)) {
    toOurs.set(space, from, to);
  }
}

function differences({ kind: name, name: called }: Outcome, answer: JsonObject, listed: StackRecord): Warning[] {
  const kind = knownKind(name);
  const changes = drawChanges(kind, differingParts(partsOfTarget(kind, answer), partsOfTarget(kind, listed.body)));
  // Added members do not count, because the server adds some of its own.
  return changes.flatMap(({ pointer, change }) => (change === "added" ? [] : [notStored(kind, called, pointer)]));
}

const LOST =
  "was deleted by the server when the record that it points to was updated; a rollback of the run tries to create it again";
const HIDDEN_LOST =
  "was on the target, on a tile that the API does not show; the update deleted both, and no rollback can restore them: create them again by hand";

interface Watched {
  readonly record: StackRecord;
  readonly key: RecordKey;
  /** From `unchecked`; the body is then from the journal. */
  readonly isOpen: boolean;
}

/** Redacts the names of the records, because outcomes show names. */
async function watchedRecords(
  outcomes: readonly Outcome[],
  { plan, unchecked, redact }: CheckInput,
): Promise<Watched[]> {
  const watched = new Map<string, Watched>();
  for (const { key, name, body } of unchecked) {
    const [kind, id] = splitKey(key);
    if (findKind(kind) === undefined) continue;
    watched.set(foldedKey(kind, id), { record: { kind, id, name, body }, key, isOpen: true });
  }
  const notBegun = new Set(
    outcomes.flatMap(({ kind, sourceId, status }) => (status === "planned" ? [recordKey(kind, sourceId)] : [])),
  );
  const removed = new Set(outcomes.filter(isRemoved).map(targetKey));
  const updated = plan.items.filter((item) => item.action === "update" && !notBegun.has(itemKey(item)));
  for (const record of updated.flatMap(({ dependents = [] }) => dependents)) {
    const key = keyOfRecord(record);
    if (removed.has(key)) continue;
    const name = await redactName(record, redact);
    watched.set(foldedKey(record.kind, record.id), { record: { ...record, name }, key, isOpen: false });
  }
  return [...watched.values()];
}

/** Notes records that the server deleted along with an update (docs/api.md#tile-alerts). */
async function noteLosses(
  watched: readonly Watched[],
  listed: ReadonlyMap<string, StackRecord>,
  { plan, journal, clock }: CheckInput,
  context: RunContext,
): Promise<Outcome[]> {
  const contents = watched.some(({ isOpen }) => isOpen) ? new Set([...listed.values()].map(contentOf)) : new Set();
  const lost = watched.filter(
    ({ record, isOpen }) =>
      !listed.has(foldedKey(record.kind, record.id)) && !(isOpen && contents.has(contentOf(record))),
  );
  const at = new Date(clock.now()).toISOString();
  for (const { key, record } of lost) {
    await journal.append({ type: "done", at, key, write: "delete", targetId: record.id, content: "" });
  }
  const onHidden = new Set(plan.items.flatMap(({ replaces, dependents }) => dependentsOnHidden(replaces, dependents)));
  const outcomes = lost.map((each) =>
    onHidden.has(each.key) ? outcomeOf(each, "hidden-lost", HIDDEN_LOST) : outcomeOf(each, "cascade-loss", LOST),
  );
  for (const outcome of outcomes) context.events({ type: "outcome", outcome });
  return outcomes;
}

function contentOf({ kind: name, body }: StackRecord): string {
  return `${name} ${recordFingerprint(knownKind(name), body)}`;
}

function outcomeOf({ record }: Watched, code: OutcomeCode, loss: string): Outcome {
  const { kind, id, name, displayName } = record;
  const message = `the ${nounOf(kind)} ${loss}`;
  const named = { kind, name, ...(displayName !== undefined && { displayName }) };
  return { ...named, sourceId: id, targetId: id, action: "skip", status: "failed", code, message };
}

function withLosses(outcomes: readonly Outcome[], lost: readonly Outcome[]): readonly Outcome[] {
  const lossByKey = new Map(lost.map((outcome) => [foldedTargetKey(outcome), outcome]));
  const merged = outcomes.map((outcome): Outcome => {
    const loss = lossByKey.get(foldedTargetKey(outcome));
    lossByKey.delete(foldedTargetKey(outcome));
    return loss === undefined ? outcome : { ...loss, sourceId: outcome.sourceId, name: outcome.name };
  });
  return [...merged, ...lossByKey.values()];
}
