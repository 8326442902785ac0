import type { JsonObject } from "../core/json.ts";
import type { RecordKey } from "../core/records/record.ts";

/** A record of the target that the server deleted although the import left it alone, or that the import itself removed. */
export interface VanishedRecord {
  readonly key: RecordKey;
  readonly name: string;
  readonly body: JsonObject;
  /** The target was looked at, and it is gone; false where the run was stopped before that. */
  readonly proven: boolean;
  /** In which run; undefined where a rollback lost it. */
  readonly run?: number;
}

/** A record that a rollback has made again, or put back. */
export interface BroughtBackRecord extends VanishedRecord {
  /** The id that it has now, the same where it was put back. */
  readonly targetId: string;
  /** Nothing is left to be added by a second write. */
  readonly linked: boolean;
}

/** A put-back gives new ids to children that had been taken out. */
export function putBackRecord(
  key: RecordKey,
  { targetId, name }: { readonly targetId: string; readonly name: string },
  body: JsonObject,
): BroughtBackRecord {
  return { key: `${key.slice(0, key.indexOf("/"))}/${targetId}`, name, body, targetId, proven: true, linked: true };
}
