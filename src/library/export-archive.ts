import type { RedactionRules } from "../core/secrets.ts";
import type { CodeValues } from "../archive/as-code/values.ts";
import type { KeyObject } from "node:crypto";
import { basename } from "node:path";
import { createEncrypter, type ArchiveEncryption } from "../archive/age.ts";
import { createRecordEncoder } from "../archive/record.ts";
import { refuseOtherTarget, requireWritableFolder } from "../archive/output-path.ts";
import { createArchiveWriter, type ArchiveWriterOptions } from "../archive/writer.ts";
import { STORED_FILE } from "../backup/archive-names.ts";
import type { StackSettings } from "../config/stacks/stack-settings.ts";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { ManifestWarning } from "../core/manifest.ts";
import type { StackClient } from "../core/ports.ts";
import { exportStack, type ExportResult } from "../export/export-stack.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { normaliseStack, openStack, type StackOptions } from "./options/connect.ts";
import { requireChoice, buildRedactor, requireOptions, type OptionNames } from "./options/option-values.ts";
import { secretsOfAccess } from "./options/credential-guard.ts";
import { journalsOf } from "./options/import-options.ts";
import { withRun, type RunOptions } from "./run.ts";
import { localArchivePath } from "./steps/archive-file.ts";
import {
  type CodeFolder,
  checkExportFormat,
  exportToCode,
  type ExportFormat,
  type ExportReading,
} from "./steps/export-code.ts";
import { memoryJournals, type FindJournal } from "./steps/journal-place.ts";
import {
  kindsToExport,
  normaliseSelection,
  SELECTION_OPTIONS,
  refuseUnlistedKinds,
  type SelectedRecords,
  type SelectionOptions,
} from "./steps/selection.ts";
import { programVersion } from "./steps/version.ts";

export interface ExportArchiveOptions extends SelectionOptions {
  readonly from: StackOptions;
  /** Path of the archive. An encrypted archive gets the suffix `.age`; the result has the final path. */
  readonly out: string;
  /** One zip file (default), a folder with the same files, or code files. */
  readonly format?: ExportFormat;
  /** For `code`: removes the files of records that the stack no longer has. */
  readonly mirror?: boolean;
  /** For `code`: values of the placeholders in the files that are already at the path. */
  readonly values?: CodeValues;
  /** For `code`: the journals' folder, as for `apply`; default `.stackferry` in the working directory. */
  readonly journals?: string | FindJournal;
  /** Write the archive even if a kind or a record could not be read; default false. */
  readonly allowPartial?: boolean;
  readonly redaction?: RedactionRules;
  /** Zip only: recipients (age public keys), or a passphrase. */
  readonly encryption?: ArchiveEncryption;
  /** Ed25519 private key; the signature goes to `<path>.sig`. */
  readonly signer?: KeyObject;
}

const EXPORT_OPTIONS: OptionNames<ExportArchiveOptions> = {
  ...SELECTION_OPTIONS,
  from: true,
  out: true,
  format: true,
  mirror: true,
  values: true,
  journals: true,
  allowPartial: true,
  redaction: true,
  encryption: true,
  signer: true,
};

/**
 * Exports a stack into an archive with its secrets redacted. Nothing changes at `out` until the archive is complete.
 * @throws StackferryError `config`, `usage`, the errors of the stack, `incomplete` (a record could not be read), `secret-in-output`,
 * `archive-io`, `journal` (of code files), `interrupted`
 * @example const { archive } = await exportArchive({ from: { variant: "self-hosted", baseUrl, apiKey }, out: "backup.zip" });
 */
export async function exportArchive(options: ExportArchiveOptions, run: RunOptions = {}): Promise<ExportResult> {
  requireOptions(options, EXPORT_OPTIONS);
  const from = normaliseStack(options.from, "from");
  const selected = normaliseSelection(options);
  const { allowPartial = false, encryption, signer, mirror = false } = options;
  const format = requireChoice(options.format ?? "zip", ["zip", "folder", "code"], "format");
  const path = archivePath(localArchivePath(options.out, "out"), encryption, format);
  // Only a check: invalid keys are reported before the first request.
  if (encryption !== undefined) await createEncrypter(encryption);
  const redact = buildRedactor(options.redaction);
  const written = { encryption, signer, path, format, mirror, values: options.values, journal: journalsOf(options) };
  return withRun(run, async (context) => {
    await using client = openStack(from, context);
    const job = { ...selected, ...written, allowPartial, client, settings: from, redact, now: Date.now() };
    return await exportToArchive(job, context);
  });
}

