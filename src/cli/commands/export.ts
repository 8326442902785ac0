import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { fileTimeStamp } from "../../core/text/format.ts";
import type { ExportResult } from "../../export/export-stack.ts";
import type { ArchiveProtection } from "../../library/export-archive.ts";
import type { ExportFormat } from "../../library/steps/export-code.ts";
import { defineCommand } from "../program/command.ts";
import { exitCodeOfOutcomes } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import {
  journalsFlag,
  parseSelection,
  recipientFlag,
  selectionFlagsWithAlerts,
  signFlag,
  stackToReadArgument,
} from "../program/shared-flags.ts";
import type { ProtectionOptions } from "../wiring/archive-keys.ts";

export const exportCommand = defineCommand({
  name: "export",
  group: "Move",
  describe: "Export a live stack into an archive",
  positionals: {},
  flags: {
    from: stackToReadArgument,
    out: {
      writes: true,
      describe: "File, folder or s3://bucket/name.zip to write (default: stackferry-NAME-TIME.zip in this folder)",
    },
    format: {
      choices: ["zip", "folder", "code"],
      describe: "One zip file (default), a folder with the same files, or YAML files to edit and `apply`",
    },
    mirror: { type: "boolean", describe: "With --format code: remove the files of records that are gone" },
    ...selectionFlagsWithAlerts,
    values: {
      advanced: true,
      describe: "With --format code: values file for ${value:NAME} in the files, in addition to `values` of the stack",
    },
    journals: {
      ...journalsFlag,
      describe:
        "With --format code: folder of the journal that remembers which record each file is (default: .stackferry beside the configuration file, else in the working directory)",
    },
    pipe: {
      advanced: true,
      array: true,
      describe: "Read the pipe of this id, and no others but those in `pipeIds` of the configuration; repeatable",
    },
    recipient: { ...recipientFlag, describe: `${recipientFlag.describe}; writes NAME.zip.age` },
    sign: signFlag,
    redact: {
      advanced: true,
      choices: ["standard", "strict"],
      describe: "Take out secrets (standard), or also certificates, ARNs and random text (strict)",
    },
    "allow-partial": {
      advanced: true,
      type: "boolean",
      describe: "Write an archive even if something could not be read",
    },
  },
  examples: [
    ["export --from production", "everything, into an archive in this folder"],
    ["export --from http://localhost:8000 --out backup.zip", "the key comes from STACKFERRY_API_KEY"],
    ["export --from production --recipient age1…", "encrypted, so that only the owner of that age key can read it"],
    ["export --from production --format folder --out ./archive", "one file per record, as the stack sent it"],
    ["export --from production --format code --out ./stack", "records by name, to edit and keep in git"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  handler: (args) => {
    refuseOtherFormats(args.out, args.format);
    const { format = "zip", redact: level = "standard", mirror, pipe, allowPartial } = args;
    const { kinds: kindNames, filter } = parseSelection(args);
    return async (session) => {
      const { archivePath, exportToArchive } = await import("../../library/export-archive.ts");
      const { checkCodeExport } = await import("../../library/steps/export-code.ts");
      const { namedKinds, refuseUnlistedKinds } = await import("../../library/steps/selection.ts");
      const { isS3Address } = await import("../../storage/open-repository.ts");
      const { findJournalOf } = await import("../import/journal.ts");
      const { exportResultText } = await import("../output/archive.ts");
      const { readCodeValues } = await import("../wiring/code-values.ts");
      const { createRunRedactor } = await import("../wiring/config.ts");
      const { exportToRepository } = await import("../wiring/export.ts");
      const { openClient, toReportedStack, resolveStack } = await import("../wiring/stack.ts");
      const requested = namedKinds(kindNames);
      checkCodeExport({ format, mirror, signed: args.sign !== undefined, filter });
      const protection = await protectionOf(format, args, session);
      const settings = await resolveStack(args.from, "from", session);
      session.runState.from = toReportedStack(settings);
      const time = fileTimeStamp(session.startedAt);
      const name = args.out ?? `stackferry-${settings.stackName}-${time}${format === "zip" ? ".zip" : ""}`;
      const path = archivePath(resolve(session.io.cwd, name), protection.encryption);
      if (pipe.length > 0) refuseUnlistedKinds(namedKinds(["pipes"]), settings);
      await using client = openClient(settings, session);
      const redact = await createRunRedactor(session, level);
      const exportSettings =
        pipe.length === 0 ? settings : { ...settings, pipeIds: [...(settings.pipeIds ?? []), ...pipe] };
      const values = await readCodeValues(settings, args.values, session);
      const journal = await findJournalOf(args, session);
      const options = { format, mirror, values, journal, kinds: requested, filter, allowPartial, ...protection };
      const job = { ...options, client, settings: exportSettings, redact, now: session.io.now() };
      const run = (to: string): Promise<ExportResult> => exportToArchive({ ...job, path: to }, session);
      const result = isS3Address(name)
        ? await exportToRepository({ ...options, out: name }, run, session)
        : await run(path);
      const { archive, outcomes, kinds, incomplete, notHeld, redactions, needed } = result;
      session.runState.archive = archive;
      const isFailed = Object.values(kinds).some(({ status }) => status === "failed");
      const isIncomplete = isFailed || incomplete.length > 0 || offersNone(requested, result);
      return {
        exitCode: isIncomplete ? 3 : exitCodeOfOutcomes(outcomes),
        text: (display) => exportResultText(result, format === "code", display),
        outcomes,
        details: { kinds, incomplete, notHeld, redactions, needed },
      };
    };
  },
});

/** Loads the keys before the first request, and refuses encryption for a format other than zip. */
async function protectionOf(
  format: ExportFormat,
  keys: ProtectionOptions,
  session: Session,
): Promise<ArchiveProtection> {
  const { chooseProtection } = await import("../wiring/archive-keys.ts");
  const protection = await chooseProtection(keys, session);
  if (protection.encryption !== undefined && format !== "zip") {
    throw new StackferryError("usage", `an archive in ${format} form cannot be encrypted`, {
      hint: "write a zip, or give neither recipient nor passphrase (nor STACKFERRY_PASSPHRASE)",
    });
  }
  return protection;
}

function offersNone(requestedKinds: readonly ResourceKind[], { kinds }: ExportResult): boolean {
  return requestedKinds.length > 0 && requestedKinds.every(({ name }) => kinds[name]?.status === "not-offered");
}

/** Refuses a file name that looks like another format, unless `--format` is given. @throws StackferryError `usage` */
function refuseOtherFormats(out: string | undefined, format: string | undefined): void {
  const [ending] = /\.[A-Za-z]\w*$/.exec(out ?? "") ?? [];
  if (format !== undefined || ending === undefined || /^\.(?:zip|age)$/i.test(ending)) return;
  throw new StackferryError("usage", `an archive is a zip file or a folder, and ${ending} is neither`, {
    hint: "name it .zip, or say --format folder",
  });
}
