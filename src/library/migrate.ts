import { join, resolve } from "node:path";
import type { ArchiveEncryption, KeySource } from "../archive/age.ts";
import { openArchive } from "../archive/reader.ts";
import type { StackSettings } from "../config/stacks/stack-settings.ts";
import type { RunContext } from "../core/events.ts";
import { forStack } from "../core/events.ts";
import type { ArchiveReader, ArchiveSummary, StackClient } from "../core/ports.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";
import { kinds } from "../kinds/registry.ts";
import type { Inventory } from "../matching/inventory.ts";
import { readTargetInventory } from "../matching/inventory.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { exportToArchive } from "./export-archive.ts";
import type { ImportArchiveResult } from "./import-archive.ts";
import { runImport } from "./import-archive.ts";
import type { StackOptions } from "./options/connect.ts";
import { normaliseStack, openStack, secretsOf } from "./options/connect.ts";
import type { ImportSettings } from "./options/import-settings.ts";
import { normaliseImport } from "./options/import-settings.ts";
import type { RunOptions } from "./options/run-options.ts";
import { withRun } from "./options/run-options.ts";
import { localPath } from "./steps/archive-file.ts";
import { redactorOf } from "./steps/redaction.ts";

/** The stack to migrate, and the target. */
export interface MigrateOptions extends ImportSettings {
  readonly from: StackOptions;
  readonly to: StackOptions;
  /** Path at which to keep the archive; by default it is deleted. */
  readonly keepArchive?: string;
}

/** Path prefix of the journal, in the working directory, for a migration that does not keep its archive. */
export const MIGRATION_JOURNAL = "stackferry-migrate";

/**
 * Exports one stack and imports it into another. Running it again resumes an interrupted migration, because the journal stays, next
 * to the kept archive or in the working directory.
 * @throws StackferryError as `exportArchive` and `importArchive`
 * @example
 * const { complete, journal } = await migrate({ from: office, to: cloud, keepArchive: "moved.zip" });
 */
export async function migrate(options: MigrateOptions, run: RunOptions = {}): Promise<ImportArchiveResult> {
  const from = normaliseStack(options.from, "from");
  const to = normaliseStack(options.to, "to");
  const { keepArchive, redaction } = options;
  const keep = keepArchive === undefined ? undefined : { path: localPath(keepArchive, "keepArchive") };
  const credentials = [from, to].flatMap(({ credential }) => secretsOf(credential));
  const journalBase = keep?.path ?? resolve(MIGRATION_JOURNAL);
  const normalised = await normaliseImport(options, { journalBase }, credentials);
  return withRun(run, async (context) => {
    const open = (settings: typeof from, own: RunContext): StackClient =>
      openStack(settings, { ...own, secrets: normalised.secretTexts });
    const job = { from, to, ...(keep && { keep }), redact: redactorOf(redaction), open };
    return exportThenImport(job, (opened, own) => runImport({ ...normalised, ...opened, settings: to }, own), context);
  });
}

/** A migration with every setting decided. */
export interface MigrationJob<T extends StackSettings, Context extends RunContext> {
  readonly from: T;
  readonly to: T;
  /** Path at which to keep the archive; by default it is deleted. */
  readonly keep?: { readonly path: string; readonly encryption?: ArchiveEncryption };
  /** The keys to open the archive that `keep` encrypts. */
  readonly keys?: KeySource;
  readonly redact: Redactor;
  /** @param context its events name the stack that is opened */
  readonly open: (stack: T, context: Context) => StackClient;
}

/** The inputs of the second half of a migration. */
export interface ExportedMigration {
  readonly reader: ArchiveReader;
  readonly client: StackClient;
  /** The target's lists. */
  readonly early: Promise<Inventory>;
  readonly archive: ArchiveSummary;
}

/** Imports the exported archive into the target. The events of the context name the target. */
type ImportFrom<R, Context> = (exported: ExportedMigration, context: Context) => Promise<R>;

/** Exports the source while the target is being read, and passes both to an import. */
export async function exportThenImport<T extends StackSettings, R, Context extends RunContext>(
  job: MigrationJob<T, Context>,
  importFrom: ImportFrom<R, Context>,
  context: Context,
): Promise<R> {
  if (job.keep !== undefined) return through(job.keep, job, importFrom, context);
  await using folder = await temporaryFolder();
  return await through({ path: join(folder.path, "archive.zip") }, job, importFrom, context);
}

async function through<T extends StackSettings, R, Context extends RunContext>(
  place: NonNullable<MigrationJob<T, Context>["keep"]>,
  { from, to, keys, redact, open }: MigrationJob<T, Context>,
  importFrom: ImportFrom<R, Context>,
  context: Context,
): Promise<R> {
  const ofSource = forStack(context, from.stackName);
  const ofTarget = forStack(context, to.stackName);
  await using source = open(from, ofSource);
  // Everything is read, whatever the selection, because matching the selected records needs the records that they point to.
  const everything = { filter: { include: [], exclude: [] }, allowPartial: false, format: "zip" } as const;
  const readable = kinds.filter(({ listing }) => listing !== "by-id" || from.pipeIds !== undefined);
  await using client = open(to, ofTarget);
  // The two stacks are read concurrently. An error of the target is reported when its lists are used.
  const early = readTargetInventory(client, kinds, ofTarget);
  early.catch(() => {});
  const secrets = secretsOf(to.credential);
  const stack = { client: source, settings: from, kinds: readable, secrets, redact, now: Date.now() };
  const { archive } = await exportToArchive({ ...place, ...everything, ...stack }, ofSource);
  ofSource.events({ type: "phase", phase: "exported" });
  await using reader = await openArchive(archive.path, keys === undefined ? {} : { keys });
  return await importFrom({ reader, client, early, archive }, ofTarget);
}
