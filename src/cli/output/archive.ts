import type { VerifyResult } from "../../backup/verify-archive.ts";
import type { KindSummary, MissingContent } from "../../core/manifest.ts";
import type { ArchiveSummary } from "../../core/ports.ts";
import type { KindName } from "../../core/records/record.ts";
import { printableText } from "../../core/text/printable.ts";
import { formatSize, joinNames, MAX_NAMED_TO_CHECK, nounForCount, pluralize } from "../../core/text/format.ts";
import type { ExportResult } from "../../export/export-stack.ts";
import { sortByKind } from "../../kinds/registry.ts";
import { notHeldLine } from "../../report/view/archive.ts";
import { failuresBlock } from "../../report/view/plan.ts";
import { minuteText } from "../../report/view/words.ts";
import { renderTable } from "./table.ts";
import { problemLine, type OutputOptions } from "./terminal.ts";
import { blocksText } from "./text.ts";

/** Renders the result of an export. @param isCode true if code files were written, which `inspect` does not read */
export function exportResultText(result: ExportResult, isCode: boolean, display: OutputOptions): string {
  const { archive, kinds, redactions, needed, outcomes } = result;
  return [
    kindsTable(kinds, display),
    blocksText(failuresBlock(outcomes), display),
    `\n${pluralize(redactions, "secret")} taken out.\n`,
    needed.length === 0
      ? ""
      : `${pluralize(needed.length, "record")} may hold secrets that the API never returns: keep these secrets elsewhere. \`stackferry ${isCode ? "apply … --create all --draft-secrets FILE" : "inspect"}\` lists them.\n`,
    notHeldText(
      result.notHeld.filter(({ code }) => TOLD_AT_EXPORT.includes(code)),
      display,
    ),
    filesText(archive),
    `Wrote ${printableText(archive.path)} (${formatSize(archive.bytes)})${replacedText(archive)}\n`,
    isCode ? "" : digestLine(archive, display),
  ].join("");
}

/** Names the files that an export has changed: somebody may have edited them. Into a new folder, all files are new. */
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

/** Renders the result of checking an archive. @param signedBy the fingerprint of the key that signed it, if `--signer` was given */
export function verifyResultText(
  result: VerifyResult,
  archive: ArchiveSummary,
  display: OutputOptions,
  signedBy?: string,
): string {
  const { theme } = display;
  const problems = result.problems.map(({ path, message }) => problemLine(`${path}: ${message}`, undefined, theme));
  const dangling = result.dangling.map(
    ({ path, pointer, space, id, references }) =>
      `${theme.notice("!")} ${printableText(`${path}${pointer}${others(references - 1)} to ${space} ${id}, which is not in this archive`)}\n`,
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

function kindsTable(kinds: Readonly<Record<KindName, KindSummary>>, display: OutputOptions): string {
  const { theme } = display;
  const rows = sortByKind(Object.entries(kinds), ([kind]) => kind).map(([kind, { status, count, error }]) => [
    kind,
    { text: status, paint: status === "failed" ? theme.bad : status === "complete" ? theme.good : theme.faint },
    String(count),
    error ?? "",
  ]);
  const columns = ["KIND", "STATUS", { right: "RECORDS" }, ""];
  return renderTable({ columns, rows }, display);
}

/** Codes of missing content that an export reports. Content with another code is missing from every export. */
const TOLD_AT_EXPORT: readonly string[] = ["unlisted-records", "substitute-tiles", "silenced"];

function notHeldText(notHeld: readonly MissingContent[], display: OutputOptions): string {
  const lines = notHeld.map(notHeldLine);
  const section = {
    is: "section",
    id: "not-held",
    title: "Not in the archive, because the API does not return it",
    lines,
  } as const;
  return blocksText([section], display);
}

function digestLine({ contentDigest }: ArchiveSummary, display: OutputOptions): string {
  return display.theme.faint(printableText(`content digest ${contentDigest}`)) + "\n";
}
