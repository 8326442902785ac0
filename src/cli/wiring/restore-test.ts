import type { BackupDependencies } from "../../backup/dependencies.ts";
import { systemClock } from "../../client/clock.ts";
import { createStackClient } from "../../client/stack-client.ts";
import { groupBy } from "../../core/collections.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { PlanItem } from "../../core/plan/plan.ts";
import { hasEveryRecord } from "../../core/manifest.ts";
import type { Outcome, Warning } from "../../core/outcome.ts";
import { isIncomplete } from "../../core/outcome.ts";
import type { KindName, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { ImportResult } from "../../import/apply/apply-plan.ts";
import { applyPlan } from "../../import/apply/apply-plan.ts";
import type { SuppliedSecrets } from "../../import/plan/decide/blockers.ts";
import { NO_SECRETS } from "../../import/plan/decide/blockers.ts";
import { planRecords } from "../../import/plan/plan-import.ts";
import { readRecords } from "../../import/read/archive-records.ts";
import { memoryJournal } from "../../journal/memory-journal.ts";
import { neededMembersOf } from "../../kinds/members/needed.ts";
import { findKind, kinds, lookedUpKinds } from "../../kinds/registry.ts";
import { wholeKinds } from "../../library/steps/mirror.ts";
import { readInventory } from "../../matching/inventory.ts";
import { fillPlaceholders, findPlaceholders } from "../../redaction/placeholders.ts";
import { findReferences } from "../../references/references.ts";
import { substitutesIn } from "../../references/substitutes.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import { startSandbox } from "../../sandbox/start-sandbox.ts";
import { countOutcomes } from "../../core/outcome.ts";
import type { Session } from "../program/session.ts";

/** The result of restoring a backup onto a sandbox. */
export interface RestoreTest {
  readonly stack: string;
  readonly archive: string;
  readonly ok: boolean;
  /** Outcomes by action; failed ones count as `failed`. */
  readonly counts: Readonly<Record<string, number>>;
  /** Records that could not be restored. */
  readonly problems: readonly Outcome[];
  /** Differences between the restored records and those of the stack: members that the API does not return or does not keep. */
  readonly differences: readonly Warning[];
}

/** Records that the backup references but that the stack could not list; the sandbox is seeded with stubs under their own ids. */
type GivenRecords = ReadonlyMap<KindName, readonly StandIn[]>;

interface StandIn {
  readonly id: string;
  readonly [member: string]: string;
}

/**
 * Restores a backup onto an empty sandbox of the same variant in this process, and creates every kind that this variant allows.
 * Records that the backup references but could not list (such as a managed stack's connections) exist there as stubs under their
 * own ids.
 */
export async function restoreTest(
  stack: string,
  archive: string,
  dependencies: BackupDependencies,
  session: Session,
): Promise<RestoreTest> {
  await using scratch = await dependencies.files.scratch();
  const path = scratch.file(archive.endsWith(".age") ? ".zip.age" : ".zip");
  const { repository, checksSignature } = dependencies;
  await repository.fetch(archive, path, session.signal);
  if (checksSignature) await repository.fetch(`${archive}.sig`, `${path}.sig`, session.signal);
  await using reader = await dependencies.openArchive(path);
  const { manifest } = reader;
  const records = (await readRecords(reader, session.signal)).map(withInventedSecrets);
  const given = givenRecords(records, manifest);
  await using sandbox = await startSandbox({ variant: manifest.source.variant, seed: Object.fromEntries(given) });
  const { outcomes, warnings } = await importAll(records, given, sandbox, manifest, session);
  const problems = outcomes.filter(isIncomplete);
  const differences = [...records.flatMap((record) => shownInPart(record, manifest)), ...warnings];
  return { stack, archive, ok: problems.length === 0, counts: countOutcomes(outcomes), problems, differences };
}

/**
 * A tile that the API returned as another one is restored as that one, because no backup holds the original
 * (docs/api.md#hidden-tiles).
 */
function shownInPart(record: StackRecord, { source: { variant } }: Manifest): Warning[] {
  const noun = findKind(record.kind)?.singular ?? record.kind;
  return substitutesIn(record, variant).map(({ name }) => {
    const message = `the API has shown another tile in place of "${name}" of the ${noun} "${record.name}", so that one is restored`;
    return { code: "shown-in-part", message };
  });
}

/** Fills redacted secrets with invented values; a real restore takes them from `--secrets`. */
function withInventedSecrets(record: StackRecord): StackRecord {
  const values = findPlaceholders(record.body).map((place) => [place, place.rules.map(inventedSecret)] as const);
  return { ...record, body: fillPlaceholders(record.body, new Map(values)) };
}

/** An invented secret: 0 for a number, a word for everything else. */
function inventedSecret(rule: string): string {
  return rule === "credential-number" ? "0" : "restore-test";
}

/**
 * Finds the referenced records that need a stub. If a kind's list is complete, a reference to any other record of it is dangling,
 * which is a problem of the backup and gets no stub.
 */
function givenRecords(records: readonly StackRecord[], manifest: Manifest): GivenRecords {
  const held = new Set(records.map(({ kind, id }) => recordKey(kind, id)));
  const wanted = records.flatMap(({ kind: name, body }) => {
    const kind = findKind(name);
    return kind === undefined ? [] : findReferences(kind, body, new Map());
  });
  const missing = wanted.filter(
    ({ space, id }) =>
      findKind(space) !== undefined && !hasEveryRecord(manifest.kinds[space]) && !held.has(recordKey(space, id)),
  );
  const bySpace = groupBy(missing, ({ space }) => space);
  return new Map(
    [...bySpace].map(([space, references]) => {
      const ids = [...new Set(references.map(({ id }) => id))];
      return [space, ids.map((id) => standIn(space, id, manifest))];
    }),
  );
}

/**
 * A stub record with a known id and nothing else, in the form that a stack would return. Nothing checks the source of a saved
 * search.
 */
function standIn(kind: KindName, id: string, { createdAt }: Manifest): StandIn {
  const own: Readonly<Record<string, string>> =
    kind === "webhooks" ? { service: "generic" } : kind === "saved-searches" ? { sourceId: id } : {};
  return { id, name: `restore-test ${id}`, ...own, createdAt, updatedAt: createdAt };
}

/** Answers "there was none" for every write-only field, because no backup contains one. */
function withoutNeeds(records: readonly StackRecord[]): SuppliedSecrets {
  const filled = records.flatMap((record) => {
    const supplied = neededMembersOf([record]).flatMap(({ members }) => members.map((member) => `/${member}`));
    const key = recordKey(record.kind, record.id);
    return supplied.length === 0
      ? []
      : [[key, { archived: record, supplied: new Set(supplied), refused: new Set<string>() }] as const];
  });
  return { ...NO_SECRETS, filled: new Map(filled) };
}

/** Warning codes of a plan that report a difference between the restored record and that of its stack. */
const TOLD_BY_PLAN: ReadonlySet<string> = new Set(["left-out", "language-assumed", "silenced", "merged"]);

async function importAll(
  records: readonly StackRecord[],
  given: GivenRecords,
  sandbox: Sandbox,
  manifest: Manifest,
  { signal }: Session,
): Promise<Pick<ImportResult, "outcomes" | "warnings">> {
  await using client = createStackClient(accessTo(sandbox));
  const context = { events: () => {}, signal };
  const mapping = Object.fromEntries(
    [...given].map(([space, bodies]) => [space, Object.fromEntries(bodies.map(({ id }) => [id, id]))]),
  );
  const labels = { tags: [] };
  const options = {
    onConflict: "skip",
    kinds: [],
    create: lookedUpKinds.map(({ name }) => name),
    filter: { include: [], exclude: [] },
    defaults: {},
    labels,
    // A real restore can use `--fit-limits` too; records that need it are restored, and reported as different.
    fitLimits: true,
    now: systemClock.now(),
  } as const;
  const inventory = await readInventory(client, kinds, context);
  const suppliedSecrets = withoutNeeds(records);
  const plan = await planRecords(
    {
      records,
      source: manifest.source,
      whole: wholeKinds(manifest),
      inventory,
      options: { ...options, mapping },
      suppliedSecrets,
    },
    context.signal,
  );
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const read = async (key: Parameters<typeof byKey.get>[0]): Promise<StackRecord> => {
    const record = byKey.get(key);
    if (record === undefined) throw new Error(`${key} is not in the archive`);
    return record;
  };
  const pace = {
    onError: "continue",
    concurrency: 8,
    clock: systemClock,
    consistencyWaitMs: 1000,
    verify: true,
  } as const;
  const result = await applyPlan(
    { plan, read, client, labels, fitLimits: true, journal: memoryJournal(), ...pace },
    context,
  );
  if (result.stopped !== undefined) throw result.stopped;
  const told = plan.warnings.filter(({ code }) => TOLD_BY_PLAN.has(code));
  return { ...result, warnings: [...plan.items.flatMap(fittedParts), ...told, ...result.warnings] };
}

function fittedParts({ kind, name, fitted = [] }: PlanItem): Warning[] {
  const noun = findKind(kind)?.singular ?? kind;
  return fitted.map(({ pointer, change }) => {
    const message = `the API refuses its own form of the ${noun} "${name}"; --fit-limits restores it with ${change}`;
    return { code: "fitted", message, pointer };
  });
}

function accessTo({
  variant,
  url,
  organizationId = "",
  serviceId = "",
  keyId = "",
  keySecret = "",
  apiKey = "",
}: Sandbox) {
  return variant === "managed"
    ? { identity: { variant, baseUrl: url, organizationId, serviceId }, credential: { keyId, keySecret } }
    : { identity: { variant, baseUrl: url }, credential: { apiKey } };
}
