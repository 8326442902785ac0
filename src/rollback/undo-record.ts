import type { IdMap } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { JournaledRecord, RunWrite } from "../journal/replay.ts";
import { mergeRuns } from "../journal/replay.ts";
import { borrowSecrets, findPlaceholders } from "../redaction/placeholders.ts";
import { recordFingerprint } from "../references/record-content.ts";
import type { RollbackItem } from "./item.ts";
import { withNewIds } from "./new-ids.ts";

/** The action for a record, and the reason. */
export type Undo = Pick<RollbackItem, "action" | "code" | "message" | "previous" | "current">;

/** The writes to one record of the target by the chosen runs, and by later ones. */
export interface WrittenRecord {
  /** Writes of the runs to undo, the earliest first; at least one. */
  readonly chosen: readonly RunWrite[];
  /** Numbers of later runs that wrote the record and are not undone. */
  readonly later: readonly number[];
}

/** A server's clock may be wrong by an hour, or by a time zone. */
const CLOCK_DIFFERENCE_MS = 24 * 60 * 60_000;

/**
 * Decides how to undo the writes of the chosen runs.
 * @param current the target's record now
 * @param ids old ids of records created again, with the new ones
 */
export function undoRecord(
  kind: ResourceKind,
  { chosen, later }: WrittenRecord,
  current: StackRecord | undefined,
  { force, ids }: { readonly force: boolean; readonly ids: IdMap },
): Undo {
  const merged = mergeRuns(chosen);
  if (!current || !merged) return skipWith("gone", "is no longer on the target");
  const { previous } = merged;
  const record = previous === undefined ? merged : { ...merged, previous: withNewIds(kind, previous, ids) };
  const digest = recordFingerprint(kind, current.body);
  const [run] = later;
  if (run !== undefined) {
    return skipWith("later-run", `run ${run} wrote it later; undo that run first, or both with --run all`);
  }
  if (record.previous && digest === recordFingerprint(kind, borrowSecrets(record.previous, current.body))) {
    return skipWith("put-back", "is what it was before the import");
  }
  if (!force && digest !== record.content) {
    return skipWith("changed-since", "was changed on the target since the import; --force undoes it anyway");
  }
  return record.created ? undoCreate(chosen[0]?.since, current) : undoUpdate(record, current);
}

/** Deletes a record only if the journal proves that the import created it, even under --force: a journal may contain anything. */
export function undoCreate(since: number | undefined, current: StackRecord): Undo {
  if (since === undefined) return skipWith("unproven", "no line of the journal says that its create began");
  if (wasThereBefore(current.body, since)) {
    return skipWith("unproven", "the target says that it was created before the import began");
  }
  return { action: "delete", current: current.body };
}

/** Tells whether the target says that the record was created before that time (Unix milliseconds). */
export function wasThereBefore({ createdAt }: JsonObject, since: number): boolean {
  return typeof createdAt === "string" && Date.parse(createdAt) < since - CLOCK_DIFFERENCE_MS;
}

function undoUpdate({ previous }: JournaledRecord, { body }: StackRecord): Undo {
  if (!previous) return skipWith("no-previous", "the journal does not have its former content");
  if (findPlaceholders(previous).length > 0) {
    const byHand = "restore it by hand, or from an archive with --secrets";
    return skipWith("redacted", `held a secret, which the journal does not store; ${byHand}`);
  }
  return { action: "update", previous, current: body };
}

function skipWith(code: string, message: string): Undo {
  return { action: "skip", code, message };
}
