import { resolve } from "node:path";
import { systemClock } from "../../client/clock.ts";
import { StackferryError } from "../../core/errors.ts";
import type { JournalEntry } from "../../core/journal.ts";
import { compactJson } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { StackClient } from "../../core/ports.ts";
import { recoverPendingWrites } from "../../import/read/pending-writes.ts";
import { openFileJournal, readFileJournal } from "../../journal/file-journal.ts";
import { readJournalState } from "../../journal/state.ts";
import { kinds } from "../../kinds/registry.ts";
import { readInventory } from "../../matching/inventory.ts";
import { applyRollback } from "../../rollback/apply.ts";
import type { RollbackItem } from "../../rollback/plan.ts";
import { planRollback } from "../../rollback/plan.ts";
import { stackToWrite } from "../flags/arguments.ts";
import type { CommandResult } from "../output/document.ts";
import { rollbackEndText, rollbackPlanText } from "../output/import.ts";
import { defineCommand } from "../program/define-command.ts";
import { exitCodeOf, exitCodeOfOutcomes } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { canAsk, confirm } from "../prompts/confirm.ts";
import { openClient, reported, resolveFor } from "../wiring/stack.ts";

export const rollbackCommand = defineCommand("rollback", {
  positionals: { journal: { type: "string", demandOption: true, describe: "Journal of the import" } },
  flags: {
    to: { ...stackToWrite, describe: "STACK the import wrote: a configured name or an address" },
    "dry-run": { type: "boolean", describe: "Show the plan and write nothing" },
    force: { type: "boolean", describe: "Undo also what was changed since, or is used by something else" },
    yes: { type: "boolean", describe: "Do not ask before writing" },
  },
  examples: [
    ["rollback backup.zip.1a2b3c4d.journal --to staging --dry-run", "what would be undone"],
    ["rollback backup.zip.1a2b3c4d.journal --to staging --yes", "undo it, without asking"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 7, 130],
  prepare: (args) => {
    const { journal, to, force = false, yes = false } = args;
    const dryRun = args["dry-run"] ?? false;
    if (journal === "") throw new StackferryError("usage", "the journal's name is empty");
    return (session) => runRollback({ journal, to, force, yes, dryRun }, session);
  },
});

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
  session.runState.to = reported(settings);
  const entries = await readFileJournal(path);
  if (entries === undefined)
    throw new StackferryError("usage", `there is no journal ${path}`, { hint: "Check the path." });
  await using client = openClient(settings, session);
  refuseOtherTarget(entries, client, path);
  const items = await planNow(entries, client, request, session);
  if (request.dryRun) {
    const outcomes = items.map((item) => ({ ...outcomeOf(item), status: "planned" as const }));
    return { exitCode: 0, text: (display) => rollbackPlanText(items, display), outcomes, extra: { dryRun: true } };
  }
  const undoes = items.some(({ action }) => action !== "skip");
  if (!request.yes && canAsk(session) && undoes) {
    session.say(rollbackPlanText(items, session.err));
    await confirm(`Undo this on ${settings.label}?`, session);
  }
  await using journal = await openFileJournal(path);
  const { signal, events } = session;
  events({ type: "phase", phase: "undoing", total: items.length });
  // The stack can have changed while the question was open, so the plan is made again.
  const current = await planNow(journal.entries, client, request, session);
  const { concurrency } = settings;
  const input = { items: current, client, journal, clock: systemClock, concurrency };
  const { outcomes, stopped } = await applyRollback(input, { events, signal });
  return {
    exitCode: stopped === undefined ? exitCodeOfOutcomes(outcomes) : exitCodeOf(stopped),
    text: (display) => rollbackEndText(outcomes, display),
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
  const recovered = recoverPendingWrites(readJournalState(entries), inventory, new Date().toISOString());
  return planRollback({ state: readJournalState([...entries, ...recovered]), inventory, force });
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
