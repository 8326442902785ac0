import { createArchiveWriter } from "../../archive/writer.ts";
import type { ArchiveWriterOptions } from "../../archive/writer.ts";
import { createRecordEncoder } from "../../archive/record.ts";
import type { StackSettings } from "../../config/stack-settings.ts";
import type { StackClient } from "../../domain/ports.ts";
import type { RecordFilter } from "../../domain/record-filter.ts";
import type { RedactionLevel } from "../../redaction/policy.ts";
import type { ResourceKind } from "../../domain/resource-kind.ts";
import { exportStack } from "../../jobs/export-stack.ts";
import type { ExportResult } from "../../jobs/export-stack.ts";
import { kinds as allKinds } from "../../kinds/registry.ts";
import { redactorOfRun } from "../redactor-of-run.ts";
import type { Session } from "../session.ts";
import { secretsOf } from "../open-stack.ts";
import { programVersion } from "../version.ts";

/** What keeps others from reading an archive, or from passing off another one as it. */
export type ArchiveProtection = Pick<ArchiveWriterOptions, "encryption" | "signer">;

/** What to export, and to where. */
export interface ExportTarget extends ArchiveProtection {
  readonly path: string;
  readonly format: "zip" | "folder";
  readonly kinds: readonly ResourceKind[];
  readonly filter: RecordFilter;
  /** On top of those configured. */
  readonly pipeIds: readonly string[];
  readonly allowPartial: boolean;
  /** What else must not be in the archive besides the credential of the stack that is read. */
  readonly secrets?: readonly string[];
  /** `standard` unless told. */
  readonly redaction?: RedactionLevel;
}

/** Runs an export and shows its warnings. */
export async function exportTo(
  target: ExportTarget,
  client: StackClient,
  settings: StackSettings,
  session: Session,
): Promise<ExportResult> {
  const { events, signal, io } = session;
  const { path, format, encryption, signer } = target;
  const protection = { ...(encryption !== undefined && { encryption }), ...(signer !== undefined && { signer }) };
  const redact = await redactorOfRun(session, target.redaction === undefined ? {} : { level: target.redaction });
  const credentials = [...secretsOf(settings.credential), ...(target.secrets ?? [])];
  events({ type: "phase", phase: `reading ${settings.label}` });
  const result = await exportStack(
    {
      client,
      kinds: target.kinds.length === 0 ? allKinds : target.kinds,
      ids: { pipes: [...settings.pipeIds, ...target.pipeIds] },
      filter: target.filter,
      encode: createRecordEncoder(),
      openWriter: () => createArchiveWriter({ path, format, ...protection }),
      createdAt: new Date(io.now()).toISOString(),
      createdBy: { name: "stackferry", version: programVersion() },
      allowPartial: target.allowPartial,
      redact,
      credentials,
    },
    { events, signal },
  );
  for (const warning of result.warnings) events({ type: "warning", warning });
  return result;
}