/**
 * The suffix `.age` keeps people from taking an encrypted archive for a plain zip.
 * @throws StackferryError `usage` for a zip named `.age` that is not encrypted
 */
export function archivePath(
  path: string,
  encryption: ArchiveEncryption | undefined,
  format: ExportFormat = "zip",
): string {
  if (format !== "zip") return path;
  const isNamedEncrypted = path.endsWith(".age");
  if (encryption !== undefined) return isNamedEncrypted ? path : `${path}.age`;
  if (!isNamedEncrypted) return path;
  throw new StackferryError("usage", `${path} is the name of an encrypted archive, and no key encrypts this one`, {
    hint: "give --passphrase-file, or in an export --recipient; or give another name",
  });
}

export type ArchiveProtection = Pick<ArchiveWriterOptions, "encryption" | "signer">;

export interface ExportJob extends ArchiveProtection, SelectedRecords, Pick<ExportArchiveOptions, "mirror" | "values"> {
  readonly client: StackClient;
  readonly settings: CodeFolder["settings"] & Pick<StackSettings, "kinds">;
  readonly journal?: FindJournal;
  readonly path: string;
  readonly format: ExportFormat;
  readonly allowPartial: boolean;
  readonly redact: Redactor;
  /** Texts that must not be in the archive, besides the secrets of `settings`. */
  readonly secrets?: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
  /** Only for a backup: the stack's name in the repository. */
  readonly stack?: string;
}

export const WHOLE_STACK_EXPORT = {
  kinds: [],
  filter: { include: [], exclude: [] },
  allowPartial: false,
  format: "zip",
} as const satisfies Partial<ExportJob>;

export async function exportToArchive(job: ExportJob, context: RunContext): Promise<ExportResult> {
  const { path, format, encryption, signer, kinds, filter } = job;
  checkExportFormat(job);
  refuseUnlistedKinds(kinds, job.settings);
  const { journal = memoryJournals() } = job;
  if (format === "code") return exportToCode({ ...job, journal }, context, (read) => runExport(job, read, context));
  if (format === "zip") await requireWritableFolder(path);
  const replaced = await refuseOtherTarget(path, job.client.identity, signer !== undefined);
  if (replaced !== undefined && STORED_FILE.test(basename(path))) {
    throw new StackferryError("usage", `${path} is a backup, which no export replaces`, { hint: "Name another file." });
  }
  const openWriter = () => createArchiveWriter({ path, format, encryption, signer });
  const result = await runExport(job, { client: job.client, kinds, filter, openWriter }, context);
  return replaced === undefined ? result : { ...result, archive: { ...result.archive, replaced } };
}

function warnNotOffered(requestedKinds: readonly ResourceKind[], { kinds }: ExportResult): ManifestWarning[] {
  return requestedKinds.flatMap(({ name }) => {
    if (kinds[name]?.status !== "not-offered") return [];
    return [{ code: "not-offered", message: `the stack does not offer ${name}, so the export holds none` }];
  });
}

/** Warns of an empty stack, because the user may have meant another stack. */
function warnEmpty({ kinds: requestedKinds, filter, settings }: ExportJob, { kinds }: ExportResult): ManifestWarning[] {
  const isWhole = requestedKinds.length === 0 && filter.include.length === 0;
  if (settings.kinds?.some((kind) => kind === "dashboards" || kind === "alerts") === false) return [];
  const count = (kind: string): number => kinds[kind]?.count ?? 0;
  if (!isWhole || count("dashboards") + count("alerts") > 0) return [];
  const message =
    "the stack shows no dashboards and no alerts, so the export holds none; check its address and its key";
  return [{ code: "empty", message }];
}

async function runExport(
  job: ExportJob,
  { client, kinds, filter, openWriter }: ExportReading,
  context: RunContext,
): Promise<ExportResult> {
  const { settings, allowPartial, redact, secrets = [] } = job;
  context.events({ type: "phase", phase: `reading ${settings.stackName}` });
  const result = await exportStack(
    {
      client,
      kinds: kindsToExport(settings, kinds),
      filter,
      encode: createRecordEncoder(),
      openWriter,
      createdAt: new Date(job.now).toISOString(),
      createdBy: { name: "stackferry", version: programVersion() },
      stack: job.stack,
      allowPartial,
      redact,
      credentials: [...secretsOfAccess(settings), ...secrets],
    },
    context,
  );
  // A backup gets no such warning, because it is compared with earlier backups.
  const empty = job.stack === undefined ? warnEmpty(job, result) : [];
  for (const warning of [...result.warnings, ...warnNotOffered(kinds, result), ...empty])
    context.events({ type: "warning", warning });
  return result;
}
