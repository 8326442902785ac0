import { resolve } from "node:path";
import { compactJson } from "../../domain/canonical-json.ts";
import { StackferryError } from "../../domain/errors.ts";
import type { JournalEntry } from "../../domain/journal.ts";
import type { Outcome } from "../../domain/outcome.ts";
import type { StackClient } from "../../domain/ports.ts";
import { adoptOpenWrites } from "../../jobs/adopt-open-writes.ts";
import { applyRollback } from "../../jobs/apply-rollback.ts";
import { readInventory } from "../../jobs/inventory.ts";
import { readJournalState } from "../../jobs/journal-state.ts";
import { planRollback } from "../../jobs/plan-rollback.ts";
import type { RollbackItem } from "../../jobs/plan-rollback.ts";
import { openFileJournal, readFileJournal } from "../../journal/file-journal.ts";
import { kinds } from "../../kinds/registry.ts";
import { systemClock } from "../../client/clock.ts";
import { canAsk, confirm } from "../confirm.ts";
import { exitCodeOf, exitCodeOfOutcomes } from "../exit-codes.ts";
import { openClient, reported, resolveFor } from "../open-stack.ts";
import { rollbackEndText, rollbackPlanText } from "../render/rollback-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";

/** `stackferry rollback`, normalised. */
export interface RollbackRequest {
  readonly journal: string;
  readonly to: string;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Undoes one import: plans from its journal and the target's lists, shows the plan, asks, undoes. */
export async function runRollback(request: RollbackRequest, session: Session): Promise<CommandResult> {
  const path = resolve(session.io.cwd, request.journal);
  const settings = await resolveFor(request.to, "to", session);
  session.facts.to = reported(settings);
  const entries = await readFileJournal(path);
  if (entries === undefined)
    throw new StackferryError("usage", `there is no journal ${path}`, { hint: "Check the path." });
  await using client = openClient(settings, session);
  refuseOtherTarget(entries, client, path);
  const items = await planNow(entries, client, request, session);
  if (request.dryRun) {
    const outcomes = items.map((item) => ({ ...outcomeOf(item), status: "planned" as const }));
    return { exitCode: 0, text: (view) => rollbackPlanText(items, view), outcomes, extra: { dryRun: true } };
  }
  const undoes = items.some(({ action }) => action !== "skip");
  if (!request.yes && canAsk(session) && undoes) {
    session.say(rollbackPlanText(items, session.err));
    await confirm(`Undo this on ${settings.label}?`, session);
  }
  await using journal = await openFileJournal(path);
  const { signal, events } = session;
  events({ type: "phase", phase: "undoing", total: items.length });
  // Between the plan that was shown and the answer anything may have happened: what counts is what is there now.
  const current = await planNow(journal.entries, client, request, session);
  const { concurrency } = settings;
  const input = { items: current, client, journal, clock: systemClock, concurrency };
  const { outcomes, stopped } = await applyRollback(input, { events, signal });
  return {
    exitCode: stopped === undefined ? exitCodeOfOutcomes(outcomes) : exitCodeOf(stopped),
    text: (view) => rollbackEndText(outcomes, view),
    outcomes,
    ...(stopped !== undefined && { stopped }),
    extra: { dryRun: false, journal: path },
  };
}

async function planNow(
  entries: readonly JournalEntry[],
  client: StackClient,
  { force }: RollbackRequest,
  { events, signal }: Session,
): Promise<RollbackItem[]> {
  const inventory = await readInventory(client, kinds, { events, signal });
  const adopted = adoptOpenWrites(readJournalState(entries), inventory, new Date().toISOString());
  return planRollback({ state: readJournalState([...entries, ...adopted]), inventory, force });
}

function refuseOtherTarget([first]: readonly JournalEntry[], { identity }: StackClient, path: string): void {
  if (first?.type === "begin" && compactJson({ ...first.subject.target }) === compactJson({ ...identity })) return;
  const message = `the journal ${path} belongs to an import onto another stack`;
  throw new StackferryError("journal", message, { hint: "Name the stack that the import wrote with --to." });
}

function outcomeOf({
  key: _key,
  previous: _previous,
  current: _current,
  ...item
}: RollbackItem): Omit<Outcome, "status"> {
  return item;
}
