import { resolve } from "node:path";
import type { KindName } from "../../domain/record.ts";
import type { KindSummary } from "../../domain/manifest.ts";
import type { Selection } from "../commands/selection-flags.ts";
import { exitCodeOfOutcomes } from "../exit-codes.ts";
import { openClient, reported, resolveFor } from "../open-stack.ts";
import { exportText } from "../render/archive-text.ts";
import type { CommandResult } from "../report.ts";
import { namedKinds } from "../select-kinds.ts";
import type { Session } from "../session.ts";
import { exportTo } from "./export-to.ts";

/** `stackferry export`, normalised. */
export interface ExportRequest extends Selection {
  readonly from: string;
  readonly out: string | undefined;
  readonly format: "zip" | "folder";
  readonly pipeIds: readonly string[];
  readonly allowPartial: boolean;
}

/** Exports a stack into an archive. */
export async function runExport(request: ExportRequest, session: Session): Promise<CommandResult> {
  const { format, filter, pipeIds, allowPartial } = request;
  const kinds = namedKinds(request.kinds);
  const settings = await resolveFor(request.from, "from", session);
  session.facts.from = reported(settings);
  const name =
    request.out ?? `stackferry-${settings.label}-${stamp(session.startedAt)}${format === "zip" ? ".zip" : ""}`;
  const path = resolve(session.io.cwd, name);
  await using client = openClient(settings, session);
  const result = await exportTo({ path, format, kinds, filter, pipeIds, allowPartial }, client, settings, session);
  session.facts.archive = result.archive;
  return {
    exitCode: anyFailed(result.kinds) ? 3 : exitCodeOfOutcomes(result.outcomes),
    text: (view) => exportText(result, view),
    outcomes: result.outcomes,
    extra: { kinds: result.kinds, redactions: result.redactions },
  };
}

function anyFailed(kinds: Readonly<Record<KindName, KindSummary>>): boolean {
  return Object.values(kinds).some(({ status }) => status === "failed");
}

/** A time as it stands in a file name: `20261121T045241Z`. */
function stamp(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}
