/**
 * The library. The functions with two arguments do whole jobs and close what they open; the engine's parts below are for callers
 * with their own client, archive or journal. Nothing here prints or reads the environment.
 */
export { apply } from "./library/apply.ts";
export type { ApplyOptions } from "./library/apply.ts";
export { diff } from "./library/diff.ts";
export type { DiffOptions } from "./library/diff.ts";
export { exportArchive } from "./library/export-archive.ts";
export type { ExportArchiveOptions } from "./library/export-archive.ts";
export { importArchive, planImport } from "./library/import-archive.ts";
export type { ImportArchiveOptions, ImportArchiveResult } from "./library/import-archive.ts";
export type { ImportOptions } from "./library/options/import-options.ts";
export { migrate } from "./library/migrate.ts";
export type { MigrateOptions } from "./library/migrate.ts";
export { rollback } from "./library/rollback.ts";
export type { RollbackOptions, RollbackResult } from "./library/rollback.ts";
export { verifyArchive } from "./library/verify-archive.ts";
export type { VerifyArchiveOptions, VerifyArchiveResult } from "./library/verify-archive.ts";
export { startSandbox } from "./sandbox/start-sandbox.ts";
export type { Sandbox, SandboxOptions } from "./sandbox/start-sandbox.ts";

// The options, results and errors of these functions.
export type { ArchiveAccess } from "./library/steps/archive-file.ts";
export type {
  ConnectionOptions,
  ManagedStack,
  OpenHeader,
  SelfHostedStack,
  StackOptions,
} from "./library/options/connect.ts";
export type { SecretValues } from "./library/options/option-values.ts";
export type { RedactionOptions } from "./library/options/option-values.ts";
export type { RunOptions } from "./library/run.ts";
export type { SelectionOptions } from "./library/steps/selection.ts";
export { StoppedError } from "./library/run.ts";
export type { Diff, MemberChange, NotCompared, RecordChange } from "./core/diff.ts";
export { StackError, StackferryError } from "./core/errors.ts";
export type { OutcomeCode } from "./core/codes.ts";
export type { ErrorCode } from "./core/errors.ts";
export type { EventSink, RunContext, RunEvent } from "./core/events.ts";
export { ignoreEvents } from "./core/events.ts";
export type { Manifest, ManifestEntry } from "./core/manifest.ts";
export type { Outcome, Warning } from "./core/outcome.ts";
export type { ConflictPolicy, ManualMapping, Plan, PlanItem } from "./core/plan/plan.ts";
export { recordKey } from "./core/records/record.ts";
export type { RecordKey, StackIdentity, StackRecord, Variant } from "./core/records/record.ts";
export type { ExportResult } from "./export/export-stack.ts";

// Parts of the export and the import, for programs that need more than the functions above.
export { openArchive } from "./archive/reader.ts";
export { createRecordEncoder } from "./archive/record.ts";
export { createArchiveWriter } from "./archive/writer.ts";
export { verifyRecords } from "./backup/verify-archive.ts";
export type { VerifyResult } from "./backup/verify-archive.ts";
export { systemClock } from "./client/clock.ts";
export { createStackClient } from "./client/stack-client.ts";
export type { StackClientOptions } from "./client/stack-client.ts";
export type {
  ArchiveReader,
  ArchiveSummary,
  ArchiveWriter,
  ClientCertificate,
  EncodedRecord,
  EncodeRecord,
  ListedRecord,
  RequestHeader,
  StackClient,
} from "./core/ports.ts";
export type { ResourceKind } from "./core/resource-kind.ts";
export { diffStacks } from "./diff/diff-stacks.ts";
export type { DiffRequest } from "./diff/diff-stacks.ts";
export { sideOfArchive, sideOfStack } from "./diff/side.ts";
export type { DiffSide } from "./diff/side.ts";
export { exportStack } from "./export/export-stack.ts";
export type { ExportInput } from "./export/export-stack.ts";
export { applyPlan } from "./import/apply/apply-plan.ts";
export type { ApplyInput, ImportResult } from "./import/apply/apply-plan.ts";
export { planRecords } from "./import/plan/plan-import.ts";
export type { PlanInput } from "./import/plan/plan-import.ts";
export { openFileJournal } from "./journal/file-journal.ts";
export { memoryJournal } from "./core/plan/journal.ts";
export { foldJournal } from "./journal/fold.ts";
export type { History } from "./journal/fold.ts";
export { memoryJournals } from "./library/steps/journal-place.ts";
export { findKind, kinds } from "./kinds/registry.ts";
export type { PlanOptions } from "./matching/plan-options.ts";
export type { Inventory } from "./matching/inventory.ts";
export { readInventory } from "./matching/inventory.ts";
export { createRedactor } from "./redaction/redactor.ts";
export { applyRollback } from "./rollback/apply.ts";
export type { ApplyRollbackInput } from "./rollback/apply.ts";
export { planRollback } from "./rollback/plan.ts";
export type { PlannedRollback, RollbackInput } from "./rollback/plan.ts";
