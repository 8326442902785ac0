import { join } from "node:path";
import type { ArchiveEncryption, KeySource } from "../archive/age.ts";
import { openArchive } from "../archive/reader.ts";
import type { StackSettings } from "../config/stacks/stack-settings.ts";
import { contextForStack, type RunContext } from "../core/events.ts";
import type { ArchiveReader, StackClient } from "../core/ports.ts";
import { createTemporaryFolder } from "../files/temporary-folder.ts";
import { importedKinds } from "../kinds/registry.ts";
import { readInventory, type Inventory } from "../matching/inventory.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { WHOLE_STACK_EXPORT, exportToArchive } from "./export-archive.ts";
import { runImportJob, type ImportArchiveResult } from "./import.ts";
import { normaliseStack, openStack, type StackOptions } from "./options/connect.ts";
import { secretsOfAccess } from "./options/credential-guard.ts";
import { IMPORT_OPTIONS, normaliseImport, type ImportOptions } from "./options/import-options.ts";
import { withRun, type RunOptions } from "./run.ts";
import { lockTarget } from "./steps/journal-place.ts";
import { localArchivePath } from "./steps/archive-file.ts";
import { buildRedactor, requireOptions } from "./options/option-values.ts";
import { kindsToExport } from "./steps/selection.ts";

export interface MigrateOptions extends ImportOptions {
  readonly from: StackOptions;
  readonly to: StackOptions;
  /** Path at which to keep the archive of the source. By default the archive is deleted. */
  readonly keepArchive?: string;
}

/**
 * Exports one stack and imports the archive into another. A second run resumes an interrupted migration.
 * @throws StackferryError as `exportArchive` and `importArchive`
 * @example const { complete, journal } = await migrate({ from: office, to: cloud, keepArchive: "moved.zip" });
 */
export async function migrate(options: MigrateOptions, run: RunOptions = {}): Promise<ImportArchiveResult> {
  requireOptions(options, { ...IMPORT_OPTIONS, from: true, to: true, keepArchive: true });
  const from = normaliseStack(options.from, "from");
  const to = normaliseStack(options.to, "to");
  const { keepArchive, redaction } = options;
  const keep = keepArchive === undefined ? undefined : { path: localArchivePath(keepArchive, "keepArchive") };
  const credentials = [from, to].flatMap(secretsOfAccess);
  const normalised = await normaliseImport(options, credentials);
  return withRun(run, async (context) => {
    const { secretTexts: secrets } = normalised;
    const [ofSource, ofTarget] = [contextForStack(context, from.stackName), contextForStack(context, to.stackName)];
    await using _lock = await lockTarget(options, to);
    await using source = openStack(from, { ...ofSource, secrets });
    await using client = openStack(to, { ...ofTarget, secrets, credentials });
    const job = { from, source, to, client, keep, redact: buildRedactor(redaction) };
    await using exported = await exportForMigration(job, context);
    const { reader, early, isWhole } = exported;
    const result = await runImportJob(
      { ...normalised, reader, early, client, settings: to, from: from.stackName },
      ofTarget,
    );
    return { ...result, complete: result.complete && isWhole };
  });
}

export interface MigrationJob {
  readonly from: StackSettings;
  readonly source: StackClient;
  readonly to: StackSettings;
  readonly client: StackClient;
  readonly keep?: { readonly path: string; readonly encryption?: ArchiveEncryption | undefined } | undefined;
  readonly keys?: KeySource;
  readonly redact: Redactor;
}

/** Disposal closes the archive, and deletes it unless it is kept. */
export interface ExportedMigration extends AsyncDisposable {
  readonly reader: ArchiveReader;
  readonly early: Promise<Inventory>;
  /** False if the archive lacks a kind, because the key cannot read it. */
  readonly isWhole: boolean;
}

/** Reads the target's lists at the same time. Each event names its stack. */
export async function exportForMigration(job: MigrationJob, context: RunContext): Promise<ExportedMigration> {
  const { from, source, to, client, keys, redact } = job;
  const ofSource = contextForStack(context, from.stackName);
  // Without this handler, the rejection would end the process. The error comes again where `early` is awaited.
  const early = readInventory(client, importedKinds, contextForStack(context, to.stackName));
  early.catch(() => {});
  const folder = job.keep === undefined ? await createTemporaryFolder() : undefined;
  try {
    const place = job.keep ?? { path: join(folder?.path ?? "", "archive.zip") };
    const stack = {
      client: source,
      settings: from,
      // Not only the selected kinds: an import also needs the records that the selected records reference.
      kinds: kindsToExport(from).filter((kind) => importedKinds.includes(kind)),
      secrets: secretsOfAccess(to),
      redact,
    };
    const { archive, kinds: exported } = await exportToArchive(
      { ...WHOLE_STACK_EXPORT, ...place, ...stack, now: Date.now() },
      ofSource,
    );
    ofSource.events({ type: "phase", phase: "exported" });
    const reader = await openArchive(archive.path, { keys });
    const dispose = async (): Promise<void> => {
      await reader[Symbol.asyncDispose]();
      await folder?.[Symbol.asyncDispose]();
    };
    const isWhole = Object.values(exported).every(({ status }) => status !== "failed");
    return { reader, early, isWhole, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await folder?.[Symbol.asyncDispose]();
    throw error;
  }
}
