import { partition } from "../../core/collections.ts";
import { foldedKey } from "../../references/known-ids.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { Image, Journal } from "../../core/plan/journal.ts";
import type { Outcome } from "../../core/outcome.ts";
import { keyOfRecord, splitKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { findKind, knownKind } from "../../kinds/registry.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { redactName } from "../../redaction/redact-names.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import { pollUntilListed, type ListReadOptions } from "./verify.ts";

export interface CascadeLossInput extends ListReadOptions {
  /** Records that were on the target before the run, that nobody asked to delete, and that an update could delete. */
  readonly before: readonly StackRecord[];
  /** Records of `before` that reference a hidden child: no rollback can restore them (docs/api.md#hidden-tiles). */
  readonly onHidden: ReadonlySet<RecordKey>;
  /** Records that an earlier run may have lost: it was cut short before it could check them. */
  readonly unchecked: readonly Image[];
  readonly journal: Journal;
  readonly redact: Redactor;
  /** The part of a message that says how to restore a lost record; by default, with a rollback. */
  readonly restoredBy?: string;
}

/** A run with its outcomes so far. */
interface Run {
  readonly outcomes: readonly Outcome[];
  readonly stopped?: StackferryError;
}

const LOST = "was deleted by the server when the record that it points to was updated";
const HIDDEN_LOST =
  "was on the target, on a tile that the API does not show; the update deleted both, and no rollback can restore them: create them again by hand";

/**
 * Adds an outcome for each record that the server deleted because of the run's updates, and notes it in the journal. A run that was
 * stopped does not look: the next run does.
 */
export async function reportCascadeLosses<Result extends Run>(
  run: Result,
  input: CascadeLossInput,
  context: RunContext,
): Promise<Result> {
  const { onHidden, journal, clock, restoredBy = "a rollback restores it" } = input;
  const watched = await watchedRecords(input);
  if (watched.length === 0 || context.signal?.aborted === true) return run;
  try {
    const lost = await findLosses(watched, input, context);
    const at = new Date(clock.now()).toISOString();
    for (const { key, record } of lost) {
      await journal.append({ type: "done", at, key, write: "delete", targetId: record.id, content: "" });
    }
    const outcomes = lost.map((each) =>
      onHidden.has(each.key)
        ? outcomeOf(each, "hidden-lost", HIDDEN_LOST)
        : outcomeOf(each, "cascade-loss", `${LOST}; ${restoredBy}`),
    );
    for (const outcome of outcomes) context.events({ type: "outcome", outcome });
    return { ...run, outcomes: withLosses(run.outcomes, outcomes) };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { ...run, stopped: run.stopped ?? error };
  }
}

/** A record that must still be on the target after the run. */
interface Watched {
  readonly record: StackRecord;
  readonly key: RecordKey;
  /** True if an earlier run may have lost the record; its body is then from the journal. */
  readonly isOpen: boolean;
}

/** Lists the records at risk. Their names are redacted, because they are shown. */
async function watchedRecords({ before, unchecked, redact }: CascadeLossInput): Promise<Watched[]> {
  const watched = new Map<string, Watched>();
  for (const { key, name, body } of unchecked) {
    const [kind, id] = splitKey(key);
    if (findKind(kind) === undefined) continue;
    watched.set(foldedKey(kind, id), { record: { kind, id, name, body }, key, isOpen: true });
  }
  for (const record of before) {
    const name = await redactName(record, redact);
    watched.set(foldedKey(record.kind, record.id), {
      record: { ...record, name },
      key: keyOfRecord(record),
      isOpen: false,
    });
  }
  return [...watched.values()];
}

/** Returns the records that the server deleted, for example an alert whose tile changed to a type without alerts (docs/api.md#tile-alerts). */
async function findLosses(
  watched: readonly Watched[],
  input: CascadeLossInput,
  context: RunContext,
): Promise<Watched[]> {
  const found = await pollUntilListed(
    watched.map(({ record }) => record),
    input,
    context,
  );
  const contents = new Set([...found.values()].map(contentOf));
  // A record that an earlier run lost may exist again under another id.
  const isThere = ({ record, isOpen }: Watched): boolean =>
    found.has(foldedKey(record.kind, record.id)) || (isOpen && contents.has(contentOf(record)));
  const [, lost] = partition(watched, isThere);
  return lost;
}

function contentOf({ kind: name, body }: StackRecord): string {
  return `${name} ${recordFingerprint(knownKind(name), body)}`;
}

function outcomeOf({ record }: Watched, code: string, loss: string): Outcome {
  const { kind, id, name, displayName } = record;
  const message = `the ${nounOf(kind)} ${loss}`;
  const shown = displayName === undefined ? {} : { displayName };
  return { kind, name, ...shown, sourceId: id, targetId: id, action: "skip", status: "failed", code, message };
}

/** Replaces the outcomes of lost records, and adds those of records that the run did not touch. */
function withLosses(outcomes: readonly Outcome[], lost: readonly Outcome[]): readonly Outcome[] {
  const keyOf = ({ kind, targetId = "" }: Outcome): string => foldedKey(kind, targetId);
  const lossByKey = new Map(lost.map((outcome) => [keyOf(outcome), outcome]));
  const merged = outcomes.map((outcome): Outcome => {
    const loss = lossByKey.get(keyOf(outcome));
    lossByKey.delete(keyOf(outcome));
    return loss === undefined ? outcome : { ...loss, sourceId: outcome.sourceId, name: outcome.name };
  });
  return [...merged, ...lossByKey.values()];
}
