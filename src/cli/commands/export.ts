import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { KindSummary } from "../../core/manifest.ts";
import type { KindName } from "../../core/records/record.ts";
import { timeStamp } from "../../core/text/time-stamp.ts";
import type { ExportResult } from "../../export/export-stack.ts";
import type { ArchiveProtection } from "../../library/export-archive.ts";
import { archivePath } from "../../library/export-archive.ts";
import type { ExportFormat } from "../../library/steps/export-code.ts";
import { checkCodeExport } from "../../library/steps/export-code.ts";
import { namedKinds } from "../../library/steps/selection.ts";
import type { RedactionLevel } from "../../redaction/policy.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import { recipientFlag, signFlag, stackToRead } from "../flags/arguments.ts";
import type { Selection } from "../flags/selection.ts";
import { selection, selectionFlags } from "../flags/selection.ts";
import { exportText } from "../output/inspect/archive.ts";
import type { CommandResult } from "../output/document.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import { exitCodeOfOutcomes } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { archiveProtection } from "../wiring/archive-keys.ts";
import { exportTo, exportToRepository } from "../wiring/export.ts";
import { openClient, reported, resolveFor } from "../wiring/stack.ts";

export const exportCommand = defineCommand("export", {
  positionals: {},
  flags: {
    from: stackToRead,
    out: {
      type: "string",
      requiresArg: true,
      describe: "File, folder or s3://bucket/name.zip to write (default: stackferry-NAME-TIME.zip in this folder)",
    },
    format: {
      choices: ["zip", "folder", "code"] as const,
      describe: "One zip file (default), a folder of the same, or YAML files that people edit and `apply` takes",
    },
    mirror: { type: "boolean", describe: "With --format code: remove the files of records that are gone" },
    ...selectionFlags,
    pipe: {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "Read only the pipe of this id, and those of pipeIds, repeatable",
    },
    recipient: { ...recipientFlag, describe: `${recipientFlag.describe}; writes NAME.zip.age` },
    sign: signFlag,
    redact: {
      choices: ["standard", "strict"] as const,
      requiresArg: true,
      describe: "Take out secrets (standard), or also certificates, ARNs and random text (strict)",
    },
    "allow-partial": { type: "boolean", describe: "Write an archive even if something could not be read" },
  },
  examples: [
    ["export --from production", "everything, into an archive in this folder"],
    ["export --from http://localhost:8000 --out backup.zip", "the key comes from STACKFERRY_API_KEY"],
    ["export --from production --recipient age1…", "encrypted for the owner of that age key"],
    ["export --from production --format folder --out ./stack", "one file per record, as the stack sent it"],
    ["export --from production --format code --out ./stack", "the same by name, to edit and keep in git"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  prepare: (args) => {
    refuseOtherFormats(args.out, args.format);
    const request = {
      ...selection(args),
      from: args.from,
      out: args.out,
      format: args.format ?? "zip",
      mirror: args.mirror ?? false,
      pipeIds: args.pipe ?? [],
      allowPartial: args["allow-partial"] ?? false,
      redaction: args.redact ?? "standard",
      recipients: args.recipient ?? [],
      signingKey: args.sign,
    };
    return (session) => runExport(request, session);
  },
});

/** @throws StackferryError `usage` for a name that says neither zip nor folder, unless `--format` says it */
function refuseOtherFormats(out: string | undefined, format: string | undefined): void {
  const [ending] = /\.[A-Za-z]\w*$/.exec(out ?? "") ?? [];
  if (format !== undefined || ending === undefined || /^\.(?:zip|age)$/i.test(ending)) return;
  throw new StackferryError("usage", `an archive is a zip file or a folder, and ${ending} is neither`, {
    hint: "name it .zip, or say --format folder",
  });
}

/** `stackferry export`, normalised. */
export interface ExportRequest extends Selection {
  readonly from: string;
  readonly out: string | undefined;
  readonly format: ExportFormat;
  readonly mirror: boolean;
  readonly pipeIds: readonly string[];
  readonly allowPartial: boolean;
  readonly redaction: RedactionLevel;
  /** age public keys. */
  readonly recipients: readonly string[];
  /** File of an Ed25519 private key. */
  readonly signingKey: string | undefined;
}

/** Exports a stack into an archive. */
export async function runExport(request: ExportRequest, session: Session): Promise<CommandResult> {
  const { format, mirror, filter, pipeIds, allowPartial, redaction } = request;
  const kinds = namedKinds(request.kinds);
  checkCodeExport({ format, mirror, signed: request.signingKey !== undefined, filter });
  const protection = await protectionOf(request, session);
  const settings = await resolveFor(request.from, "from", session);
  session.runState.from = reported(settings);
  const name =
    request.out ?? `stackferry-${settings.label}-${timeStamp(session.startedAt)}${format === "zip" ? ".zip" : ""}`;
  const path = archivePath(resolve(session.io.cwd, name), protection.encryption);
  await using client = openClient(settings, session);
  const target = { format, mirror, kinds, filter, pipeIds, allowPartial, redaction, ...protection };
  const run = (to: string): Promise<ExportResult> => exportTo({ ...target, path: to }, client, settings, session);
  const result = isS3Address(name) ? await exportToRepository({ ...target, out: name }, run, session) : await run(path);
  session.runState.archive = result.archive;
  return {
    exitCode: anyFailed(result.kinds) ? 3 : exitCodeOfOutcomes(result.outcomes),
    text: (display) => exportText(result, format === "code", display),
    outcomes: result.outcomes,
    extra: { kinds: result.kinds, redactions: result.redactions, needed: result.needed },
  };
}

/** Checks keys before the first request. */
async function protectionOf(request: ExportRequest, session: Session): Promise<ArchiveProtection> {
  const protection = await archiveProtection(request, session);
  if (protection.encryption !== undefined && request.format !== "zip") {
    throw new StackferryError("usage", `an archive in ${request.format} form cannot be encrypted`, {
      hint: "write a zip, or give no recipient and no passphrase (STACKFERRY_PASSPHRASE is one)",
    });
  }
  return protection;
}

function anyFailed(kinds: Readonly<Record<KindName, KindSummary>>): boolean {
  return Object.values(kinds).some(({ status }) => status === "failed");
}
