import { definedMembers, partition } from "../core/collections.ts";
import { StackferryError, errorMessage } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { type KindSummary, type ManifestWarning, type MissingContent, type Redaction } from "../core/manifest.ts";
import type { Outcome } from "../core/outcome.ts";
import type { ArchiveSummary, ArchiveWriter, EncodeRecord, StackClient } from "../core/ports.ts";
import { refuseEmptySelection, type RecordFilter } from "../core/records/record-filter.ts";
import type { KindName, Variant } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { pluralize } from "../core/text/format.ts";
import { foreignApiError, forbiddenWarning, missingRightError } from "../kinds/list-answers.ts";
import { writeOnlyMembersOf, type WriteOnlyMembers } from "../kinds/members/write-only.ts";
import { kinds as allKinds } from "../kinds/registry.ts";
import { findUnusedPatterns, unreadKinds } from "../kinds/unused-patterns.ts";
import { createCredentialCheck, type CredentialCheck } from "../redaction/credentials.ts";
import { redactName } from "../redaction/redact-names.ts";
import { createRedactor, type Redactor } from "../redaction/redactor.ts";
import { DeadReferenceFinder } from "../references/dead-references.ts";
import { recordsDigest } from "../references/record-content.ts";
import { collectKind, type CollectedKind } from "./collect-kind.ts";
import { createEncoder, parseRedactedRecord, type RedactedRecord } from "./encode-records.ts";
import { collectDeadReferences, displayNameAdder, listMissingContent } from "./missing-content.ts";
import { idCaseNormalizer, withNormalizedId } from "./normalize-id-case.ts";
import { createSelection, type Selection } from "./selection.ts";

export interface ExportInput {
  readonly client: StackClient;
  readonly kinds: readonly ResourceKind[];
  /** Applies only to kinds that an import always writes. */
  readonly filter: RecordFilter;
  readonly encode: EncodeRecord;
  /** Called only after the stack was read, so that a failed read changes no file. */
  readonly openWriter: () => Promise<ArchiveWriter>;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly createdBy: { readonly name: string; readonly version: string };
  readonly stack?: string;
  readonly allowPartial: boolean;
  readonly redact?: Redactor;
  /** No archive that contains one of these is written. */
  readonly credentials?: readonly string[];
}

export interface ExportResult {
  readonly archive: ArchiveSummary;
  /** In a backup: digest of the records without server-owned members. */
  readonly recordsDigest?: string;
  readonly kinds: Readonly<Record<KindName, KindSummary>>;
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly ManifestWarning[];
  /** Number of redacted secrets. */
  readonly redactions: number;
  /** Kinds that can lack records or members, and kinds that the key has no right to read. Excludes other `failed` kinds. */
  readonly incomplete: readonly KindName[];
  /** Content that the stack has, or could have, and that the archive lacks. */
  readonly notHeld: readonly MissingContent[];
  /** Records that can have write-only members, which the archive cannot contain. */
  readonly needed: readonly WriteOnlyMembers[];
}

/**
 * @throws StackferryError the stack's own error; `incomplete` for an unreadable record; `protocol` for another API; `usage` if the
 * filter selects nothing; `secret-in-output` for a credential of the run
 */
