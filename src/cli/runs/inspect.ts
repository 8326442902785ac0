import { StackferryError } from "../../core/errors.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { closestName } from "../../core/text/similarity.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { readAhead, readRecords } from "../../import/read/archive-records.ts";
import type { NeededMembers } from "../../kinds/members/needed.ts";
import { kindsWithNeeds, neededMembersOf } from "../../kinds/members/needed.ts";
import type { StackModel } from "../../report/model/stack.ts";
import { readStack } from "../../report/model/stack.ts";
import { inspectText } from "../output/inspect/archive.ts";
import { dashboardText, treeText } from "../output/inspect/dashboard.ts";
import type { CommandResult } from "../output/document.ts";
import { markdownText } from "../output/markdown/archive.ts";
import type { OutputOptions } from "../output/terminal/theme.ts";
import type { Session } from "../program/session.ts";
import { openArchiveFile } from "../wiring/archive-file.ts";
import { callUnnamedEntries } from "../wiring/unnamed-entries.ts";

/** `stackferry inspect`, normalised. */
export interface InspectRequest {
  readonly archive: string;
  /** Name or id of a dashboard to draw. */
  readonly dashboard: string | undefined;
  readonly tree: boolean;
  readonly markdown: boolean;
}

/**
 * Shows what an archive's manifest says. All records are read only for `--dashboard`, `--tree` and `--markdown`; else those that
 * may have had members which no stack shows, and those without a name with what they point to.
 */
export async function runInspect(request: InspectRequest, session: Session): Promise<CommandResult> {
  const { archive, dashboard, tree, markdown } = request;
  const drawings = [dashboard !== undefined, tree, markdown].filter(Boolean).length;
  if (drawings > 1) {
    throw new StackferryError("usage", "--dashboard, --tree and --markdown exclude each other");
  }
  await using reader = await openArchiveFile(archive, session);
  const { manifest } = reader;
  session.runState.from = { label: archive, ...manifest.source };
  const needed = drawings === 0 ? await readNeeded(reader, session.signal) : [];
  return {
    exitCode: 0,
    text: await textFor(request, reader, needed, session.signal),
    warnings: manifest.warnings,
    extra: { manifest, needed },
  };
}

async function readNeeded(reader: ArchiveReader, signal: AbortSignal): Promise<NeededMembers[]> {
  const names = kindsWithNeeds();
  const entries = reader.manifest.entries.filter(({ kind }) => names.includes(kind));
  const records: StackRecord[] = [];
  for await (const [, record] of readAhead(reader, entries, signal)) records.push(record);
  return neededMembersOf(records);
}

async function textFor(
  { dashboard, tree, markdown }: InspectRequest,
  reader: ArchiveReader,
  needed: readonly NeededMembers[],
  signal: AbortSignal,
): Promise<(display: OutputOptions) => string> {
  const { manifest, summary } = reader;
  if (dashboard === undefined && !tree && !markdown) {
    const called = await callUnnamedEntries(reader, signal);
    return (display) => inspectText(manifest, summary, { needed, called }, display);
  }
  const model = readStack(await readRecords(reader, signal));
  if (tree) return (display) => treeText(model, display);
  if (dashboard === undefined) return () => markdownText(manifest, model);
  const found = model.dashboards.filter(({ id, name }) => id === dashboard || name === dashboard);
  if (found.length === 0) throw unknownDashboard(dashboard, model);
  return (display) => found.map((each) => dashboardText(each, model, display)).join("\n");
}

function unknownDashboard(wanted: string, { dashboards }: StackModel): StackferryError {
  const meant = closestName(
    wanted,
    dashboards.map(({ name }) => name),
  );
  const hint = meant === undefined ? "stackferry inspect ARCHIVE lists them" : `did you mean "${meant}"?`;
  return new StackferryError("usage", `the archive holds no dashboard "${wanted}"`, { hint });
}
