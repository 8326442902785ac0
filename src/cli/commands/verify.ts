import { defineCommand } from "../program/command.ts";
import { archiveArgument, signerFlag } from "../program/shared-flags.ts";

/**
 * Reads every record of an archive. A record that does not fit the schema of its kind counts as damage (4). A reference to a record
 * outside the archive is no damage, because the webhooks of a managed stack are never in an archive.
 */
export const verifyCommand = defineCommand({
  name: "verify",
  group: "Look",
  describe: "Check every record of an archive against its checksum",
  positionals: { archive: archiveArgument },
  flags: {
    signer: { ...signerFlag, describe: "Also verify its signature with this public key (PEM file)" },
  },
  examples: [
    ["verify backup.zip", "exit 0 when every byte is as it was written, else 4"],
    [
      "verify backup.zip --signer backups.pub",
      "also check the signature backup.zip.sig with that key; exit 4 if it does not match",
    ],
  ],
  exitCodes: [0, 1, 2, 4, 5, 6, 130],
  handler:
    ({ archive, signer: signerFile }) =>
    async (session) => {
      const { keyFingerprint } = await import("../../archive/signature.ts");
      const { verifyRecords } = await import("../../backup/verify-archive.ts");
      const { verifyResultText } = await import("../output/archive.ts");
      const { openArchiveFile, loadSignerOfFlag } = await import("../wiring/archive-file.ts");
      const signer = await loadSignerOfFlag(signerFile, session);
      await using reader = await openArchiveFile(archive, session, signer);
      session.runState.from = { label: archive, ...reader.manifest.source };
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
