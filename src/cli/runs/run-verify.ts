import { verifyArchive } from "../../jobs/verify-archive.ts";
import { keyFingerprint } from "../../archive/signature.ts";
import { openArchiveFile } from "../open-archive-file.ts";
import { verifyText } from "../render/archive-text.ts";
import type { CommandResult } from "../report.ts";
import { signerOf } from "../signer-of.ts";
import type { Session } from "../session.ts";

/** `stackferry verify`, normalised. */
export interface VerifyRequest {
  readonly archive: string;
  /** File of an Ed25519 public key. */
  readonly signer: string | undefined;
}

/**
 * Reads every record of an archive. A record that is not of its kind counts as damage (4); a reference to something outside
 * the archive does not, as a managed stack's webhooks are never inside.
 */
export async function runVerify(request: VerifyRequest, session: Session): Promise<CommandResult> {
  const signer = await signerOf(request.signer, session);
  await using reader = await openArchiveFile(request.archive, session, { signer });
  session.facts.from = { label: request.archive, ...reader.manifest.source };
  const signedBy = signer === undefined ? undefined : keyFingerprint(signer);
  const { events, signal } = session;
  const result = await verifyArchive(reader, { events, signal });
  const { summary } = reader;
  return {
    exitCode: result.problems.length === 0 ? 0 : 4,
    text: (view) => verifyText(result, summary, view, signedBy),
    extra: { ...result, ...(signedBy !== undefined && { signedBy }) },
  };
}
