import type { StackSettings } from "../../config/stack-settings.ts";
import { StackferryError } from "../../domain/errors.ts";
import type { Journal } from "../../domain/journal.ts";
import type { Plan } from "../../domain/plan.ts";
import type { StackClient } from "../../domain/ports.ts";
import { recordKey } from "../../domain/record.ts";
import type { RecordKey, StackRecord } from "../../domain/record.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { applyPlan } from "../../jobs/apply-plan.ts";
import type { ImportOptions } from "../../jobs/import-options.ts";
import type { Inventory } from "../../jobs/inventory.ts";
import { systemClock } from "../../client/clock.ts";
import type { ImportRequest } from "../commands/import-flags.ts";
import { exitCodeOf, exitCodeOfOutcomes } from "../exit-codes.ts";
import { importText } from "../render/outcome-text.ts";
import { probeText } from "../render/probe-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";
import { expectedWork } from "./expected-work.ts";
import { planMembers } from "./plan-members.ts";
import { probeTarget } from "./probe-target.ts";

/** The target of an import. */
export interface ImportTarget {
  readonly settings: StackSettings;
  readonly client: StackClient;
  /** The journal's name begins with this path, if none is named: the archive's. */
  readonly journalBase: string;
  /** Its lists, if they are being read already. */
  readonly inventory?: Promise<Inventory>;
}

/** A plan that is to be carried out. */
export interface ApplyRequest {
  readonly plan: Plan;
  /** The archive's records, placeholders filled in. */
  readonly records: readonly StackRecord[];
  readonly target: ImportTarget;
  readonly options: ImportOptions;
  readonly request: ImportRequest;
  readonly journal: Journal;
  /** For what the journal keeps. */
  readonly redact: Redactor;
}

/** Carries out a plan and says what came of it. */
export async function applyAndReport(request: ApplyRequest, session: Session): Promise<CommandResult> {
  const { plan, records, target, options, journal, redact } = request;
  const { onError, settleMs, verify, probe } = request.request;
  const { events, signal } = session;
  const { client, settings } = target;
  events({ type: "phase", phase: "importing", total: plan.items.length, ...expectedWork(plan, settings) });
  const { labels } = options;
  const { concurrency } = settings;
  const pace = { onError, concurrency, clock: systemClock, settleMs, verify };
  const input = { plan, read: readFrom(records), client, labels, journal, redact, ...pace };
  const { outcomes, stopped } = await applyPlan(input, { events, signal });
  const probes = probe && stopped === undefined ? await probeTarget(plan, target, session) : [];
  return {
    exitCode: stopped === undefined ? exitCodeOfOutcomes(outcomes) : exitCodeOf(stopped),
    text: (view) => `${importText(outcomes, view)}${probeText(probes, view)}`,
    outcomes,
    ...(stopped !== undefined && { stopped: resumable(stopped, journal) }),
    extra: {
      dryRun: false,
      ...(journal.path !== undefined && { journal: journal.path }),
      ...planMembers(plan),
      ...(probe && { probes }),
    },
  };
}

/** Says where the run got to is written down, so that nobody is afraid to go on. */
function resumable(stopped: StackferryError, { path }: Journal): StackferryError {
  if (path === undefined) return stopped;
  const hint = `${stopped.hint === undefined ? "" : `${stopped.hint} `}Run the same command again to go on; ${path} says what is done.`;
  return new StackferryError(stopped.code, stopped.message, { cause: stopped, hint });
}

function readFrom(records: readonly StackRecord[]): (key: RecordKey) => Promise<StackRecord> {
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  return async (key) => {
    const record = byKey.get(key);
    if (record === undefined) throw new StackferryError("archive-damaged", `${key} is not in the archive`);
    return record;
  };
}
