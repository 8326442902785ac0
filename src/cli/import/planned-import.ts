import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import type { StackRecord } from "../../core/records/record.ts";
import type { ImportJob } from "../../library/steps/prepare-import.ts";
import type { ImportRequest } from "./flags.ts";

export interface ImportTarget extends Pick<ImportJob, "client" | "from" | "early" | "files" | "findCommand"> {
  readonly settings: StackSettings;
  /** True if the archive is a backup that holds suspiciously little: the records that it lacks may still exist on the stack. */
  readonly isSuspect?: boolean;
  /** True if the archive is a backup to restore. */
  readonly restores?: boolean;
}

export interface PlannedImport {
  readonly reader: ArchiveReader;
  readonly target: ImportTarget;
  readonly request: ImportRequest;
  readonly plan: Plan;
  /** The archived records, without the values of the secrets file. */
  readonly records: readonly StackRecord[];
}
