import pLimit from "p-limit";
import { StackferryError, StackError } from "../domain/errors.ts";
import { IdMap } from "../domain/id-map.ts";
import type { Outcome, Warning } from "../domain/outcome.ts";
import type { Plan, PlanItem } from "../domain/plan.ts";
import type { StackClient } from "../domain/ports.ts";
import type { RecordKey, StackRecord } from "../domain/record.ts";
import type { JobContext } from "./job-context.ts";
import type { Labels } from "./labels.ts";
import { itemKey } from "./plan-import.ts";
import { writeItem } from "./write-item.ts";
import type { WriteContext } from "./write-item.ts";

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
}

/** What came of it. */
export interface ImportResult {
  /** One for each item of the plan. */
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
  /** Why the run ended before everything had been tried. */
  readonly stopped?: StackferryError;
}

/** Carries out a plan. Every record is written as soon as what it needs is there; one failure stops only what needs it. */
export async function applyPlan(input: ApplyInput, context: JobContext): Promise<ImportResult> {
  const run = new Run(input, context);
  const outcomes = await Promise.all(input.plan.items.map((item) => run.finish(item)));
  const { stopped, warnings } = run;
  return stopped ? { outcomes, warnings, stopped } : { outcomes, warnings };
}

/** How far a record has come: its id is known on the target, or it never will be. */
type Written = { readonly ok: true } | { readonly ok: false; readonly outcome: Outcome };

class Run {
  readonly warnings: Warning[] = [];
  stopped: StackferryError | undefined;
  readonly #input: ApplyInput;
  readonly #context: JobContext;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #items: ReadonlyMap<RecordKey, PlanItem>;
  readonly #written = new Map<RecordKey, Promise<Written>>();
  readonly #write: WriteContext;

  constructor(input: ApplyInput, context: JobContext) {
    this.#input = input;
    this.#context = context;
    this.#limit = pLimit(input.concurrency);
    this.#items = new Map(input.plan.items.map((item) => [itemKey(item), item]));
    const warn = (warning: Warning): void => {
      this.warnings.push(warning);
      context.events({ type: "warning", warning });
    };
    const { client, read, labels, plan } = input;
    this.#write = { client, read, warn, translation: { ids: new IdMap(plan.ids), known: plan.known, labels } };
  }

  /** Writes an item with all that it needs before and after, and says how it ended. */
  async finish(item: PlanItem): Promise<Outcome> {
    const outcome = await this.#settle(item);
    this.#context.events({ type: "outcome", outcome });
    return outcome;
  }

  async #settle(item: PlanItem): Promise<Outcome> {
    if (item.action !== "create" && item.action !== "update") return describe(item, { status: "done" });
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
        return { ok: true };
      } catch (error) {
        if (!(error instanceof StackferryError)) throw error;
        if (endsTheRun(error) || this.#input.onError === "abort") this.stopped ??= error;
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
