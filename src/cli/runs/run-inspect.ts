import { closestName } from "../../config/closest-name.ts";
import { StackferryError } from "../../domain/errors.ts";
import type { ArchiveReader } from "../../domain/ports.ts";
import { readRecords } from "../../jobs/archive-records.ts";
import { readStack } from "../../report/model/stack-model.ts";
import type { StackModel } from "../../report/model/stack-model.ts";
import { openArchiveFile } from "../open-archive-file.ts";
import { inspectText } from "../render/archive-text.ts";
import { dashboardText } from "../render/dashboard-text.ts";
import { markdownText } from "../render/markdown-text.ts";
import type { View } from "../render/theme.ts";
import { treeText } from "../render/tree-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";

/** `stackferry inspect`, normalised. */
export interface InspectRequest {
  readonly archive: string;
  /** Name or id of a dashboard to draw. */
  readonly dashboard: string | undefined;
  readonly tree: boolean;
  readonly markdown: boolean;
}

/** Shows what an archive's manifest says; the records themselves are read only where they are drawn or summed up. */
export async function runInspect(request: InspectRequest, session: Session): Promise<CommandResult> {
  const { archive, dashboard, tree, markdown } = request;
  const drawings = [dashboard !== undefined, tree, markdown].filter(Boolean).length;
  if (drawings > 1) {
    throw new StackferryError("usage", "--dashboard, --tree and --markdown are three views: choose one");
  }
  await using reader = await openArchiveFile(archive, session);
  const { manifest } = reader;
  session.facts.from = { label: archive, ...manifest.source };
  return {
    exitCode: 0,
    text: await textFor(request, reader, session.signal),
    warnings: manifest.warnings,
    extra: { manifest },
  };
}

async function textFor(
  { dashboard, tree, markdown }: InspectRequest,
  reader: ArchiveReader,
  signal: AbortSignal,
): Promise<(view: View) => string> {
  const { manifest, summary } = reader;
  if (dashboard === undefined && !tree && !markdown) return (view) => inspectText(manifest, summary, view);
  const model = readStack(await readRecords(reader, signal));
  if (tree) return (view) => treeText(model, view);
  if (dashboard === undefined) return () => markdownText(manifest, model);
  const found = model.dashboards.filter(({ id, name }) => id === dashboard || name === dashboard);
  if (found.length === 0) throw unknownDashboard(dashboard, model);
  return (view) => found.map((each) => dashboardText(each, model, view)).join("\n");
}

function unknownDashboard(wanted: string, { dashboards }: StackModel): StackferryError {
  const meant = closestName(
    wanted,
    dashboards.map(({ name }) => name),
  );
  const hint = meant === undefined ? "stackferry inspect ARCHIVE lists them" : `did you mean "${meant}"?`;
  return new StackferryError("usage", `the archive holds no dashboard "${wanted}"`, { hint });
}
