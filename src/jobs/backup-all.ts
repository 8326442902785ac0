import pLimit from "p-limit";
import { StackferryError } from "../domain/errors.ts";
import { backupStack } from "./backup-stack.ts";
import type { BackupInput, BackupResult } from "./backup-stack.ts";
import type { BackupTools } from "./backup-tools.ts";
import type { JobContext } from "./job-context.ts";

/** How one stack of a run fared. */
export type BackupEnd = BackupResult | BackupFailure;

/** A stack whose backup did not come about; what was there before is untouched. */
export interface BackupFailure {
  readonly stack: string;
  readonly result: "failed";
  readonly error: StackferryError;
}

/** Backs several stacks up, some at a time, in any order. One that fails does not stop the others. */
export async function backupAll(
  inputs: readonly BackupInput[],
  tools: BackupTools,
  parallel: number,
  context: JobContext,
): Promise<BackupEnd[]> {
  const limit = pLimit(parallel);
  return Promise.all(inputs.map((input) => limit(() => backupOne(input, tools, context))));
}

async function backupOne(input: BackupInput, tools: BackupTools, context: JobContext): Promise<BackupEnd> {
  const { stack } = input;
  try {
    context.signal?.throwIfAborted();
    return await backupStack(input, tools, context);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    return { stack, result: "failed", error };
  }
}
