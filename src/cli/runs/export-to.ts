import { createArchiveWriter } from "../../archive/create-archive-writer.ts";
import type { StackSettings } from "../../config/stack-settings.ts";
import type { StackClient } from "../../domain/ports.ts";
import type { RecordFilter } from "../../domain/record-filter.ts";
import type { ResourceKind } from "../../domain/resource-kind.ts";
import { exportStack } from "../../jobs/export-stack.ts";
import type { ExportResult } from "../../jobs/export-stack.ts";
import { kinds as allKinds } from "../../kinds/registry.ts";
import type { Session } from "../session.ts";
import { programVersion } from "../version.ts";

/** What to export, and to where. */
export interface ExportTarget {
  readonly path: string;
  readonly format: "zip" | "folder";
  readonly kinds: readonly ResourceKind[];
  readonly filter: RecordFilter;
  /** On top of those configured. */
  readonly pipeIds: readonly string[];
  readonly allowPartial: boolean;
}

/** Runs an export and shows its warnings. */
export async function exportTo(
  target: ExportTarget,
  client: StackClient,
  settings: StackSettings,
  session: Session,
): Promise<ExportResult> {
  const { events, signal, io } = session;
  const { path, format } = target;
  events({ type: "phase", phase: `reading ${settings.label}` });
  const result = await exportStack(
    {
      client,
      kinds: target.kinds.length === 0 ? allKinds : target.kinds,
      ids: { pipes: [...settings.pipeIds, ...target.pipeIds] },
      filter: target.filter,
      openWriter: () => createArchiveWriter({ path, format }),
      createdAt: new Date(io.now()).toISOString(),
      createdBy: { name: "stackferry", version: programVersion() },
      allowPartial: target.allowPartial,
    },
    { events, signal },
  );
  for (const warning of result.warnings) events({ type: "warning", warning });
  return result;
}
