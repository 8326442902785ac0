import pLimit from "p-limit";
import { StackError, StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import { IdMap } from "../../core/id-map.ts";
import type { Journal } from "../../core/journal.ts";
import type { Outcome, Warning } from "../../core/outcome.ts";
import { isIncomplete } from "../../core/outcome.ts";
import type { Plan, PlanItem } from "../../core/plan.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import type { RecordKey, StackRecord } from "../../core/record.ts";
import type { Labels } from "../../matching/labels.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { itemKey } from "../plan/plan-import.ts";
import type { Translation } from "./bodies.ts";
import { LostCreateFinder } from "./lost-create.ts";
import { SafeWriter } from "./safe-writer.ts";
import { verifyImport } from "./verify.ts";
import type { WriteContext } from "./write-item.ts";
import { writeItem } from "./write-item.ts";

/** What came of it. */
export interface ImportResult {
  /** One for each item of the plan. */
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
  /** Why the run ended before everything had been tried. */
  readonly stopped?: StackferryError;
}

/**
 * Carries out a plan. Every record is written as soon as what it needs is there; one failure stops only what needs it. The
 * journal is told how the run ended.
 */
export async function applyPlan(input: ApplyInput, context: RunContext): Promise<ImportResult> {
  const { journal, clock } = input;
  const run = new ImportRun(input, context);
  const result = await checked(await run.finishAll(), run, input, context);
  const ended = result.stopped ? "stopped" : result.outcomes.some(isIncomplete) ? "incomplete" : "complete";
  await journal.append({ type: "end", at: new Date(clock.now()).toISOString(), result: ended });
  return result;
}

async function checked(
  outcomes: readonly Outcome[],
  { stopped, warnings, translation }: ImportRun,
  input: ApplyInput,
  context: RunContext,
): Promise<ImportResult> {
  if (stopped) return { outcomes, warnings, stopped };
  if (!input.verify) return { outcomes, warnings };
  try {
    const check = await verifyImport({ ...input, outcomes, translation }, context);
    const known = new Set(warnings.map(({ message, pointer }) => `${message} ${pointer}`));
    const fresh = check.warnings.filter(({ message, pointer }) => !known.has(`${message} ${pointer}`));
    for (const warning of fresh) context.events({ type: "warning", warning });
    return { outcomes: check.outcomes, warnings: [...warnings, ...fresh] };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { outcomes, warnings, stopped: error };
  }
}

/** What an import is carried out with. */
export interface ApplyInput {
  readonly plan: Plan;
  /** Reads one record of the archive again: a plan holds no bodies. */
  readonly read: (key: RecordKey) => Promise<StackRecord>;
  readonly client: StackClient;
  readonly labels: Labels;
  /** `abort`: the first record that fails ends the run, with what is in flight let finish. */
  readonly onError: "continue" | "abort";
  /** Writes at a time. */
  readonly concurrency: number;
  readonly journal: Journal;
  readonly clock: Clock;
  /** How long the target's lists may lag behind its writes, in milliseconds: so long a lost create is looked for. */
  readonly listLagMs: number;
  /** Takes the secrets out of what the journal keeps for a rollback; every layer but the scanner unless told. */
  readonly redact?: Redactor;
  /** Read the target's lists afterwards and compare them with what was sent. */
  readonly verify: boolean;
}

/** How far a record has come: its id is known on the target, or it never will be. */
type Written = { readonly ok: true } | { readonly ok: false; readonly outcome: Outcome };

/** So many records in a row, each sent several times, that a stack fails on: it keeps failing, and the run ends (exit 6). */
const MOST_FAILED_IN_A_ROW = 5;
/**
 * So many records are under way for each request that may be: while one is being answered the next is made ready and written
 * down in the journal. The client sends no more at a time than it may.
 */
const READY_PER_REQUEST = 2;
/** Errors that say that the stack failed, not that it did not like the record. */
const STACK_FAILS: readonly string[] = ["unavailable", "unreachable", "protocol"];

/** One run of an import: what is written, what waits for what, and why it stopped. */
class ImportRun {
  readonly warnings: Warning[] = [];
  stopped: StackferryError | undefined;
  #failedInARow = 0;
  readonly #input: ApplyInput;
  readonly #context: RunContext;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #items: ReadonlyMap<RecordKey, PlanItem>;
  readonly #written = new Map<RecordKey, Promise<Written>>();
  readonly #write: WriteContext;

  constructor(input: ApplyInput, context: RunContext) {
    this.#input = input;
    this.#context = context;
    this.#limit = pLimit(input.concurrency * READY_PER_REQUEST);
    this.#items = new Map(input.plan.items.map((item) => [itemKey(item), item]));
    const warn = (warning: Warning): void => {
      this.warnings.push(warning);
      context.events({ type: "warning", warning });
    };
    const { client, read, labels, plan, journal, clock, listLagMs } = input;
    const lostCreates = new LostCreateFinder({ client, clock, listLagMs, baseline: plan.present });
    const { signal } = context;
    const { redact = createRedactor() } = input;
    const writer = new SafeWriter({ client, journal, lostCreates, clock, redact, ...(signal && { signal }) });
    this.#write = { writer, read, warn, translation: { ids: new IdMap(plan.ids), known: plan.known, labels } };
  }

  /** Writes all items, each with what it needs before and after, and says how each ended. */
  finishAll(): Promise<Outcome[]> {
    return Promise.all(this.#input.plan.items.map((item) => this.#finish(item)));
  }

  get translation(): Translation {
    return this.#write.translation;
  }

  async #finish(item: PlanItem): Promise<Outcome> {
    const outcome = await this.#propagateBlocks(item);
    this.#context.events({ type: "outcome", outcome });
    return outcome;
  }

  async #propagateBlocks(item: PlanItem): Promise<Outcome> {
    if (item.action !== "create" && item.action !== "update")
      return describe(item, { status: item.action === "blocked" ? "failed" : "done" });
    const written = await this.#writeOnce(item);
    if (!written.ok) return written.outcome;
    const missing = await this.#firstMissing(item.linksTo);
    if (missing !== undefined) {
      const message = `was written, but without its link to "${missing}", which could not be written`;
      return describe(item, { status: "failed", code: "link-failed", message, ...this.#targetId(item) });
    }
    if (item.linksTo.length > 0) {
      const linked = await this.#attempt(item, () => writeItem(item, "link", this.#write));
      if (!linked.ok) return linked.outcome;
    }
    return describe(item, { status: "done", ...this.#targetId(item) });
  }

  #writeOnce(item: PlanItem): Promise<Written> {
    const key = itemKey(item);
    const begun = this.#written.get(key) ?? this.#writeAfterNeeds(item);
    this.#written.set(key, begun);
    return begun;
  }

  async #writeAfterNeeds(item: PlanItem): Promise<Written> {
    const missing = await this.#firstMissing(item.dependsOn);
    if (missing !== undefined) {
      if (this.stopped) return { ok: false, outcome: notStarted(item) };
      const message = `needs "${missing}", which could not be written`;
      const blocked: PlanItem = { ...item, action: "blocked" };
      return { ok: false, outcome: describe(blocked, { status: "failed", code: "dependency-failed", message }) };
    }
    return this.#attempt(item, () => writeItem(item, "first", this.#write));
  }

  async #firstMissing(keys: readonly RecordKey[]): Promise<string | undefined> {
    for (const key of keys) {
      const needed = this.#items.get(key);
      if (needed && !(await this.#writeOnce(needed)).ok) return needed.name;
    }
    return undefined;
  }

  async #attempt(item: PlanItem, write: () => Promise<void>): Promise<Written> {
    return this.#limit(async () => {
      if (this.#context.signal?.aborted) this.stopped ??= new StackferryError("interrupted", "the run was interrupted");
      if (this.stopped) return { ok: false, outcome: notStarted(item) };
      try {
        await write();
        this.#failedInARow = 0;
        return { ok: true };
      } catch (error) {
        if (!(error instanceof StackferryError)) throw error;
        this.#failedInARow += STACK_FAILS.includes(error.code) ? 1 : 0;
        const hopeless = endsTheRun(error) || this.#failedInARow >= MOST_FAILED_IN_A_ROW;
        if (hopeless || this.#input.onError === "abort") this.stopped ??= error;
        const details = {
          status: "failed",
          code: error.code,
          message: error.message,
          ...this.#targetId(item),
        } as const;
        return { ok: false, outcome: describe(item, details) };
      }
    });
  }

  #targetId(item: PlanItem): { targetId?: string } {
    const targetId = this.#write.translation.ids.get(item.kind, item.sourceId);
    return targetId === undefined ? {} : { targetId };
  }
}

/** Errors after which the next record could not fare better. */
function endsTheRun(error: StackferryError): boolean {
  const always: readonly string[] = [
    "unauthorized",
    "forbidden",
    "rate-limited",
    "interrupted",
    "archive-damaged",
    "archive-io",
    "journal",
  ];
  if (always.includes(error.code)) return true;
  // The client has been patient already; only an answer that was lost says nothing about the next request.
  return error.code === "unreachable" && error instanceof StackError && error.failure.applied === "no";
}

function notStarted(item: PlanItem): Outcome {
  return describe(item, {
    status: "planned",
    code: "not-started",
    message: "the run ended before this record was begun",
  });
}

function describe(item: PlanItem, end: Pick<Outcome, "status"> & Partial<Outcome>): Outcome {
  const { kind, sourceId, name, action, targetId, code, message } = item;
  const planned = {
    ...(targetId !== undefined && { targetId }),
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
  };
  return { kind, name, sourceId, action, ...planned, ...end };
}
