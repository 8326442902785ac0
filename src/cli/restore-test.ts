import { groupBy } from "../core/collections.ts";
import { StackferryError } from "../core/errors.ts";
import { ignoreEvents } from "../core/events.ts";
import { hasEveryRecord, type Manifest } from "../core/manifest.ts";
import { countOutcomes, leavesRunIncomplete, type Outcome, type Warning } from "../core/outcome.ts";
import type { SecretAnswers } from "../core/secrets.ts";
import type { ManualMapping, PlanItem } from "../core/plan/plan.ts";
import type { ArchiveReader } from "../core/ports.ts";
import type { JsonObject } from "../core/json.ts";
import { recordKey, type KindName, type RecordKey, type StackRecord } from "../core/records/record.ts";
import { readRecords } from "../import/read/archive-records.ts";
import { writeOnlyMembersOf } from "../kinds/members/write-only.ts";
import { findKind, knownKind } from "../kinds/registry.ts";
import { nameOfRecord, nounOf } from "../kinds/nouns.ts";
import { prepareImport, type AppliedImport } from "../library/import.ts";
import { normaliseStack, openStack } from "../library/options/connect.ts";
import { normaliseImport } from "../library/options/import-options.ts";
import { memoryJournals } from "../library/steps/journal-place.ts";
import { placeContext } from "../redaction/filling/context.ts";
import { findPlaceholders } from "../redaction/placeholders.ts";
import { findReferences } from "../references/references.ts";
import { substitutesIn } from "../references/hidden-content.ts";
import { startSandbox, type Sandbox } from "../sandbox/start-sandbox.ts";
import type { Session } from "./program/session.ts";
import { sandboxStackOptions } from "./inputs/stack.ts";

export interface RestoreTest {
  readonly stack: string;
  readonly archive: string;
  readonly ok: boolean;
  /** Failed outcomes are counted as `failed`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly Outcome[];
  /** Warnings of parts that a restore changes or leaves out. */
  readonly differences: readonly Warning[];
  /** Records that the backup references but lacks; the sandbox had a stand-in for each. */
  readonly standIns: readonly LackedRecord[];
  /** Kinds that the export could not read. */
  readonly unread: readonly UnreadKind[];
  /** The reason why the backup could not be restored at all. */
  readonly error?: StackferryError;
}

export interface UnreadKind {
  readonly kind: KindName;
  /** The error code of the export, such as `forbidden`. */
  readonly code?: string;
  readonly message: string;
}

interface LackedRecord {
  readonly kind: KindName;
  readonly id: string;
  readonly message: string;
}

export async function restoreTest(
  stack: string,
  archive: string,
  open: (archive: string) => Promise<ArchiveReader>,
  session: Session,
): Promise<RestoreTest> {
  try {
    await using reader = await open(archive);
    return { stack, archive, ...(await restoreOntoSandbox(reader, session)) };
  } catch (error) {
    if (!(error instanceof StackferryError) || session.signal.aborted) throw error;
    const nothing = { counts: {}, problems: [], differences: [], standIns: [], unread: [] };
    return { stack, archive, ok: false, ...nothing, error };
  }
}

/** Stubs with the same ids replace referenced records that the backup lacks, such as a managed stack's connections. */
async function restoreOntoSandbox(
  reader: ArchiveReader,
  session: Session,
): Promise<Omit<RestoreTest, "stack" | "archive">> {
  const { manifest } = reader;
  const records = await readRecords(reader, session.signal);
  const lacked = groupBy(findLackedRecords(records, manifest), ({ kind }) => kind);
  const seed = Object.fromEntries(
    [...lacked].map(([kind, lackedOfKind]) => [kind, lackedOfKind.map(({ id }) => stubOf(kind, id, manifest))]),
  );
  await using sandbox = await startSandbox({ variant: manifest.source.variant, seed });
  const map = Object.fromEntries(
    [...lacked].map(([kind, lackedOfKind]) => [kind, Object.fromEntries(lackedOfKind.map(({ id }) => [id, id]))]),
  );
  const { outcomes, warnings } = await importAll(reader, map, inventedSecrets(records), sandbox, session);
  const problems = outcomes.filter(leavesRunIncomplete);
  const differences = [...records.flatMap((record) => substituteWarnings(record, manifest)), ...warnings];
  const standIns = [...lacked.values()].flat();
  const unread = unreadKinds(manifest);
  const ok = problems.length === 0 && unread.length === 0;
  return { ok, counts: countOutcomes(outcomes), problems, differences, standIns, unread };
}

