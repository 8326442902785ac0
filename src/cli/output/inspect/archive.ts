import type { VerifyResult } from "../../../backup/verify-archive.ts";
import { stackAddressOf } from "../../../config/stacks/stack-address.ts";
import type { KindSummary, Manifest, MissingContent } from "../../../core/manifest.ts";
import type { ArchiveSummary } from "../../../core/ports.ts";
import { recordKey, type KindName, type RecordKey } from "../../../core/records/record.ts";
import { printableText } from "../../../core/text/printable.ts";
import { pluralize, nounForCount, formatSize } from "../../../core/text/format.ts";
import type { ExportResult } from "../../../export/export-stack.ts";
import { sortByKind } from "../../../kinds/registry.ts";
import { nounOf, pluralOf } from "../../../kinds/nouns.ts";
import type { WriteOnlyMembers } from "../../../kinds/members/write-only.ts";
import { renderTable } from "../table.ts";
import { problemLine, type OutputOptions } from "../terminal.ts";

/**
 * Renders the result of an export.
 * @param isCode true if code files were written, which `inspect` does not read
 * @param failures the text of the records that could not be exported
 */
export function exportResultText(
  result: ExportResult,
  isCode: boolean,
  failures: string,
  display: OutputOptions,
): string {
  const { archive, kinds, redactions, needed } = result;
  return [
    kindsTable(kinds, display),
    failures,
    `\n${pluralize(redactions, "secret")} taken out.\n`,
    needed.length === 0
      ? ""
      : `${pluralize(needed.length, "record")} may hold secrets that the API never returns: keep these secrets elsewhere. \`stackferry ${isCode ? "apply … --create all --draft-secrets FILE" : "inspect"}\` lists them.\n`,
    notHeldText(result.notHeld.filter(({ code }) => TOLD_AT_EXPORT.includes(code))),
    `Wrote ${printableText(archive.path)} (${formatSize(archive.bytes)})\n`,
    digestLine(archive, display),
  ].join("");
}

/** Facts from an archive's records that its manifest lacks. */
interface ReadForInspect {
  /** The write-only members that a rebuild would have to supply. */
  readonly needed: readonly WriteOnlyMembers[];
  /** Display names of records without a name. */
  readonly displayNames: ReadonlyMap<RecordKey, string>;
}

export function manifestText(
  manifest: Manifest,
  archive: ArchiveSummary,
  { needed, displayNames }: ReadForInspect,
  display: OutputOptions,
): string {
  const rows = sortByKind(manifest.entries, ({ kind }) => kind).map(({ kind, name, id, bytes }) => [
    kind,
    name || (displayNames.get(recordKey(kind, id)) ?? ""),
    id,
    formatSize(bytes),
  ]);
  const columns = ["KIND", "NAME", "ID", { right: "SIZE" }];
  const { name, version } = manifest.createdBy;
  return [
    `${display.theme.strong(printableText(archive.path))} (${formatSize(archive.bytes)}, format version ${manifest.formatVersion})\n`,
    `made ${printableText(`${manifest.createdAt} by ${name} ${version} from ${stackAddressOf(manifest.source)}`)}\n`,
    digestLine(archive, display),
    "\n",
    kindsTable(manifest.kinds, display),
    redactionsText(manifest),
    neededText(needed),
    notHeldText(manifest.notHeld ?? []),
    ...manifest.warnings.map(({ message }) => display.theme.notice(printableText(`warning: ${message}`)) + "\n"),
    "\n",
    renderTable({ columns, rows }, display),
  ].join("");
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

function redactionsText({ redactions }: Manifest): string {
  const rules = [...new Set(redactions.map(({ rule }) => rule))].sort();
  return redactions.length === 0
    ? ""
    : printableText(`${pluralize(redactions.length, "secret")} taken out (${rules.join(", ")})`) + "\n";
}

function neededText(needed: readonly WriteOnlyMembers[]): string {
  if (needed.length === 0) return "";
  const lines = needed.map(({ kind, id, name, members }) => `  ${nounOf(kind)} "${name || id}": ${members.join(", ")}`);
  const title =
    "these records may hold secrets, which the API never returns and which you need to create the records again:";
  return [title, ...lines].map((line) => `${printableText(line)}\n`).join("");
}

/** Codes of missing content that an export reports. Content with another code is missing from every export. */
const TOLD_AT_EXPORT: readonly string[] = ["unlisted-records", "substitute-tiles", "silenced"];

function notHeldText(notHeld: readonly MissingContent[]): string {
  if (notHeld.length === 0) return "";
  const lines = notHeld.map(({ kind, message }) => `  ${kind === undefined ? "" : `${pluralOf(kind)}: `}${message}`);
  const title = "not in the archive, because the API does not return it:";
  return [title, ...lines].map((line) => `${printableText(line)}\n`).join("");
}

function digestLine({ contentDigest }: ArchiveSummary, display: OutputOptions): string {
  return display.theme.faint(printableText(`content digest ${contentDigest}`)) + "\n";
}
