import type { Journal } from "../domain/journal.ts";
import type { Plan } from "../domain/plan.ts";
import type { Clock, StackClient } from "../domain/ports.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { RecordKey, StackRecord } from "../domain/record.ts";
import type { Labels } from "./labels.ts";

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
  readonly journal: Journal;
  readonly clock: Clock;
  /** How long the target's lists may lag behind its writes, in milliseconds: so long a lost create is looked for. */
  readonly settleMs: number;
  /** Takes the secrets out of what the journal keeps for a rollback; every layer but the scanner unless told. */
  readonly redact?: Redactor;
  /** Read the target's lists afterwards and compare them with what was sent. */
  readonly verify: boolean;
}
