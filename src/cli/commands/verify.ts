import { defineCommand } from "../program/parse/define-command.ts";
import { keyFingerprint } from "../../archive/signature.ts";
import { verifyRecords } from "../../backup/verify-archive.ts";
import { verifyResultText } from "../output/archive.ts";
import { openArchiveFile, loadSignerOfFlag } from "../wiring/archive-file.ts";

/**
 * Reads every record of an archive. A record that does not fit the schema of its kind counts as damage (4). A reference to a record
 * outside the archive is no damage, because the webhooks of a managed stack are never in an archive.
 */
export const verifyCommand = defineCommand("verify", {
  prepare: (args) => args,
  run: async (request, session) => {
    const signer = await loadSignerOfFlag(request.signer, session);
    await using reader = await openArchiveFile(request.archive, session, signer);
    session.runState.from = { label: request.archive, ...reader.manifest.source };
    const signedBy = signer === undefined ? undefined : keyFingerprint(signer);
    const result = await verifyRecords(reader, session);
    const { summary } = reader;
    return {
      exitCode: result.problems.length === 0 ? 0 : 4,
      text: (display) => verifyResultText(result, summary, display, signedBy),
      details: { ...result, ...(signedBy !== undefined && { signedBy }) },
    };
  },
});
