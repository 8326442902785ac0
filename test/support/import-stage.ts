import { exitCodeOfError } from "../../src/cli/program/exit-codes.ts";
import type { RunEvent } from "../../src/core/events.ts";
import { leavesRunIncomplete, type Outcome } from "../../src/core/outcome.ts";
import type { Bases } from "../../src/core/plan/base.ts";
import type { Plan } from "../../src/core/plan/plan.ts";
import type { SecretAnswers } from "../../src/core/secrets.ts";
import type { ArchiveReader, Clock } from "../../src/core/ports.ts";
import { recordKey, type StackIdentity, type StackRecord } from "../../src/core/records/record.ts";
import type { IsListedRedaction } from "../../src/import/read/fill-records.ts";
import type { MirrorOptions } from "../../src/import/remove/mirror.ts";
import { memoryJournal, type Journal, type JournalEntry } from "../../src/core/plan/journal.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { prepareImport, type AppliedImport } from "../../src/library/import.ts";
import { foldJournal } from "../../src/journal/fold.ts";
import type { FindJournal, ImportJournal, ReadJournal } from "../../src/library/steps/journal-place.ts";
import type { ImportJob } from "../../src/library/steps/prepare-import.ts";
import type { PlanOptions } from "../../src/matching/plan-options.ts";
import { findPlaceholders } from "../../src/redaction/placeholders.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { sampleHeader } from "./archive-samples.ts";
import { draftedFor, type Values } from "./drafted-secrets.ts";
import { instantClock } from "./instant-clock.ts";
import type { MemoryStack } from "./memory-stack.ts";

export type { JsonObject } from "../../src/core/json.ts";
export type { JournalEntry } from "../../src/core/plan/journal.ts";
export type { Outcome } from "../../src/core/outcome.ts";
export type { Plan } from "../../src/core/plan/plan.ts";
export type { StackRecord } from "../../src/core/records/record.ts";

/** Options of a run, besides those of the plan. */
export interface RunOptions
  extends Partial<PlanOptions>, Partial<Pick<ImportJob, "dryRun" | "transforms" | "credentials">> {
  readonly concurrency?: number;
  /** The stack that the archive was exported from; by default the target itself. */
  readonly source?: StackIdentity;
  readonly signal?: AbortSignal;
  readonly secrets?: SecretAnswers;
  /** Tells whether the manifest lists a redaction; by default it lists each. */
  readonly isListed?: IsListedRedaction;
  /** Kinds of which the archive has every record of its stack; with `mirror`, by default all kinds. */
  readonly whole?: ReadonlySet<string>;
  /** Deletes records that the archive no longer has. */
  readonly mirror?: Partial<MirrorOptions>;
  /** When the archive was exported: ISO 8601, UTC. */
  readonly createdAt?: string;
  /** The journal of the run; by default that of the stage. */
  readonly journal?: Journal;
}

/** The options of a plain import. */
export const plainImport: PlanOptions = {
  onConflict: "keep",
  kinds: [],
  create: [],
  filter: { include: [], exclude: [] },
  mapping: {},
};

/** The result of a run. */
export interface StageRun extends AppliedImport {
  readonly plan: Plan;
  readonly exitCode: number;
  readonly events: readonly RunEvent[];
}

/** An import that can be run again and again. As with the command, its journal outlives each run, however the run ends. */
export interface ImportStage {
  /** The entries of the journal so far. */
  readonly history: JournalEntry[];
  /** What the journal knows after the last run. */
  readonly bases: Bases;
  readonly clock: Clock;
  run(archive: readonly StackRecord[], options?: RunOptions): Promise<StageRun>;
}

/** How long a run waits for lagging lists of the target, in milliseconds. */
export const CONSISTENCY_WAIT_MS = 1000;

/**
 * Makes a stage for imports onto one stack.
 * @param clock by default a clock whose time passes only in `sleep`
 */
export function importStage(stack: MemoryStack, clock: Clock = instantClock()): ImportStage {
  const stage: ImportStage = {
    history: [],
    get bases() {
      return foldJournal(stage.history).bases;
    },
    clock,
    async run(archive, options = {}) {
      const events: RunEvent[] = [];
      const { signal } = options;
      const job = { ...jobOf(stack, archive, options), clock, journal: journalOf(stage, options.journal) };
      const run = await prepareImport(job, { events: (event) => void events.push(event), signal });
      const plan = await run.plan();
      const result = await run.apply(plan);
      const { outcomes, stopped } = result;
      const ofEnd = outcomes.some(leavesRunIncomplete) ? 3 : 0;
      return { ...result, plan, events, exitCode: stopped ? exitCodeOfError(stopped) : ofEnd };
    },
  };
  return stage;
}

function jobOf(
  { client }: MemoryStack,
  archive: readonly StackRecord[],
  options: RunOptions,
): Omit<ImportJob, "clock" | "journal"> {
  const { source, secrets = {}, isListed = () => true, mirror, transforms, createdAt, concurrency = 4 } = options;
  const { dryRun = false, credentials = [], whole = new Set(mirror ? kinds.map(({ name }) => name) : []) } = options;
  const { identity } = client;
  return {
    reader: readerOf(archive, { source: source ?? identity, ...(createdAt && { createdAt }) }, whole, isListed),
    client,
    settings: { stackName: "the target", identity, concurrency, consistencyWaitMs: CONSISTENCY_WAIT_MS },
    options: { ...plainImport, ...options },
    secretAnswers: secrets,
    secretTexts: [],
    credentials,
    transforms,
    dryRun,
    redact: createRedactor(),
    mirror: mirror && { scope: "ours", maxDelete: { count: 1000 }, ...mirror },
  };
}

