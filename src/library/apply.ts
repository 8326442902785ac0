import { requireOptions } from "./options/option-values.ts";
import type { CodeValues } from "../archive/as-code/values.ts";
import { openFiles } from "./steps/open-files.ts";
import { runImportJob, type ImportArchiveResult } from "./import.ts";
import { normaliseStack, openStack, type StackOptions } from "./options/connect.ts";
import { secretsOfAccess } from "./options/credential-guard.ts";
import { IMPORT_OPTIONS, normaliseImport, type ImportOptions } from "./options/import-options.ts";
import { withRun, type RunOptions } from "./run.ts";
import { lockTarget } from "./steps/journal-place.ts";
import { localArchivePath } from "./steps/archive-file.ts";

/** The code files to apply, and the stack to change. `onConflict` is `overwrite` by default. */
export interface ApplyOptions extends ImportOptions {
  /** A folder of YAML or JSON files, or one such file (docs/dashboards-as-code.md). */
  readonly files: string;
  readonly to: StackOptions;
  /** Values of the placeholders `${value:NAME}` in the files. */
  readonly values?: CodeValues;
}

/**
 * Makes a stack match code files. A record is not written if its file, or a file that it needs, has a mistake.
 * @throws StackferryError `usage` if the path has no code files; `config`, with file, line and column, if the run cannot go on
 * without the bad files, and with `mirror` for any mistake; the errors of `importArchive`
 * @example const { plan } = await apply({ files: "stack", to, dryRun: true });
 */
export async function apply(options: ApplyOptions, run: RunOptions = {}): Promise<ImportArchiveResult> {
  requireOptions(options, { ...IMPORT_OPTIONS, files: true, to: true, values: true });
  const to = normaliseStack(options.to, "to");
  const root = localArchivePath(options.files, "files");
  const normalised = await normaliseImport(options, secretsOfAccess(to), { policy: "overwrite" });
  return withRun(run, async (context) => {
    await using _lock = await lockTarget(options, to);
    await using client = openStack(to, { ...context, secrets: normalised.secretTexts });
    const { transforms, mirror } = normalised;
    const journal = options.namePrefix === undefined ? normalised.journal : undefined;
    const target = { client, stackName: to.stackName, transforms, isStrict: mirror !== undefined, journal };
    const opened = await openFiles(options.files, root, { ...target, values: options.values }, context);
    return await runImportJob({ ...normalised, ...opened, client, settings: to }, context);
  });
}
