import { createHash } from "node:crypto";
import pLimit from "p-limit";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { forStack } from "../core/events.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { newestGood } from "./examine.ts";
import type { StackLock } from "./lock.ts";
import { takeStackLock } from "./lock.ts";
import type { StoredArchive } from "./names.ts";
import { storedArchives, storedName } from "./names.ts";
import type { PruneVerdict } from "./prune.ts";
import { pruneStack } from "./prune.ts";
import type { RetentionPolicy } from "./retention.ts";
import { readStatus, writeStatus } from "./status.ts";
import { verifyRecords } from "./verify-archive.ts";

/** Exports a stack to a file of this machine. */
export type Exporter = (path: string, context: RunContext) => Promise<{ readonly contentDigest: string }>;

export interface BackupInput {
  /** The folder's name in the repository. */
  readonly stack: string;
  readonly exportTo: Exporter;
  /** The archive is encrypted by the exporter. */
  readonly encrypted: boolean;
  /** The exporter writes a signature beside it, `<path>.sig`. */
  readonly signed: boolean;
  /** Store nothing where the newest good archive has the same content. */
  readonly ifChanged: boolean;
  readonly policy?: RetentionPolicy | undefined;
}

export interface BackupResult {
  readonly stack: string;
  readonly result: "stored" | "unchanged";
  /** The newest archive now. */
  readonly archive: string;
  readonly contentDigest: string;
  /** Stored by this run: 0 where nothing has changed. */
  readonly bytes: number;
  readonly pruned: readonly PruneVerdict[];
}

/** Backs one stack up: lock, export, verify, compare, store, prune. Older archives stay until the new one is stored. */
export async function backupStack(
  input: BackupInput,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<BackupResult> {
  const { stack, policy } = input;
  const { repository, files } = dependencies;
  await using lock = await takeStackLock(stack, dependencies, context);
  context.events({ type: "phase", phase: `backing up ${stack}` });
  await repository.sweep(`${stack}/`);
  await using scratch = await files.scratch();
  const path = scratch.file(input.encrypted ? ".zip.age" : ".zip");
  const { contentDigest } = await input.exportTo(path, context);
  await verifyExported(path, input, dependencies, context);
  const same = input.ifChanged ? await unchanged(contentDigest, input, dependencies, context) : undefined;
  lock.assertHeld();
  const stored = same === undefined ? await store(path, contentDigest, input, lock, dependencies, context) : undefined;
  const archive = stored?.name ?? same ?? "";
  const pruning = { stack, policy: policy ?? {}, lock, knownGood: archive };
  const pruned = policy === undefined ? [] : await pruneStack(pruning, dependencies, context);
  const result = stored === undefined ? "unchanged" : "stored";
  return { stack, result, archive, contentDigest, bytes: stored?.bytes ?? 0, pruned };
}

/** Reads the archive before it is stored: it must be restorable. An encrypted one can only be read by its recipient. */
async function verifyExported(
  path: string,
  { encrypted }: BackupInput,
  dependencies: BackupDependencies,
  context: RunContext,
) {
  if (encrypted) return;
  await using reader = await dependencies.openArchive(path);
  const signal = context.signal === undefined ? {} : { signal: context.signal };
  const [problem] = (await verifyRecords(reader, { events: () => {}, ...signal })).problems;
  if (problem === undefined) return;
  throw new StackferryError("protocol", `${problem.path} could not be restored: ${problem.message}`, {
    hint: "nothing was stored; `stackferry export` writes the archive to look at",
  });
}

/** The name of the newest archive, if it is good and has the same content. Its status then gets a new `checkedAt`. */
async function unchanged(
  contentDigest: string,
  { stack, encrypted }: BackupInput,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<string | undefined> {
  const { repository, clock } = dependencies;
  const [newest] = await storedArchives(repository, stack, context.signal);
  if (newest === undefined || newest.encrypted !== encrypted) return undefined;
  const status = await readStatus(stack, repository);
  const good = await newestGood([newest], status, dependencies, context);
  if (good?.contentDigest !== contentDigest) return undefined;
  const known = status?.archive === newest.name ? status : undefined;
  const digest = known ?? (await digestOf(newest, dependencies, context));
  const storedAt = new Date(newest.at).toISOString();
  const checkedAt = new Date(clock.now()).toISOString();
  const { bytes, sha256 } = digest;
  await writeStatus(stack, { archive: newest.name, contentDigest, bytes, sha256, storedAt, checkedAt }, repository);
  return newest.name;
}

async function digestOf(
  archive: StoredArchive,
  { repository, files }: BackupDependencies,
  { signal }: RunContext,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  await using scratch = await files.scratch();
  const path = scratch.file(".zip");
  await repository.fetch(archive.name, path, signal);
  return await files.digest(path);
}

async function store(
  path: string,
  contentDigest: string,
  { stack, encrypted, signed }: BackupInput,
  lock: StackLock,
  { repository, clock, files }: BackupDependencies,
  { signal }: RunContext,
): Promise<{ readonly name: string; readonly bytes: number }> {
  const { bytes, sha256 } = await files.digest(path);
  const [newest] = await storedArchives(repository, stack, signal);
  const now = clock.now();
  // Never over an archive that is there, and never older than it by its name, even when the clock was set back.
  const at = Math.max(now, (newest?.at ?? 0) + 1000);
  const name = storedName(stack, at, encrypted);
  lock.assertHeld();
  // The signature first: an archive is never seen without it, and alone it is nothing.
  if (signed) await repository.put(`${path}.sig`, `${name}.sig`, signal);
  try {
    await repository.put(path, name, signal);
  } catch (error) {
    if (signed) await repository.remove(`${name}.sig`).catch(() => {});
    throw error;
  }
  const checkedAt = new Date(now).toISOString();
  await writeStatus(stack, { archive: name, contentDigest, bytes, sha256, storedAt: checkedAt, checkedAt }, repository);
  return { name, bytes };
}

export type BackupEnd = BackupResult | BackupFailure;

/** A failed backup of a stack. Its older archives are untouched. */
export interface BackupFailure {
  readonly stack: string;
  readonly result: "failed";
  readonly error: StackferryError;
}

/** Backs several stacks up, `parallel` at a time. A failure does not stop the others. */
export async function backupAll(
  inputs: readonly BackupInput[],
  dependencies: BackupDependencies,
  parallel: number,
  context: RunContext,
): Promise<BackupEnd[]> {
  const limit = pLimit(parallel);
  const several = inputs.length > 1;
  const backup = async (input: BackupInput): Promise<BackupEnd> => {
    const own = several ? forStack(context, input.stack) : context;
    const end = await backupOne(input, dependencies, own);
    if (several) own.events({ type: "phase", phase: end.result });
    return end;
  };
  return Promise.all(inputs.map((input) => limit(() => backup(input))));
}

async function backupOne(
  input: BackupInput,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<BackupEnd> {
  const { stack } = input;
  try {
    context.signal?.throwIfAborted();
    return await backupStack(input, dependencies, context);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { stack, result: "failed", error };
  }
}

/**
 * Which of `count` shards a stack belongs to, from 0: the first four bytes of the SHA-256 of its name, modulo the count. The
 * same on every machine, whatever other stacks there are.
 */
export function shardOf(stack: string, count: number): number {
  return createHash("sha256").update(stack, "utf8").digest().readUInt32BE(0) % count;
}