/** Makes a reader of an archive in memory. */
export function readerOf(
  records: readonly StackRecord[],
  header: { readonly source: StackIdentity; readonly createdAt?: string },
  whole: ReadonlySet<string>,
  isListed: IsListedRedaction,
): ArchiveReader {
  const entries = records.map(({ kind, id, name }, index) => {
    return { path: String(index), kind, id, name, bytes: 0, sha256: "" };
  });
  const redactions = records.flatMap(({ kind, id, body }, index) =>
    findPlaceholders(body).flatMap(({ pointer, rules }) =>
      rules
        .filter((rule) => isListed(recordKey(kind, id), pointer, rule))
        .map((rule) => ({ path: String(index), pointer, rule })),
    ),
  );
  const statuses = [...whole].map((name) => [name, { status: "complete", count: 0 }] as const);
  const manifest = { ...sampleHeader([]), ...header, kinds: Object.fromEntries(statuses), redactions, warnings: [] };
  const summary = { path: "archive.zip", formatVersion: 1, contentDigest: "", bytes: 0 };
  return {
    summary,
    manifest: { ...manifest, format: "stackferry-archive", formatVersion: 1, contentDigest: "", entries },
    async read({ path }) {
      const record = records[Number(path)];
      if (record === undefined) throw new Error(`no record ${path}`);
      return record;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function journalOf({ history }: ImportStage, given: Journal | undefined): FindJournal {
  const readOthers: ImportJournal["readOthers"] = async () => ({
    last: foldJournal([]),
    reverse: new Map(),
  });
  const others = { readOthers, readOtherTargets: async () => [] };
  const read = async (): Promise<ReadJournal> => {
    const entries = given?.entries ?? [...history];
    return { entries, history: foldJournal(entries) };
  };
  if (given !== undefined) return () => ({ ...others, read, open: async () => given });
  return () => ({
    ...others,
    read,
    open: async () => memoryJournal(history),
  });
}

/** Imports an archive once. @param journal the journal of this run, with the entries of earlier runs */
export function importInto(
  stack: MemoryStack,
  archive: readonly StackRecord[],
  options: RunOptions = {},
  journal: Journal = memoryJournal(),
): Promise<StageRun> {
  return importStage(stack).run(archive, { ...options, journal });
}

/** Plans this import, and writes nothing. */
export async function planInto(
  stack: MemoryStack,
  archive: readonly StackRecord[],
  options: RunOptions = {},
): Promise<Plan> {
  const job = { ...jobOf(stack, archive, options), clock: instantClock() };
  const run = await prepareImport({ ...job, journal: journalOf(importStage(stack), undefined) }, { events: () => {} });
  return run.plan();
}

/** Returns the archive, and answers for its placeholders. `values` is keyed by record (`dashboards/ID`) and JSON pointer. */
export function withSecrets(
  archive: readonly StackRecord[],
  values: Values,
): { readonly records: readonly StackRecord[]; readonly secrets: SecretAnswers } {
  return { records: archive, secrets: draftedFor(archive, values) };
}

/** Returns the writes that a stack has received, without their bodies. */
export function writesOn(stack: MemoryStack): string[] {
  return stack.requests.map(({ operation }) => operation).filter((name) => /^(?:create|update|delete)/.test(name));
}

/** Returns the writes of a run. Clears the stack's list of requests first. */
export async function writesDuring(stack: MemoryStack, run: () => Promise<unknown>): Promise<string[]> {
  stack.requests.length = 0;
  await run();
  return writesOn(stack);
}

/** Returns the warnings of a plan but `no-journal`, which a first run gives wherever a record differs. */
export function warningsBesidesJournal({ warnings }: Pick<Plan, "warnings">): Plan["warnings"] {
  return warnings.filter(({ code }) => code !== "no-journal");
}

/** Returns the messages of the warnings with this code. */
export function warningMessages({ warnings }: Pick<Plan, "warnings">, code: string): string[] {
  return warnings.flatMap((warning) => (warning.code === code ? [warning.message] : []));
}

/** Selects the records that match one of the patterns. */
export const including = (...include: string[]): PlanOptions["filter"] => ({ include, exclude: [] });
/** Selects the dashboards that match one of the patterns, without the alerts on them. */
export const dashboardsAlone = (...names: string[]): Pick<PlanOptions, "filter" | "kinds"> => ({
  filter: including(...names),
  kinds: ["dashboards"],
});
/** Selects the records that match none of the patterns. */
export const excluding = (...exclude: string[]): PlanOptions["filter"] => ({ include: [], exclude });

/** Returns the bodies that were sent to one operation. */
export function bodiesSentTo(stack: MemoryStack, operation: string): Readonly<Record<string, unknown>>[] {
  return stack.requests.flatMap((request) => (request.operation === operation ? [request.body ?? {}] : []));
}

/** Returns the outcome of the record with this name or archive id. */
export function outcomeOf({ outcomes }: Pick<StageRun, "outcomes">, nameOrId: string): Outcome | undefined {
  return outcomes.find(({ name, sourceId }) => name === nameOrId || sourceId === nameOrId);
}

/** Returns a line per outcome: name, action, status and code, if present, or the given members. */
export function outcomeLines<Item extends object>(
  items: readonly Item[],
  ...members: readonly (keyof Item)[]
): string[] {
  const named = members.length > 0 ? members : (["name", "action", "status", "code"] as (keyof Item)[]);
  return items.map((item) =>
    named
      .map((member) => item[member])
      .filter((value) => value !== undefined && value !== "")
      .join(" "),
  );
}

/** Returns the ids of a body's tiles, in their order. */
export function tileIds(body: Readonly<Record<string, unknown>> | undefined): unknown[] {
  const tiles = body?.["tiles"];
  return Array.isArray(tiles) ? tiles.map((tile: { id?: unknown }) => tile.id) : [];
}
