import { archiveArgument, signerFlag } from "../program/flags.ts";
import { keyFingerprint } from "../../archive/signature.ts";
import { verifyReader, type VerifyResult } from "../../library/verify-archive.ts";
import type { ArchiveSummary } from "../../core/ports.ts";
import { printableText } from "../../core/text/printable.ts";
import { nounForCount, pluralize } from "../../core/text/format.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { problemLine, type OutputOptions } from "../output/terminal.ts";
import { defineCommand } from "../program/define-command.ts";
import { loadSignerOfFlag, openArchiveFile } from "../inputs/archive.ts";

/** A record that does not fit its kind's schema counts as damage; a dangling reference, which the stack had, does not. */
export const command = defineCommand({
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
  run: async ({ archive, signer: signerFile }, session) => {
    const signer = await loadSignerOfFlag(signerFile, session);
    await using reader = await openArchiveFile(archive, session, signer);
    session.runState.from = { label: archive, ...reader.manifest.source };
    const signedBy = signer === undefined ? undefined : keyFingerprint(signer);
    const result = await verifyReader(reader, session);
    const { summary } = reader;
    return {
      exitCode: result.problems.length === 0 ? 0 : 4,
      text: (display) => verifyResultText(result, summary, display, signedBy),
      details: { ...result, signedBy },
    };
  },
});

function verifyResultText(
  result: VerifyResult,
  archive: ArchiveSummary,
  display: OutputOptions,
  signedBy?: string,
): string {
  const { theme } = display;
  const problems = result.problems.map(({ path, message }) => problemLine(`${path}: ${message}`, undefined, theme));
  const dangling = result.dangling.map(
    ({ kind, name, pointer, places, space, to }) =>
      `${theme.notice("!")} ${printableText(`${nounOf(kind)} "${name}": ${pointer}${others(places - 1)} to ${nounOf(space)} ${to}, which the stack did not have`)}\n`,
  );
  const sound = `${theme.good("✓")} ${pluralize(result.records, "record")}, each as it was written\n`;
  const signed = signedBy === undefined ? "" : `${theme.good("✓")} signed with the key ${signedBy}\n`;
  return [
    ...problems,
    ...dangling,
    signed,
    result.problems.length === 0 ? sound : "",
    digestLine(archive, display),
  ].join("");
}

function others(count: number): string {
  if (count === 0) return " points";
  return ` and ${count} other ${nounForCount(count, "place")} point`;
}

export function digestLine({ contentDigest }: ArchiveSummary, { theme }: OutputOptions): string {
  return `${theme.faint(printableText(`content digest ${contentDigest}`))}\n`;
}
