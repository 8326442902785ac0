import type { JsonObject } from "../core/json.ts";
import type { RecordKey } from "../core/records/record.ts";

/** A record of the target that the import removed, or that the server deleted although the import did not ask for it. */
export interface CascadeLoss {
  readonly key: RecordKey;
  readonly name: string;
  readonly body: JsonObject;
  /** True if the target was checked and the record is gone; false if the run was stopped before the check. */
  readonly proven: boolean;
  /** The run that lost it; undefined if a rollback did. */
  readonly run?: number;
}

/** A record that a rollback created again or put back. */
export interface BroughtBackRecord extends CascadeLoss {
  /** Its present id; unchanged if it was put back. */
  readonly targetId: string;
  /** No second write is pending. */
  readonly linked: boolean;
}

/** Makes the entry of a record that was put back: its restored children have new ids. */
export function putBackRecord(
  key: RecordKey,
  { targetId, name }: { readonly targetId: string; readonly name: string },
  body: JsonObject,
): BroughtBackRecord {
  return { key: `${key.slice(0, key.indexOf("/"))}/${targetId}`, name, body, targetId, proven: true, linked: true };
}
