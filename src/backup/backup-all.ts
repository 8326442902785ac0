import { createHash } from "node:crypto";
import pLimit from "p-limit";
import { StackferryError } from "../core/errors.ts";
import { contextForStack } from "../core/events.ts";
import { backupStack, type BackupInput, type BackupResult } from "./backup.ts";
import type { BackupContext } from "./backup-context.ts";
import { lastGoodOf, readHistory, summariseBackups, type BackupSummary } from "./history.ts";

export type BackupEnd = BackupResult | BackupFailure;

export interface BackupFailure {
  readonly stack: string;
  readonly result: "failed";
  readonly error: StackferryError;
  readonly summary?: BackupSummary;
}

/** The failure of one backup does not stop the others. */
export async function backupAll(
  inputs: readonly BackupInput[],
  parallel: number,
  context: BackupContext,
): Promise<BackupEnd[]> {
  const limit = pLimit(parallel);
  const several = inputs.length > 1;
  const backup = async (input: BackupInput): Promise<BackupEnd> => {
    const stackContext = several ? contextForStack(context, input.stack) : context;
    const end = await backupOne(input, stackContext);
    if (several) stackContext.events({ type: "phase", phase: end.result });
    return end;
  };
  return Promise.all(inputs.map((input) => limit(() => backup(input))));
}

async function backupOne(input: BackupInput, context: BackupContext): Promise<BackupEnd> {
  const { stack } = input;
  try {
    context.signal?.throwIfAborted();
    return await backupStack(input, context);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return await failedBackupResult(stack, error, context);
  }
}

/** Includes a summary of the older backups, which monitoring needs. */
export async function failedBackupResult(
  stack: string,
  error: StackferryError,
  context: BackupContext,
): Promise<BackupFailure> {
  const state = await readHistory(stack, context).then(
    ({ archives }) => summariseBackups(archives, context.clock.now(), lastGoodOf(archives)),
    () => undefined,
  );
  return { stack, result: "failed", error, summary: state };
}

/** Depends only on the name, so that a stack has the same shard on every machine. */
export function shardForStack(stack: string, count: number): number {
  return createHash("sha256").update(stack, "utf8").digest().readUInt32BE(0) % count;
}
