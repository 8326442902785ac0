import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { fileTimeStamp, formatSize, joinNames, MAX_NAMED_TO_CHECK, pluralize } from "../../core/text/format.ts";
import type { ExportResult } from "../../export/export-stack.ts";
import { archivePath, exportToArchive } from "../../library/export-archive.ts";
import { checkExportFormat } from "../../library/steps/export-code.ts";
import { leavesRunIncomplete } from "../../core/outcome.ts";
import {
  journalsFlag,
  parseSelection,
  recipientFlag,
  selectionFlagsWithAlerts,
  signFlag,
  stackToReadArgument,
} from "../program/flags.ts";
import { namedKinds } from "../../library/steps/selection.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import type { ArchiveSummary } from "../../core/ports.ts";
import { printableText } from "../../core/text/printable.ts";
import { kindsTable, notHeldSection } from "../../report/view/archive.ts";
import { failuresBlock } from "../../report/view/plan.ts";
import { minuteText } from "../../report/view/words.ts";
import type { OutputOptions } from "../output/terminal.ts";
import { blocksText } from "../output/text.ts";
import { digestLine } from "./verify.ts";
import { defineCommand } from "../program/define-command.ts";
import { chooseProtection } from "../inputs/keys.ts";
import { createRunRedactor, findJournalOf, readCodeValues } from "../inputs/config.ts";
import { openClient, resolveStack, toReportedStack } from "../inputs/stack.ts";

export const command = defineCommand({
  positionals: {},
  flags: {
    from: stackToReadArgument,
    out: {
      writes: true,
      describe: "File or folder to write (default: stackferry-NAME-TIME.zip in this folder)",
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
    recipient: { ...recipientFlag, describe: `${recipientFlag.describe}; writes NAME.zip.age` },
    sign: signFlag,
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
  run: async (args, session) => {
    refuseOtherFormats(args.out, args.format);
    const { format = "zip", mirror, allowPartial } = args;
    const { kinds: kindNames, filter } = parseSelection(args);
    checkExportFormat({ format, mirror, filter, signer: args.sign });
    const requested = namedKinds(kindNames);
    // The keys are loaded first, so wrong keys are reported before the first request.
    const protection = await chooseProtection(args, session);
    const settings = await resolveStack(args.from, "from", session);
    session.runState.from = toReportedStack(settings);
    const time = fileTimeStamp(session.startedAt);
    const name = args.out ?? `stackferry-${settings.stackName}-${time}${format === "zip" ? ".zip" : ""}`;
    const path = archivePath(resolve(session.io.cwd, name), protection.encryption, format);
    await using client = openClient(settings, session);
    const redact = await createRunRedactor(session);
    const values = await readCodeValues(settings, args.values, session);
    const journal = await findJournalOf(args, session);
    const options = { format, mirror, values, journal, kinds: requested, filter, allowPartial, ...protection };
    const job = { ...options, client, settings, redact, now: session.io.now() };
    const result = await exportToArchive({ ...job, path }, session);
    const { archive, outcomes, kinds, incomplete, notHeld, redactions, needed } = result;
    session.runState.archive = archive;
    const isFailed = Object.values(kinds).some(({ status }) => status === "failed");
    const isShort = isFailed || incomplete.length > 0 || offersNone(requested, result);
    return {
      exitCode: isShort || outcomes.some(leavesRunIncomplete) ? 3 : 0,
      text: (display) => exportResultText(result, format === "code", display),
      outcomes,
      details: { kinds, incomplete, notHeld, redactions, needed },
    };
  },
});

function offersNone(requestedKinds: readonly ResourceKind[], { kinds }: ExportResult): boolean {
  return requestedKinds.length > 0 && requestedKinds.every(({ name }) => kinds[name]?.status === "not-offered");
}

function refuseOtherFormats(out: string | undefined, format: string | undefined): void {
  if (out !== undefined && isS3Address(out)) {
    throw new StackferryError("usage", "an export is written to this machine", {
      hint: "copy the file to the bucket, or use stackferry backup --to s3://…",
    });
  }
  const [ending] = /\.[A-Za-z]\w*$/.exec(out ?? "") ?? [];
  if (format !== undefined || ending === undefined || /^\.(?:zip|age)$/i.test(ending)) return;
  throw new StackferryError("usage", `an archive is a zip file or a folder, and ${ending} is neither`, {
    hint: "name it .zip, or say --format folder",
  });
}

/** @param isCode true for code files, which `inspect` does not read */
function exportResultText(result: ExportResult, isCode: boolean, display: OutputOptions): string {
  const { archive, kinds, redactions, needed, outcomes } = result;
  return [
    blocksText([kindsTable(kinds), ...failuresBlock(outcomes)], display).trimStart(),
    `\n${pluralize(redactions, "secret")} taken out.\n`,
    needed.length === 0
      ? ""
      : `${pluralize(needed.length, "record")} may hold secrets that the API never returns: keep these secrets elsewhere. \`stackferry ${isCode ? "apply … --create all --draft-secrets FILE" : "inspect"}\` lists them.\n`,
    blocksText([notHeldSection(result.notHeld.filter(({ code }) => TOLD_AT_EXPORT.includes(code)))], display),
    filesText(archive),
    `Wrote ${printableText(archive.path)} (${formatSize(archive.bytes)})${replacedText(archive)}\n`,
    isCode ? "" : digestLine(archive, display),
  ].join("");
}

/** The output names changed files, because somebody may have edited them. */
function filesText({ files }: ArchiveSummary): string {
  if (files === undefined || files.changed.length + files.unchanged === 0) return "";
  const line = (what: string, paths: readonly string[]): string =>
    paths.length === 0
      ? ""
      : `${what} ${pluralize(paths.length, "file")}: ${printableText(joinNames(paths, MAX_NAMED_TO_CHECK, (path) => path))}\n`;
  const { added, changed, unchanged } = files;
  return `${line("Changed", changed)}${line("Added", added)}${pluralize(unchanged, "file")} as before.\n`;
}

function replacedText({ replaced }: ArchiveSummary): string {
  return replaced === undefined ? "" : `, in place of the archive of ${minuteText(replaced)}`;
}

/** Codes of `notHeld` that the text names. */
const TOLD_AT_EXPORT: readonly string[] = ["unlisted-records", "substitute-tiles", "silenced"];
