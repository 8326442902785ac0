import type { FormOptions } from "../write-body.ts";
import { StackferryError } from "../../core/errors.ts";
import { withoutWarnings, type RunContext } from "../../core/events.ts";
import { IdMap } from "../../core/plan/id-map.ts";
import type { Image } from "../../core/plan/journal.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import { targetKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { knownKind } from "../../kinds/registry.ts";
import { createRedactor, type Redactor } from "../../redaction/redactor.ts";
import { itemKey, type Plan } from "../../core/plan/plan.ts";
import { readCurrentUsers } from "../remove/dependents.ts";
import { checkTarget, isRemoved, isWritten } from "./check.ts";
import { inUse, operationsOf, type Operation, type OperationResult } from "./operations.ts";
import { recordsOf, type Inventory } from "../../matching/inventory.ts";
import { ListedRecords, type ListReadOptions } from "./lost-create.ts";
import { UnknownMembers } from "../refusals.ts";
import { runOperations, type OperationsEnd, type Trial } from "./run-operations.ts";
import { seenEntry, type RunMemory } from "./settle.ts";
import { Writer } from "./writer.ts";

export interface ApplyInput extends Omit<FormOptions, "now">, ListReadOptions {
  readonly plan: Plan;
  readonly records: ReadonlyMap<RecordKey, StackRecord>;
  readonly inventory: Inventory;
  readonly unknown?: UnknownMembers;
  /** Requests that can be in flight at a time. More operations are under way (`OPERATIONS_PER_REQUEST`). */
  readonly concurrency: number;
  readonly memory: RunMemory;
  /** Records that the server may have deleted along with updates of an earlier run that was cut short. */
  readonly unchecked?: readonly Image[];
  readonly redact?: Redactor;
}

export interface ImportResult extends OperationsEnd {
  readonly warnings: readonly Warning[];
}

/** A record is not written if the write of a record that it needs fails. */
export async function applyPlan(input: ApplyInput, context: RunContext): Promise<ImportResult> {
  const { plan, client, clock, fitLimits, records, concurrency } = input;
  const { inventory, unknown = new UnknownMembers(), redact = createRedactor(), memory, unchecked = [] } = input;
  const { signal } = context;
  const ids = new IdMap(plan.ids);
  const warnings: Warning[] = [];
  const warnedTexts = new Set(plan.warnings.map(textOfWarning));
  const warn = (warning: Warning): void => {
    if (warnedTexts.has(textOfWarning(warning))) return;
    warnedTexts.add(textOfWarning(warning));
    warnings.push(warning);
    context.events({ type: "warning", warning });
  };
  const answers = new Map<RecordKey, JsonObject>();
  const listed = new ListedRecords(recordsOf(inventory));
  const writing = { ids, bodies: plan.bodies, idsToCome: plan.idsToCome, fitLimits, now: clock.now() };
  const writer = new Writer({ ...input, ...writing, listed, answers, unknown, redact, warn, signal });
  await noteLooks(input, ids);
  /** A list may still show the former links of these records. */
  const finished = new Set<RecordKey>();
  const quiet = withoutWarnings(context);
  const ended = await runOperations(operationsOf(plan), {
    async carryOut(operation) {
      if (operation.write !== "delete") return writer.write(operation);
      const users = await readCurrentUsers(operation.item, finished, client, quiet);
      if (users !== undefined) return inUse(users);
      await writer.delete(operation.item);
      return { status: "done" };
    },
    trialOf: (operation) => trialOf(operation, records, answers),
    report: (outcome) => {
      if (isWritten(outcome) || isRemoved(outcome)) finished.add(targetKey(outcome));
      context.events({ type: "outcome", outcome });
    },
    concurrency,
    signal,
  });
  const checking = { ...input, known: listed, stored: answers, unchecked, journal: memory.journal, redact, warn };
  return { ...(await noteEnd(await checkTarget(ended, checking, context), input)), warnings };
}

/** Some deployments create no records of a kind, or keep only a part of a record, so the first such write is a trial. */
function trialOf(
  { write, item }: Operation,
  records: ReadonlyMap<RecordKey, StackRecord>,
  answers: ReadonlyMap<RecordKey, JsonObject>,
): Trial | undefined {
  if (write === "delete" || write === "link") return undefined;
  const key = itemKey(item);
  const kind = knownKind(item.kind);
  if (write === "create" && kind.importPolicy.when === "on-request") {
    return { form: `create ${kind.name}`, verdict: (end) => (end.code === "not-offered" ? end : undefined) };
  }
  const held = kind.heldInPart?.(records.get(key)?.body ?? {});
  if (held === undefined) return undefined;
  const verdict = ({ code }: OperationResult): OperationResult | undefined => {
    const answer = answers.get(key);
    return code === "not-stored" && answer !== undefined && !held.isWhole(answer)
      ? { status: "failed", action: "blocked", ...held.refusal }
      : undefined;
  };
  return { form: `${kind.name} ${held.refusal.code}`, verdict };
}

async function noteLooks({ plan, records, memory }: ApplyInput, ids: IdMap): Promise<void> {
  for (const item of plan.items) {
    const record = records.get(itemKey(item));
    const entry = record && seenEntry(item, record, ids, memory);
    if (entry !== undefined) await memory.journal.append(entry);
  }
}

function textOfWarning({ message, pointer }: Warning): string {
  return `${message} ${pointer}`;
}

/** A stopped run gets no `end` in the journal, so the next run goes on with the stopped run. */
async function noteEnd(run: OperationsEnd, { memory, clock }: ApplyInput): Promise<OperationsEnd> {
  if (run.stopped) return run;
  try {
    await memory.journal.append({ type: "end", at: new Date(clock.now()).toISOString() });
    return run;
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { ...run, stopped: error };
  }
}