export async function exportStack(input: ExportInput, context: RunContext): Promise<ExportResult> {
  const { client, filter, encode, stack } = input;
  const { variant } = client.identity;
  const survey = new DeadReferenceFinder();
  const selection = createSelection(filter);
  const encoder = createEncoder({
    variant,
    redact: input.redact ?? createRedactor(),
    encode,
    selection,
    makesDigests: stack !== undefined,
    survey,
  });
  const collect = (kind: ResourceKind) => collectKind(kind, { client, encode: encoder }, context);
  const read = withForbiddenKinds(await collectAll(input.kinds, selection, collect), variant);
  refuseUnusable(read, input);
  const collected = inOrder(read, encode);
  refuseEmpty(collected, filter);
  await reportUnusedPatterns(collected, selection, input, context);
  const records = collected.flatMap((ofKind) => ofKind.records);
  context.events({ type: "phase", phase: "writing the records", total: records.length });
  const guard = createCredentialCheck(input.credentials ?? []);
  await using writer = await input.openWriter();
  const { redactions, exported } = await writeRecords(records, writer, guard, context);
  const withDisplayName = displayNameAdder(collected);
  const dead = collectDeadReferences(collected, survey, withDisplayName);
  const warnings = [...collected.flatMap((ofKind) => ofKind.warnings), ...dead.warnings];
  const needed = listWriteOnlyMembers(collected);
  const notHeld = listMissingContent(collected, needed, variant, dead.references, withDisplayName);
  const kinds = summarize(collected);
  const header = { ...originOf(input, selection), kinds, redactions, warnings, notHeld };
  guard.checkRest(header);
  const archive = await writer.finish(header);
  return {
    archive,
    kinds,
    outcomes: [...collected.flatMap(({ failures }) => failures), ...exported],
    warnings,
    redactions: redactions.length,
    recordsDigest: stack === undefined ? undefined : recordsDigest(records.flatMap(({ digest }) => digest ?? [])),
    incomplete: collected.flatMap(({ kind, isIncomplete }) => (isIncomplete === true ? [kind.name] : [])),
    notHeld,
    needed,
  };
}

/** Reads dashboards before their alerts if the filter selects by name. */
async function collectAll(
  kinds: readonly ResourceKind[],
  { isByName }: Selection,
  collect: (kind: ResourceKind) => Promise<CollectedKind>,
): Promise<CollectedKind[]> {
  const [dependents, hosts] = partition(kinds, ({ livesOn = [] }) => isByName && livesOn.length > 0);
  const first = await Promise.all(hosts.map(collect));
  const read = [...first, ...(await Promise.all(dependents.map(collect)))];
  return read.toSorted((left, right) => kinds.indexOf(left.kind) - kinds.indexOf(right.kind));
}

/** If no kind could be read, the key itself can be wrong, so the errors stay errors. */
function withForbiddenKinds(read: readonly CollectedKind[], variant: Variant): readonly CollectedKind[] {
  if (!read.some(({ status }) => status === "complete" || status === "partial")) return read;
  return read.map((ofKind) => {
    const { kind, warnings } = ofKind;
    const error = ofKind.error && missingRightError(kind, variant, ofKind.error);
    if (error === undefined) return ofKind;
    const warning = forbiddenWarning(kind, error, "; if that is meant, list the other kinds in `kinds` of the stack");
    return { ...ofKind, error, isIncomplete: true, warnings: [...warnings, warning] };
  });
}

function refuseUnusable(read: readonly CollectedKind[], { client, kinds, allowPartial }: ExportInput): void {
  const missing = new Map(
    read
      .filter(({ status }) => status !== "not-requested")
      .map(({ kind, status, error }) => [kind.name, status === "not-offered" ? status : error?.code]),
  );
  const foreign = foreignApiError(client.identity, kinds, missing);
  if (foreign !== undefined) throw foreign;
  if (!allowPartial) refusePartial(read);
  const refusal = read.find((ofKind) => ofKind.refusal !== undefined)?.refusal;
  if (refusal !== undefined) throw refusal;
}

function refusePartial(collected: readonly CollectedKind[]): void {
  const failed = collected.find(({ error, isIncomplete }) => error !== undefined && isIncomplete !== true);
  if (failed) throw failed.error;
  const [first, ...others] = collected.flatMap(({ failures }) => failures);
  if (!first) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new StackferryError(
    "incomplete",
    `${first.kind}/${first.sourceId || "?"}${more} could not be read: ${first.message ?? ""}`,
    {
      hint: "No archive was written. --allow-partial writes an archive of the readable records and lists the missing ones in its manifest.",
    },
  );
}

/** Looks only at the kinds that every import writes. */
function refuseEmpty(collected: readonly CollectedKind[], filter: RecordFilter): void {
  const written = collected.filter(({ kind }) => kind.importPolicy.when === "always");
  if (written.length > 0 && written.every(({ records }) => records.length === 0)) {
    refuseEmptySelection(filter, "on the stack");
  }
}