/** A restore cannot bring back unread records, so the test fails. */
function unreadKinds({ kinds }: Manifest): UnreadKind[] {
  return Object.entries(kinds).flatMap(([kind, { status, code, error = "" }]) =>
    status === "failed" ? [{ kind, message: error, ...(code !== undefined && { code }) }] : [],
  );
}

/** Warns of tiles for which the API returned another tile, which a restore then writes (docs/api.md#hidden-tiles). */
function substituteWarnings(record: StackRecord, { source: { variant } }: Manifest): Warning[] {
  return substitutesIn(record, variant).map((name) => {
    const message = `the API returned another tile in place of "${name}" of the ${nounOf(record.kind)} "${record.name}"; that other tile is restored`;
    return { code: "substitute-tiles", message };
  });
}

/** No backup has write-only values, so their answers are null. */
function inventedSecrets(records: readonly StackRecord[]): SecretAnswers {
  const lines = records.map((record) => {
    const { body } = record;
    const kind = knownKind(record.kind);
    const secrets = findPlaceholders(body).map(({ pointer, tokens, rules }) => {
      const answer = {
        context: placeContext(kind, body, tokens),
        value: rules.map((rule) => (rule === "credential-number" ? "0" : "restore-test")),
      };
      return [pointer, [answer]] as const;
    });
    const writeOnly = writeOnlyMembersOf([record]).flatMap(({ members }) => members);
    const none = writeOnly.map((member) => [`/${member}`, [{ value: null }]] as const);
    return [recordKey(record.kind, record.id), Object.fromEntries([...secrets, ...none])] as const;
  });
  return Object.fromEntries(lines.filter(([, places]) => Object.keys(places).length > 0));
}

/** If the backup has every record of a kind, a reference to another record is dangling, and gets no stub. */
function findLackedRecords(records: readonly StackRecord[], manifest: Manifest): LackedRecord[] {
  const held = new Set(records.map(({ kind, id }) => recordKey(kind, id)));
  const lacked = new Map<RecordKey, LackedRecord>();
  for (const user of records) {
    const ofUser = findKind(user.kind);
    for (const { space, id } of ofUser === undefined ? [] : findReferences(ofUser, user.body, new Map())) {
      const key = recordKey(space, id);
      if (findKind(space) === undefined || hasEveryRecord(manifest.kinds[space]) || held.has(key)) continue;
      if (lacked.has(key)) continue;
      const message = `a stand-in for the ${nounOf(space)} ${id}, which ${nameOfRecord(user)} needs and the backup lacks`;
      lacked.set(key, { kind: space, id, message });
    }
  }
  return [...lacked.values()];
}

/** Nothing checks the source of a saved search, so `sourceId` is its own id. */
function stubOf(kind: KindName, id: string, { createdAt }: Manifest): JsonObject {
  const kindMembers: Readonly<Record<string, string>> =
    kind === "webhooks" ? { service: "generic" } : kind === "saved-searches" ? { sourceId: id } : {};
  return { id, name: `restore-test ${id}`, ...kindMembers, createdAt, updatedAt: createdAt };
}

/** `not-stored` is left out, because a plan has this warning only for updates, and a restore test creates. */
const DIFFERENCE_CODES: ReadonlySet<string> = new Set(["left-out", "fitted", "silenced", "hidden-members"]);

async function importAll(
  reader: ArchiveReader,
  map: ManualMapping,
  secrets: SecretAnswers,
  sandbox: Sandbox,
  { signal }: Session,
): Promise<Pick<AppliedImport, "outcomes" | "warnings">> {
  const context = { events: ignoreEvents, signal };
  const settings = normaliseStack(
    { ...sandboxStackOptions(sandbox), concurrency: 8, consistencyWaitMs: 1000 },
    "the sandbox",
  );
  await using client = openStack(settings, context);
  const job = await normaliseImport(
    // A real restore can use `--fit-limits`, too. A record that needs the flag is reported as different.
    { create: ["all"], map, secrets, fitLimits: true },
    [],
  );
  const run = await prepareImport({ ...job, journal: memoryJournals(), reader, client, settings }, context);
  const plan = await run.plan();
  const { outcomes, warnings, stopped } = await run.apply(plan);
  if (stopped !== undefined) throw stopped;
  const planWarnings = plan.warnings.filter(({ code }) => DIFFERENCE_CODES.has(code));
  return { outcomes, warnings: [...plan.items.flatMap(fittedParts), ...planWarnings, ...warnings] };
}

function fittedParts({ kind, name, fitted = [] }: PlanItem): Warning[] {
  return fitted.map(({ pointer, change }) => {
    const message = `the API refuses the ${nounOf(kind)} "${name}" in the form that the API itself returned; --fit-limits restores it with ${change}`;
    return { code: "fitted", message, pointer };
  });
}
