/** The public surface. No function prints or reads the environment. */
export { apply } from "./library/apply.ts";
export type { ApplyOptions } from "./library/apply.ts";
export { diff } from "./library/diff.ts";
export type { DiffOptions } from "./library/diff.ts";
export { exportArchive } from "./library/export-archive.ts";
export type { ExportArchiveOptions } from "./library/export-archive.ts";
export { importArchive, planImport } from "./library/import.ts";
export type { ImportArchiveOptions, ImportArchiveResult } from "./library/import.ts";
export type { ImportOptions } from "./library/options/import-options.ts";
export { migrate } from "./library/migrate.ts";
export type { MigrateOptions } from "./library/migrate.ts";
export { rollback } from "./library/rollback.ts";
export type { RollbackOptions, RollbackResult } from "./library/rollback.ts";
export { verifyArchive } from "./library/verify-archive.ts";
export type { VerifyArchiveOptions, VerifyArchiveResult } from "./library/verify-archive.ts";
export { startSandbox } from "./sandbox/start-sandbox.ts";
export type { Sandbox, SandboxOptions } from "./sandbox/start-sandbox.ts";

export type { ArchiveAccess } from "./library/steps/archive-file.ts";
export type {
  ConnectionOptions,
  ManagedStack,
  OpenHeader,
  SelfHostedStack,
  StackOptions,
} from "./library/options/connect.ts";
export type { SecretValues } from "./library/options/option-values.ts";
export type { RedactionRules } from "./core/secrets.ts";
export type { RunOptions } from "./library/run.ts";
export { memoryJournals } from "./library/steps/journal-place.ts";
export type { SelectionOptions } from "./library/steps/selection.ts";
export { StoppedError } from "./library/run.ts";
export type { Diff, MemberChange, NotCompared, RecordChange } from "./core/diff.ts";
export { StackError, StackferryError } from "./core/errors.ts";
export type { OutcomeCode } from "./core/codes.ts";
export type { ErrorCode } from "./core/errors.ts";
export type { EventSink, RunContext, RunEvent } from "./core/events.ts";
export type { Manifest, ManifestEntry } from "./core/manifest.ts";
export type { Outcome, Warning } from "./core/outcome.ts";
export type { ConflictPolicy, ManualMapping, Plan, PlanItem } from "./core/plan/plan.ts";
export type { RecordKey, StackIdentity, StackRecord, Variant } from "./core/records/record.ts";
export type { ArchiveSummary, ClientCertificate } from "./core/ports.ts";
export type { ExportResult } from "./export/export-stack.ts";
