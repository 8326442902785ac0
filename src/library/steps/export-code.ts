import { displayNameMember, finderAmong } from "../../kinds/display-names.ts";
import { getOrMake } from "../../core/collections.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { KindSummary } from "../../core/manifest.ts";
import type { Warning } from "../../core/outcome.ts";
import { refuseEmptySelection, type RecordFilter } from "../../core/records/record-filter.ts";
import type { KindName, RecordKey, StackRecord } from "../../core/records/record.ts";
import type { ExportInput, ExportResult } from "../../export/export-stack.ts";
import { createSelection, warnOfUnexportedRecords } from "../../export/selection.ts";
import { findKind } from "../../kinds/registry.ts";
import { findUnusedPatterns, unreadKinds } from "../../kinds/unused-patterns.ts";
import type { CodeValues } from "../../archive/as-code/values.ts";
import { noteFiles, openCodeFolder, recordLists, type CodeFolder } from "./code-folder.ts";
import type { SelectedRecords } from "./selection.ts";

/** The form of an export: an archive as zip or folder, or code files that people edit. */
export type ExportFormat = "zip" | "folder" | "code";

interface CodeExport extends SelectedRecords, Omit<CodeFolder, "values"> {
  readonly mirror?: boolean;
  readonly values?: CodeValues | undefined;
}

/** Checks that the settings go with the format. @throws StackferryError `usage` for settings that the format does not support */
export function checkCodeExport(settings: {
  readonly format: ExportFormat;
  readonly mirror: boolean;
  readonly signed: boolean;
  readonly filter: RecordFilter;
}): void {
  const { format, mirror, signed, filter } = settings;
  if (mirror && format !== "code") {
    throw new StackferryError("usage", "--mirror needs --format code");
  }
  if (mirror && filter.include.length + filter.exclude.length > 0) {
    const hint = "Leave out one of them; --kinds limits which files are removed.";
    throw new StackferryError(
      "usage",
      "--mirror would remove the files of every record that --include or --exclude leaves out",
      { hint },
    );
  }
  if (signed && format === "code") {
    throw new StackferryError("usage", "files in the form code cannot be signed", { hint: "sign the commit instead" });
  }
}

/** Writes records as code files, and notes in the journal which record each file is. */
export async function exportToCode(
  job: CodeExport,
  context: RunContext,
  run: (read: CodeReading) => Promise<ExportResult>,
): Promise<ExportResult> {
  const { recording, replay } = recordLists(job.client);
  const folder = { ...job, values: job.values ?? {}, client: recording };
  const findWritten = await openCodeFolder(folder);
  const result = await writeCode({ ...folder, findWritten }, context, run);
  await noteFiles({ ...folder, client: replay }, context);
  return result;
}

type CodeReading = Pick<ExportInput, "client" | "kinds" | "filter" | "openWriter">;

interface CodeWriting extends CodeExport {
  readonly values: CodeValues;
  readonly findWritten: (key: RecordKey) => string | undefined;
}

/** Reads the whole stack, because references are written as names of other records. */
async function writeCode(
  { path, kinds, filter, mirror = false, values, client, findWritten }: CodeWriting,
  { events, signal }: RunContext,
  run: (read: CodeReading) => Promise<ExportResult>,
): Promise<ExportResult> {
  const names = kinds.map(({ name }) => name);
  const isKindWanted = (kind: KindName): boolean => names.length === 0 || names.includes(kind);
  const selection = createSelection(filter);
  const leftBehind = new Map<RecordKey, StackRecord[]>();
  // Kinds arrive in order, so a dashboard comes before its alerts. All secrets are already redacted.
  const isWanted = (record: StackRecord): boolean => {
    const { isTaken, leftOn } = selection.choose(record);
    const isLeft = !isTaken || !isKindWanted(record.kind);
    if (isLeft && leftOn !== undefined) getOrMake(leftBehind, leftOn, () => []).push(record);
    return !isLeft;
  };
  const writtenIds = new Map<KindName, Set<string>>();
  const check = async (
    records: readonly StackRecord[],
    summaries: Readonly<Record<KindName, KindSummary>>,
  ): Promise<void> => {
    for (const { kind, id } of records) writtenIds.set(kind, (writtenIds.get(kind) ?? new Set()).add(id));
    const find = finderAmong(records);
    const named = new Map(
      [...leftBehind].map(([host, left]) => [
        host,
        left.map((record) => ({ ...record, ...displayNameMember(record, find) })),
      ]),
    );
    for (const warning of warnOfUnexportedRecords(records, named)) events({ type: "warning", warning });
    if (!records.some(({ kind }) => (findKind(kind)?.importPolicy.when ?? "always") === "always"))
      refuseEmptySelection(filter, "on the stack");
    const searched = { records: selection.seen, where: "on the stack", unread: unreadKinds(Object.entries(summaries)) };
    for (const warning of await findUnusedPatterns(filter, { ...searched, nameOf: ({ name }) => name })) warn(warning);
  };
  const warn = (warning: Warning): void => events({ type: "warning", warning });
  const openWriter = async () => {
    // The YAML writer takes long to load, so it is loaded only for this format.
    const { createCodeWriter } = await import("../../archive/as-code/write/writer.ts");
    return createCodeWriter({ path, isWanted, isKindWanted, mirror, values, findWritten, check, warn, signal });
  };
  const result = await run({ client, kinds: [], filter: { include: [], exclude: [] }, openWriter });
  const summaries = Object.entries(result.kinds).map(([kind, summary]): [KindName, KindSummary] => {
    if (!isKindWanted(kind)) return [kind, { status: "not-requested", count: 0 }];
    return [kind, { ...summary, count: writtenIds.get(kind)?.size ?? 0 }];
  });
  const outcomes = result.outcomes.filter(
    ({ kind, sourceId, status }) => status === "failed" || writtenIds.get(kind)?.has(sourceId) === true,
  );
  return { ...result, kinds: Object.fromEntries(summaries), outcomes };
}
