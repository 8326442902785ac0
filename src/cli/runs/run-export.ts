import { resolve } from "node:path";
import type { KindName } from "../../domain/record.ts";
import type { KindSummary } from "../../domain/manifest.ts";
import type { Selection } from "../commands/selection-flags.ts";
import { loadSigningKey } from "../../config/archive-secrets.ts";
import { StackferryError } from "../../domain/errors.ts";
import type { RedactionLevel } from "../../redaction/policy.ts";
import { archiveEncryption, archivePath } from "../archive-keys.ts";
import { exitCodeOfOutcomes } from "../exit-codes.ts";
import { loadSecret } from "../load-secret.ts";
import { openClient, reported, resolveFor } from "../open-stack.ts";
import { exportText } from "../render/archive-text.ts";
import type { CommandResult } from "../report.ts";
import { namedKinds } from "../select-kinds.ts";
import type { Session } from "../session.ts";
import type { ExportResult } from "../../jobs/export-stack.ts";
import { isS3Address } from "../../storage/open-place.ts";
import { exportToPlace } from "./export-to-place.ts";
import { exportTo } from "./export-to.ts";
import type { ArchiveProtection } from "./export-to.ts";

/** `stackferry export`, normalised. */
export interface ExportRequest extends Selection {
  readonly from: string;
  readonly out: string | undefined;
  readonly format: "zip" | "folder";
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
  const { format, filter, pipeIds, allowPartial, redaction } = request;
  const kinds = namedKinds(request.kinds);
  const protection = await protectionOf(request, session);
  const settings = await resolveFor(request.from, "from", session);
  session.facts.from = reported(settings);
  const name =
    request.out ?? `stackferry-${settings.label}-${stamp(session.startedAt)}${format === "zip" ? ".zip" : ""}`;
  const path = archivePath(resolve(session.io.cwd, name), protection.encryption);
  await using client = openClient(settings, session);
  const target = { format, kinds, filter, pipeIds, allowPartial, redaction, ...protection };
  const run = (to: string): Promise<ExportResult> => exportTo({ ...target, path: to }, client, settings, session);
  const result = isS3Address(name) ? await exportToPlace({ ...target, out: name }, run, session) : await run(path);
  session.facts.archive = result.archive;
  return {
    exitCode: anyFailed(result.kinds) ? 3 : exitCodeOfOutcomes(result.outcomes),
    text: (view) => exportText(result, view),
    outcomes: result.outcomes,
    extra: { kinds: result.kinds, redactions: result.redactions },
  };
}

/** Says at once what is wrong with keys, before anything is asked of the stack. */
async function protectionOf(request: ExportRequest, session: Session): Promise<ArchiveProtection> {
  const { recipients, signingKey, format } = request;
  const encryption = await archiveEncryption(recipients, session);
  if (encryption !== undefined && format === "folder") {
    throw new StackferryError("usage", "an archive in folder form cannot be encrypted", {
      hint: "write a zip, or give no recipient and no passphrase (STACKFERRY_PASSPHRASE is one)",
    });
  }
  const file = signingKey === undefined ? undefined : resolve(session.io.cwd, signingKey);
  const signer = file === undefined ? undefined : await loadSecret(loadSigningKey, file, session);
  return { ...(encryption !== undefined && { encryption }), ...(signer !== undefined && { signer }) };
}

function anyFailed(kinds: Readonly<Record<KindName, KindSummary>>): boolean {
  return Object.values(kinds).some(({ status }) => status === "failed");
}

/** A time as it stands in a file name: `20261121T045241Z`. */
function stamp(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}