/** Sorts records and gives ids one case, because both can differ between reads. */
function inOrder(read: readonly CollectedKind[], encode: EncodeRecord): CollectedKind[] {
  const recordsWithId = read.flatMap(({ records }) => records.map((ready) => ({ id: ready.entry.id, ready })));
  const normalize = idCaseNormalizer(recordsWithId, ({ ready }) => parseRedactedRecord(ready));
  const normalizeRecord = (ready: RedactedRecord): RedactedRecord =>
    normalize(ready.entry.id) === ready.entry.id
      ? ready
      : { ...ready, ...encode(withNormalizedId(parseRedactedRecord(ready), normalize)) };
  const byId = (left: RedactedRecord, right: RedactedRecord): number => (left.entry.id < right.entry.id ? -1 : 1);
  return read.map((ofKind) => ({ ...ofKind, records: ofKind.records.map(normalizeRecord).toSorted(byId) }));
}

async function writeRecords(
  records: readonly RedactedRecord[],
  writer: ArchiveWriter,
  guard: CredentialCheck,
  { signal }: RunContext,
): Promise<{ readonly redactions: readonly Redaction[]; readonly exported: readonly Outcome[] }> {
  const redactions: Redaction[] = [];
  const exported: Outcome[] = [];
  for (const record of records) {
    signal?.throwIfAborted();
    guard.checkRecord(record);
    const { path, kind, name, id } = await writer.add(record);
    redactions.push(...record.redactions.map((redaction) => ({ path, ...redaction })));
    exported.push({ kind, name, sourceId: id, action: "export", status: "done" });
  }
  return { redactions, exported };
}

function originOf({ client, createdAt, createdBy, stack, filter }: ExportInput, { isByName }: Selection) {
  const isFiltered = isByName || filter.exclude.length > 0;
  return {
    createdAt,
    createdBy,
    source: client.identity,
    ...(stack !== undefined && { stack }),
    ...(isFiltered && { filter }),
  };
}

async function reportUnusedPatterns(
  collected: readonly CollectedKind[],
  { seen }: Selection,
  { filter, redact = createRedactor() }: ExportInput,
  { events }: RunContext,
): Promise<void> {
  const unread = unreadKinds(Object.entries(summarize(collected)));
  const searched = { records: seen, where: "on the stack", unread };
  const unused = await findUnusedPatterns(filter, { ...searched, nameOf: (record) => redactName(record, redact) });
  for (const warning of unused) events({ type: "warning", warning });
}

function listWriteOnlyMembers(collected: readonly CollectedKind[]): WriteOnlyMembers[] {
  const withWriteOnly = collected.filter(({ kind }) => kind.writeOnly.length > 0);
  return writeOnlyMembersOf(withWriteOnly.flatMap(({ records }) => records.map(parseRedactedRecord)));
}

function summarize(collected: readonly CollectedKind[]): Record<KindName, KindSummary> {
  const byKind = new Map(collected.map((ofKind) => [ofKind.kind.name, ofKind]));
  return Object.fromEntries(
    allKinds.map(({ name }): [KindName, KindSummary] => {
      const found = byKind.get(name);
      if (!found) return [name, { status: "not-requested", count: 0 }];
      const { status, records, failures, warnings, unlisted } = found;
      const tiles = records.reduce((sum, record) => sum + record.substitutes.length, 0);
      const isPartial = status === "partial" || (status === "complete" && tiles > 0);
      const substitutesText = `${pluralize(tiles, "tile")} of it replace tiles that the API cannot show`;
      const part = isPartial ? (warnings[0]?.message ?? substitutesText) : undefined;
      const problem = found.error ? errorMessage(found.error) : (failures[0]?.message ?? part);
      const about = definedMembers({ error: problem, code: found.error?.code, unlisted });
      return [name, { status: isPartial ? "partial" : status, count: records.length, ...about }];
    }),
  );
}
