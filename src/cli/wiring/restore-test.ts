import type { BackupDependencies } from "../../backup/dependencies.ts";
import { systemClock } from "../../client/clock.ts";
import { createStackClient } from "../../client/stack-client.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import { isIncomplete } from "../../core/outcome.ts";
import type { StackRecord } from "../../core/record.ts";
import { recordKey } from "../../core/record.ts";
import { applyPlan } from "../../import/apply/apply-plan.ts";
import { planInSteps } from "../../import/plan/plan-import.ts";
import { readRecords } from "../../import/read/archive-records.ts";
import { memoryJournal } from "../../journal/memory-journal.ts";
import { findKind, kinds } from "../../kinds/registry.ts";
import { readInventory } from "../../matching/inventory.ts";
import { patiently } from "../../library/steps/patiently.ts";
import { fillPlaceholders, findPlaceholders } from "../../redaction/placeholders.ts";
import { findReferences } from "../../references/references.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import { startSandbox } from "../../sandbox/start-sandbox.ts";
import { countOutcomes } from "../output/document.ts";
import type { Session } from "../program/session.ts";

/** What restoring a backup onto a sandbox came to. */
export interface RestoreTest {
  readonly stack: string;
  readonly archive: string;
  readonly ok: boolean;
  /** Outcomes by action; those that failed count as `failed`. */
  readonly counts: Readonly<Record<string, number>>;
  /** Those that could not be restored. */
  readonly problems: readonly Outcome[];
}

/** Things that records point to and an import never writes: the sandbox is given them, under their own ids. */
const GIVEN = ["webhooks", "connections", "saved-searches"] as const;

/**
 * Restores a backup onto a fresh sandbox of its own variant in this process, with the archive's sources and webhooks (and
 * empty records for what it does not hold), as a restore onto the very stack would find them.
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
  const records = (await readRecords(reader, session.signal)).map(withInventedSecrets);
  const given = givenRecords(records);
  const seed = {
    connections: given.get("connections") ?? [],
    "saved-searches": given.get("saved-searches") ?? [],
    webhooks: given.get("webhooks") ?? [],
    sources: bodiesOf("sources", records),
  };
  await using sandbox = await startSandbox({ variant: reader.manifest.source.variant, seed });
  const outcomes = await importAll(records, given, sandbox, session);
  const problems = outcomes.filter(isIncomplete);
  return { stack, archive, ok: problems.length === 0, counts: countOutcomes(outcomes), problems };
}

/** Redacted secrets are filled with invented values: a real restore supplies them with `--fill`. */
function withInventedSecrets(record: StackRecord): StackRecord {
  const placeholders = findPlaceholders(record.body);
  if (placeholders.length === 0) return record;
  const values = placeholders.map(({ pointer, rules }) => [pointer, rules.map(inventedSecret)] as const);
  return { ...record, body: fillPlaceholders(record.body, Object.fromEntries(values)).body };
}

/** A number where a number was; a word fits everywhere else. */
function inventedSecret(rule: string): string {
  return rule === "credential-number" ? "0" : "restore-test";
}

function bodiesOf(kind: string, records: readonly StackRecord[]): JsonObject[] {
  return records.filter((record) => record.kind === kind).map(({ body }) => body);
}

function givenRecords(records: readonly StackRecord[]): Map<(typeof GIVEN)[number], JsonObject[]> {
  const wanted = records.flatMap(({ kind: name, body }) => {
    const kind = findKind(name);
    return kind === undefined ? [] : findReferences(kind, body, new Map());
  });
  return new Map(
    GIVEN.map((space) => {
      const held = bodiesOf(space, records);
      const known = new Set(held.map(({ id }) => id));
      const missing = new Set(wanted.filter((to) => to.space === space && !known.has(to.id)).map(({ id }) => id));
      return [space, [...held, ...[...missing].map((id) => ({ id, name: `restore-test ${id}`, service: "generic" }))]];
    }),
  );
}

async function importAll(
  records: readonly StackRecord[],
  given: ReadonlyMap<string, readonly JsonObject[]>,
  sandbox: Sandbox,
  { signal }: Session,
): Promise<readonly Outcome[]> {
  await using client = createStackClient(accessTo(sandbox));
  const context = { events: () => {}, signal };
  const mapping = Object.fromEntries([...given].map(([space, bodies]) => [space, sameIds(bodies)]));
  const labels = { tags: [] };
  const options = {
    onConflict: "skip",
    kinds: [],
    create: [],
    filter: { include: [], exclude: [] },
    defaults: {},
    labels,
  } as const;
  const inventory = await readInventory(client, kinds, context);
  const plan = await patiently(
    planInSteps({ records, source: client.identity, inventory, options: { ...options, mapping } }),
    context.signal,
  );
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const read = async (key: Parameters<typeof byKey.get>[0]): Promise<StackRecord> => {
    const record = byKey.get(key);
    if (record === undefined) throw new Error(`${key} is not in the archive`);
    return record;
  };
  const pace = { onError: "continue", concurrency: 8, clock: systemClock, listLagMs: 1000, verify: true } as const;
  const result = await applyPlan({ plan, read, client, labels, journal: memoryJournal(), ...pace }, context);
  if (result.stopped !== undefined) throw result.stopped;
  return result.outcomes;
}

function sameIds(bodies: readonly JsonObject[]): Record<string, string> {
  return Object.fromEntries(bodies.flatMap(({ id }) => (typeof id === "string" ? [[id, id]] : [])));
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
