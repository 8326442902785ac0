import { StackferryError, errorMessage } from "../domain/errors.ts";
import type { KindSummary, ManifestWarning, Redaction } from "../domain/manifest.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { ArchiveSummary, ArchiveWriter, StackClient } from "../domain/ports.ts";
import type { KindName, StackRecord } from "../domain/record.ts";
import type { RecordFilter } from "../domain/record-filter.ts";
import { createRedactor } from "../domain/redaction/create-redactor.ts";
import type { Redactor } from "../domain/redaction/create-redactor.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { kinds as allKinds } from "../kinds/registry.ts";
import { ahead } from "./ahead.ts";
import { collectKind } from "./collect-kind.ts";
import type { Collected } from "./collect-kind.ts";
import { guardCredentials } from "./guard-credentials.ts";
import type { CredentialGuard } from "./guard-credentials.ts";
import { inOneCase, respelled } from "./in-one-case.ts";
import type { JobContext } from "./job-context.ts";
import type { PackedRecord } from "./packed-record.ts";
import { refuseEmptySelection } from "./refuse-empty-selection.ts";
import { redactRecords } from "./redact-records.ts";
import type { RedactedRecord } from "./redact-records.ts";

/** So many records are packed by another thread while the next are made ready. */
const MOST_WRITING = 16;

/** What an export is made of. */
export interface ExportInput {
  readonly client: StackClient;
  /** The kinds asked for. */
  readonly kinds: readonly ResourceKind[];
  /** For kinds that can only be read one by one: the ids to read. */
  readonly ids: Readonly<Record<KindName, readonly string[]>>;
  /** Applies to the kinds that an import writes; what they point to is always exported, for matching. */
  readonly filter: RecordFilter;
  /** Called once the stack has answered, so that a failed export leaves nothing behind. */
  readonly openWriter: () => Promise<ArchiveWriter>;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly createdBy: { readonly name: string; readonly version: string };
  /** Write the archive even where something could not be read, and say so in its manifest. */
  readonly allowPartial: boolean;
  /** Takes out secrets; every layer but the scanner unless told. */
  readonly redact?: Redactor;
  /** What the run signs in with: an archive that holds any of it, in whatever encoding, is not written. */
  readonly credentials?: readonly string[];
}

/** What an export came to. */
export interface ExportResult {
  readonly archive: ArchiveSummary;
  readonly kinds: Readonly<Record<KindName, KindSummary>>;
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly ManifestWarning[];
  /** How many secrets were taken out: entries of the manifest's list. */
  readonly redactions: number;
}

/**
 * Exports a stack into an archive: list → parse → redact → write, the manifest last. Throws the stack's own error, or
 * `incomplete`, where something could not be read and partial archives are not allowed, and `secret-in-output` where a
 * credential of the run would be in the archive; then nothing is written.
 */
export async function exportStack(input: ExportInput, context: JobContext): Promise<ExportResult> {
  const read = await Promise.all(input.kinds.map((kind) => collectKind(kind, input, context)));
  const all = read.flatMap(({ records }) => records);
  const spell = inOneCase(all, (record) => record.unpack());
  // By id, so that the same stack gives the same archive whatever order it answers in.
  const byId = (left: PackedRecord, right: PackedRecord): number => (spell(left.id) < spell(right.id) ? -1 : 1);
  const collected = read.map((each): Collected => ({ ...each, records: each.records.toSorted(byId) }));
  if (!input.allowPartial) refusePartial(collected);
  const written = collected.filter(({ kind }) => kind.notReplayed === undefined);
  if (written.length > 0 && written.every(({ records }) => records.length === 0)) {
    refuseEmptySelection(input.filter, "on the stack");
  }
  context.events({
    type: "phase",
    phase: "write",
    total: collected.reduce((sum, { records }) => sum + records.length, 0),
  });
  const redactions: Redaction[] = [];
  const outcomes: Outcome[] = collected.flatMap(({ failures }) => failures);
  const { redact = createRedactor(), credentials = [] } = input;
  const guard = guardCredentials(credentials);
  await using writer = await input.openWriter();
  const write = async (record: RedactedRecord): Promise<Outcome> => {
    context.signal?.throwIfAborted();
    return writeRecord(record, writer, guard, redactions);
  };
  for (const { kind, records } of collected) {
    const redacted = redactRecords(kind, unpacked(records, spell), redact);
    for await (const outcome of ahead(redacted, write, MOST_WRITING)) outcomes.push(outcome);
  }
  const warnings = collected.flatMap((each) => each.warnings);
  const kinds = summarize(collected);
  const { createdAt, createdBy } = input;
  const header = { createdAt, createdBy, source: input.client.identity, kinds, redactions, warnings };
  guard.rest(header);
  const archive = await writer.finish(header);
  return { archive, kinds, outcomes, warnings, redactions: redactions.length };
}

async function writeRecord(
  { record, redactions: found }: RedactedRecord,
  writer: ArchiveWriter,
  guard: CredentialGuard,
  redactions: Redaction[],
): Promise<Outcome> {
  const { path } = await writer.add(record, (json) => guard.record(record, json));
  redactions.push(...found.map((redaction) => ({ path, ...redaction })));
  return { kind: record.kind, name: record.name, sourceId: record.id, action: "export", status: "done" };
}

/** One record after the other, as they are asked for. */
function* unpacked(records: readonly PackedRecord[], spell: (id: string) => string): Generator<StackRecord> {
  for (const record of records) yield respelled(record.unpack(), spell);
}

function refusePartial(collected: readonly Collected[]): void {
  const failed = collected.find(({ error }) => error !== undefined);
  if (failed) throw failed.error;
  const [first, ...others] = collected.flatMap(({ failures }) => failures);
  if (!first) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new StackferryError(
    "incomplete",
    `${first.kind}/${first.sourceId || "?"}${more} could not be read: ${first.message ?? ""}`,
    {
      hint: "No archive was written. --allow-partial writes one of what can be read and says in its manifest what is missing.",
    },
  );
}

function summarize(collected: readonly Collected[]): Record<KindName, KindSummary> {
  const asked = new Map(collected.map((each) => [each.kind.name, each]));
  return Object.fromEntries(
    allKinds.map(({ name }): [KindName, KindSummary] => {
      const found = asked.get(name);
      if (!found) return [name, { status: "not-requested", count: 0 }];
      const problem = found.error ? errorMessage(found.error) : found.failures[0]?.message;
      const count = found.records.length;
      return [name, { status: found.status, count, ...(problem !== undefined && { error: problem }) }];
    }),
  );
}
