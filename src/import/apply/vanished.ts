import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { Journal } from "../../core/journal.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { StackRecord } from "../../core/record.ts";
import { recordKey } from "../../core/record.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { ListReading } from "./await-listed.ts";
import { awaitListed, listedKey } from "./await-listed.ts";

export interface VanishedInput extends ListReading {
  /** What the target had before the run that an update of the run could take away, and that was not to be deleted. */
  readonly before: readonly StackRecord[];
  readonly journal: Journal;
  readonly redact: Redactor;
}

/** A run with what became of each record. */
interface Run {
  readonly outcomes: readonly Outcome[];
  readonly stopped?: StackferryError;
}

/** The run with what its updates took away. Costs nothing where nothing was there to lose; a run that its user stopped asks nothing more. */
export async function nameVanished<Result extends Run>(
  run: Result,
  input: VanishedInput,
  context: RunContext,
): Promise<Result> {
  if (input.before.length === 0 || context.signal?.aborted) return run;
  try {
    const vanished = await findVanished(input, context);
    for (const outcome of vanished) context.events({ type: "outcome", outcome });
    return { ...run, outcomes: withVanished(run.outcomes, vanished) };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { ...run, stopped: run.stopped ?? error };
  }
}

/**
 * Looks whether the server has taken records away that the run was to leave alone, as it does with alerts when it no longer
 * likes their tile (field notes, Alerts). Each is an outcome, and its body is written to the journal, so that a rollback can
 * bring it back.
 */
async function findVanished(input: VanishedInput, context: RunContext): Promise<Outcome[]> {
  const { before, journal, redact, clock } = input;
  const found = await awaitListed(before, input, context);
  const gone = [...new Map(before.map((record) => [listedKey(record), record]))].flatMap(([key, record]) =>
    found.has(key) ? [] : [record],
  );
  const outcomes: Outcome[] = [];
  for (const { kind: name, id, body: whole, name: called } of gone) {
    const kind = findKind(name);
    if (kind === undefined) continue;
    const { body } = await redact(kind, whole);
    const at = new Date(clock.now()).toISOString();
    await journal.append({ type: "vanished", at, key: recordKey(name, id), name: called, body });
    const message = `the server deleted this ${kind.singular} of the target when what it points to was updated; a rollback brings it back`;
    outcomes.push({
      kind: name,
      name: called,
      sourceId: id,
      targetId: id,
      action: "skip",
      status: "failed",
      code: "vanished",
      message,
    });
  }
  return outcomes;
}

/** The outcomes with what has vanished: a record of the archive that was the vanished one has no better end. */
function withVanished(outcomes: readonly Outcome[], vanished: readonly Outcome[]): readonly Outcome[] {
  if (vanished.length === 0) return outcomes;
  const keyOf = ({ kind, targetId = "" }: Outcome): string => listedKey({ kind, id: targetId });
  const gone = new Map(vanished.map((outcome) => [keyOf(outcome), outcome]));
  const known = outcomes.map((outcome): Outcome => {
    const end = gone.get(keyOf(outcome));
    if (end === undefined) return outcome;
    gone.delete(keyOf(outcome));
    return { ...end, sourceId: outcome.sourceId, name: outcome.name };
  });
  return [...known, ...gone.values()];
}
