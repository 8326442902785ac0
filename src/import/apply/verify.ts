import { foldedKey, foldedTargetKey } from "../../references/known-ids.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Outcome, Warning } from "../../core/outcome.ts";
import { itemKey, recordOf, type Plan } from "../../core/plan/plan.ts";
import { parsePointer, valueAtTokens } from "../../core/records/member-path.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { knownKind } from "../../kinds/registry.ts";
import { readSingleRecord, readInventory, recordsOf } from "../../matching/inventory.ts";
import type { RecordTranslation } from "../write-body.ts";
import { bodyOfUpdate, type UpdateScope } from "../partial-update.ts";
import type { UnknownMembers } from "../unknown-members.ts";
import { warnOfChangedMembers } from "../compare-answer.ts";
import { groupBy } from "../../core/collections.ts";
import { findDoubles } from "./doubles.ts";
import { StackferryError } from "../../core/errors.ts";
import { withoutWarnings, type RunContext } from "../../core/events.ts";
import type { Clock, StackClient } from "../../core/ports.ts";

export interface VerifyImportInput extends ListReadOptions {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  /** Holds the ids of all written records. */
  readonly translation: RecordTranslation;
  readonly records: ReadonlyMap<RecordKey, StackRecord>;
  /** The members that the target refused by name. These members were not sent. */
  readonly unknown: UnknownMembers;
  /** The target's answer to the last write of each record. */
  readonly stored?: ReadonlyMap<RecordKey, JsonObject>;
}

export interface ImportCheck {
  /** The outcomes. The outcomes of missing or doubled records are changed to failed (`missing-after-write`, `doubled`). */
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
}

/**
 * Reads the lists of the written kinds again and compares them with the writes. A missing record is a failure, and so is a second
 * record of the same name (`doubled`). A stored member that differs from the sent member causes a warning. Costs one request per
 * list page, and more if the lists do not show the writes at once.
 */
export async function verifyImport(input: VerifyImportInput, context: RunContext): Promise<ImportCheck> {
  const written = input.outcomes.filter(isWritten);
  if (written.length === 0) return { outcomes: input.outcomes, warnings: [] };
  context.events({ type: "phase", phase: "checking what was written" });
  const items = new Map(input.plan.items.map((item) => [itemKey(item), item]));
  const expected = written.map(({ kind, targetId = "" }) => ({ kind, id: targetId }));
  const listed = await pollUntilListed(expected, input, context);
  const doubles = findDoubles(input.outcomes, listed, input.plan.present);
  const warnings: Warning[] = [];
  const outcomes: Outcome[] = [];
  for (const outcome of input.outcomes) {
    const key = foldedTargetKey(outcome);
    const record = isWritten(outcome) ? listed.get(key) : undefined;
    if (record !== undefined)
      warnings.push(...(await differences(outcome, record, items.get(itemKey(outcome)), input, context)));
    outcomes.push(isWritten(outcome) ? { ...outcome, ...failureOf(record, doubles.get(key)) } : outcome);
  }
  return { outcomes, warnings };
}

function failureOf(
  listed: StackRecord | undefined,
  doubles: readonly string[] = [],
): Pick<Outcome, "status" | "code" | "message"> | undefined {
  if (doubles.length > 0) return { status: "failed", code: "doubled", message: doubledText(doubles) };
  if (listed !== undefined) return undefined;
  const message =
    "the stack confirmed the write, but does not list the record; look for it there, because the next import creates it again";
  return { status: "failed", code: "missing-after-write", message };
}

function doubledText(others: readonly string[]): string {
  return `was created, but another one like it appeared during the run (${others.join(", ")}): an import from another machine may have run at the same time; compare both, and roll one import back`;
}

/** Tells whether this run created or updated the record. */
export function isWritten(outcome: Outcome): boolean {
  return outcome.status === "done" && (outcome.action === "create" || outcome.action === "update");
}

/**
 * Warns of stored members that differ from the sent members. If the list lacks a member that the answer had, the record is read on
 * its own, because the lists of some releases omit members (docs/api.md#lists).
 */
async function differences(
  outcome: Outcome,
  listed: StackRecord,
  item: UpdateScope = {},
  { records, translation, unknown, stored, client }: VerifyImportInput,
  context: RunContext,
): Promise<Warning[]> {
  const kind = knownKind(outcome.kind);
  const record = recordOf(outcome, records);
  const { body: sent } = unknown.withoutUnknown(kind, bodyOfUpdate(kind, record, translation, listed.id, item));
  const found = warnOfChangedMembers(kind, outcome.name, sent, listed.body);
  const isLacking = ({ pointer = "" }: Warning): boolean =>
    valueAtTokens(listed.body, parsePointer(pointer)) === undefined;
  if (!found.some(isLacking)) return found;
  const answered = stored?.get(itemKey(outcome));
  const answerWarnings = answered === undefined ? [] : warnOfChangedMembers(kind, outcome.name, sent, answered);
  if (found.every(({ pointer }) => answerWarnings.some((warning) => warning.pointer === pointer))) return found;
  const single = await readSingleRecord(listed, client, context);
  if (single === undefined) return found;
  const lost = new Set(warnOfChangedMembers(kind, outcome.name, sent, single.body).map(({ pointer }) => pointer));
  return found.filter((warning) => !isLacking(warning) || lost.has(warning.pointer));
}

export interface ListReadOptions {
  readonly client: StackClient;
  readonly clock: Clock;
  /** Longest time, in milliseconds, until the target's lists show a write. */
  readonly consistencyWaitMs: number;
}

/** First pause between two reads of the target's list, in milliseconds; doubled each time. */
export const FIRST_PAUSE_MS = 250;

/**
 * Reads the lists of the expected records' kinds until they show all of them, or until the time is over. Returns all records of
 * these lists, by `foldedKey`.
 */
export async function pollUntilListed(
  expected: readonly Pick<StackRecord, "kind" | "id">[],
  { client, clock, consistencyWaitMs }: ListReadOptions,
  context: RunContext,
): Promise<ReadonlyMap<string, StackRecord>> {
  const found = new Map<string, StackRecord>();
  const deadline = clock.now() + consistencyWaitMs;
  const quiet = withoutWarnings(context);
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const unlisted = expected.filter((record) => !found.has(foldedKey(record.kind, record.id)));
    const kinds = [...groupBy(unlisted, ({ kind }) => kind).keys()].map(knownKind);
    if (kinds.length === 0) return found;
    const listed = recordsOf(await readInventory(client, kinds, quiet));
    for (const record of listed) found.set(foldedKey(record.kind, record.id), record);
    const timeLeft = deadline - clock.now();
    if (timeLeft <= 0 || unlisted.every((record) => found.has(foldedKey(record.kind, record.id)))) return found;
    if (context.signal?.aborted)
      throw new StackferryError("interrupted", "the check of what was written was interrupted");
    await clock.sleep(Math.min(pause, timeLeft), context.signal);
  }
}
