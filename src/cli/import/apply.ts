import { systemClock } from "../../client/clock.ts";
import type { StackSettings } from "../../config/stack-settings.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Journal } from "../../core/journal.ts";
import type { Plan } from "../../core/plan.ts";
import type { StackClient } from "../../core/ports.ts";
import type { RecordKey, StackRecord, Variant } from "../../core/record.ts";
import { recordKey } from "../../core/record.ts";
import type { Probe } from "../../import/apply/probe.ts";
import { probeSources } from "../../import/apply/probe.ts";
import { applyPlan } from "../../import/apply/apply-plan.ts";
import type { ImportOptions } from "../../matching/import-options.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { ImportRequest } from "../flags/import.ts";
import type { CommandResult } from "../output/document.ts";
import { importText, probeText } from "../output/import.ts";
import { exitCodeOf, exitCodeOfOutcomes } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { openClient } from "../wiring/stack.ts";
import { planMembers } from "./planned.ts";

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
  const { onError, listLagMs, verify, probe } = request.request;
  const { events, signal } = session;
  const { client, settings } = target;
  events({ type: "phase", phase: "importing", total: plan.items.length, ...expectedWork(plan, settings) });
  const { labels } = options;
  const { concurrency } = settings;
  const pace = { onError, concurrency, clock: systemClock, listLagMs, verify };
  const input = { plan, read: readFrom(records), client, labels, journal, redact, ...pace };
  const { outcomes, stopped } = await applyPlan(input, { events, signal });
  const probes = probe && stopped === undefined ? await probeTarget(plan, target, session) : [];
  return {
    exitCode: stopped === undefined ? exitCodeOfOutcomes(outcomes) : exitCodeOf(stopped),
    text: (display) => `${importText(outcomes, display)}${probeText(probes, display)}`,
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

/** The limits that the two variants are known by (field notes, Rate limits). */
const KNOWN_LIMITS = {
  "self-hosted": { requests: 100, perMs: 60_000 },
  managed: { requests: 10, perMs: 10_000 },
} as const satisfies Record<Variant, { requests: number; perMs: number }>;

/** The requests that a plan will take, one for each write and each link of a cycle, and the limit that they fall under. */
export function expectedWork(
  { items }: Plan,
  { rate, identity }: Pick<StackSettings, "rate" | "identity">,
): { readonly requests: number; readonly limit: { readonly requests: number; readonly perMs: number } } {
  const written = items.filter(({ action }) => action === "create" || action === "update");
  const links = written.filter(({ linksTo }) => linksTo.length > 0);
  const known = KNOWN_LIMITS[identity.variant];
  const slower = rate !== undefined && rate.requests / rate.perMs < known.requests / known.perMs ? rate : known;
  return { requests: written.length + links.length, limit: slower };
}

/** A source whose database is gone answers 500 each time; it is not asked again and again for minutes. */
const RETRY_BUDGET_MS = 5000;

/** Probes the sources that an import was mapped to (`--probe`). A managed stack cannot be asked, which is a warning. */
async function probeTarget(
  { matches }: Plan,
  { settings }: Pick<ImportTarget, "settings">,
  session: Session,
): Promise<readonly Probe[]> {
  const { events, signal } = session;
  if (settings.identity.variant === "managed") {
    const message = "--probe was left out: a managed stack answers no chart queries";
    events({ type: "warning", warning: { code: "probe-not-offered", message } });
    return [];
  }
  await using client = openClient(settings, session, { maxRetryBudgetMs: RETRY_BUDGET_MS });
  return await probeSources({ client, matches, clock: systemClock }, { events, signal });
}
