import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { KindSummary } from "../../core/manifest.ts";
import type { KindName } from "../../core/records/record.ts";
import { timeStamp } from "../../core/text/format.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { ExportResult } from "../../export/export-stack.ts";
import type { ArchiveProtection } from "../../library/export-archive.ts";
import { archivePath, exportToArchive } from "../../library/export-archive.ts";
import type { ExportFormat } from "../../library/steps/export-code.ts";
import { checkCodeExport } from "../../library/steps/export-code.ts";
import { namedKinds } from "../../library/steps/selection.ts";
import type { RedactionLevel } from "../../redaction/policy.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import type { Selection } from "../flags/selection.ts";
import { exportText } from "../output/inspect/archive.ts";
import { valuesFor } from "../import/values.ts";
import type { CommandResult } from "../output/document.ts";
import { exitCodeOfOutcomes } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { archiveProtection } from "../wiring/archive-keys.ts";
import { exportToRepository } from "../wiring/export.ts";
import { redactorOfRun } from "../wiring/redactor.ts";
import { openClient, toReportedStack, resolveStack } from "../wiring/stack.ts";

/** The arguments of `stackferry export`, normalised. */
export interface ExportRequest extends Selection {
  readonly from: string;
  readonly out: string | undefined;
  readonly format: ExportFormat;
  readonly mirror: boolean;
  readonly valuesFile: string | undefined;
  readonly pipeIds: readonly string[];
  readonly allowPartial: boolean;
  readonly redaction: RedactionLevel;
  /** The age public keys to encrypt for. */
  readonly recipients: readonly string[];
  /** File of an Ed25519 private key. */
  readonly signingKey: string | undefined;
}

export async function runExport(request: ExportRequest, session: Session): Promise<CommandResult> {
  const { format, mirror, filter, pipeIds, allowPartial, redaction } = request;
  const kinds = namedKinds(request.kinds);
  checkCodeExport({ format, mirror, signed: request.signingKey !== undefined, filter });
  const protection = await protectionOf(request, session);
  const settings = await resolveStack(request.from, "from", session);
  session.runState.from = toReportedStack(settings);
  const name =
    request.out ?? `stackferry-${settings.stackName}-${timeStamp(session.startedAt)}${format === "zip" ? ".zip" : ""}`;
  const path = archivePath(resolve(session.io.cwd, name), protection.encryption);
  await using client = openClient(settings, session);
  const redact = await redactorOfRun(session, { level: redaction });
  const exportSettings =
    pipeIds.length === 0 ? settings : { ...settings, pipeIds: [...(settings.pipeIds ?? []), ...pipeIds] };
  const values = await valuesFor(settings, request.valuesFile, session);
  const options = { format, mirror, values, kinds, filter, allowPartial, ...protection };
  const job = { ...options, client, settings: exportSettings, redact, now: session.io.now() };
  const run = (to: string): Promise<ExportResult> => exportToArchive({ ...job, path: to }, session);
  const result = isS3Address(name)
    ? await exportToRepository({ ...options, out: name }, run, session)
    : await run(path);
  session.runState.archive = result.archive;
  return {
    exitCode:
      result.incomplete.length > 0 || anyFailed(result.kinds) || offersNone(kinds, result)
        ? 3
        : exitCodeOfOutcomes(result.outcomes),
    text: (display) => exportText(result, format === "code", display),
    outcomes: result.outcomes,
    details: {
      kinds: result.kinds,
      incomplete: result.incomplete,
      notHeld: result.notHeld,
      redactions: result.redactions,
      needed: result.needed,
    },
  };
}

/** Loads the keys before the first request, and refuses encryption for a format other than zip. */
async function protectionOf(request: ExportRequest, session: Session): Promise<ArchiveProtection> {
  const protection = await archiveProtection(request, session);
  if (protection.encryption !== undefined && request.format !== "zip") {
    throw new StackferryError("usage", `an archive in ${request.format} form cannot be encrypted`, {
      hint: "write a zip, or give neither recipient nor passphrase (nor STACKFERRY_PASSPHRASE)",
    });
  }
  return protection;
}

/** Tells whether kinds were named and the stack offers none of them. */
function offersNone(requestedKinds: readonly ResourceKind[], { kinds }: ExportResult): boolean {
  return requestedKinds.length > 0 && requestedKinds.every(({ name }) => kinds[name]?.status === "not-offered");
}

function anyFailed(kinds: Readonly<Record<KindName, KindSummary>>): boolean {
  return Object.values(kinds).some(({ status }) => status === "failed");
}
