import { StackferryError } from "../../domain/errors.ts";
import type { RetentionPolicy } from "../../domain/retention.ts";
import type { BackupTools } from "../../jobs/backup-tools.ts";
import { pruneStack } from "../../jobs/prune-stack.ts";
import type { PruneVerdict } from "../../jobs/prune-stack.ts";
import { takeStackLock } from "../../jobs/stack-lock.ts";
import { storedArchives } from "../../jobs/stored-archives.ts";
import { backupTools } from "../backup-tools.ts";
import { canAsk, confirm } from "../confirm.ts";
import { openPlaceFor } from "../open-place.ts";
import { describeVerdict, pruneText } from "../render/prune-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";

/** `stackferry prune`, normalised. */
export interface PruneRequest {
  readonly place: string;
  /** Empty: every stack that has backups. */
  readonly stacks: readonly string[];
  readonly policy: RetentionPolicy;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Removes the backups that no rule keeps, and says of every one why it stays or that it goes. */
export async function runPrune(request: PruneRequest, session: Session): Promise<CommandResult> {
  const { policy, dryRun } = request;
  const { events, signal } = session;
  await using place = await openPlaceFor(request.place, session);
  const tools = backupTools(place, session);
  const stored = new Set((await storedArchives(place, undefined, signal)).map(({ stack }) => stack));
  const stacks = request.stacks.length === 0 ? [...stored] : request.stacks;
  const missing = stacks.find((stack) => !stored.has(stack));
  if (missing !== undefined) throw new StackferryError("usage", `${place.address} has no backup of ${missing}`);
  const ask = !dryRun && !request.yes && canAsk(session);
  if (ask) await showAndAsk(stacks, policy, tools, session);
  const verdicts: PruneVerdict[] = [];
  for (const stack of stacks) {
    events({ type: "phase", phase: `pruning ${stack}` });
    if (dryRun) verdicts.push(...(await pruneStack({ stack, policy, lock: "dry-run" }, tools, { events, signal })));
    else verdicts.push(...(await pruneLocked(stack, policy, tools, session)));
  }
  return {
    exitCode: 0,
    text: (view) => pruneText(verdicts, dryRun, view),
    extra: { place: place.address, dryRun, archives: verdicts.map(describeVerdict) },
  };
}

async function pruneLocked(
  stack: string,
  policy: RetentionPolicy,
  tools: BackupTools,
  { events, signal }: Session,
): Promise<PruneVerdict[]> {
  await using lock = await takeStackLock(stack, tools, { events, signal });
  return await pruneStack({ stack, policy, lock }, tools, { events, signal });
}

async function showAndAsk(
  stacks: readonly string[],
  policy: RetentionPolicy,
  tools: BackupTools,
  session: Session,
): Promise<void> {
  const { events, signal } = session;
  const planned: PruneVerdict[] = [];
  for (const stack of stacks) {
    planned.push(...(await pruneStack({ stack, policy, lock: "dry-run" }, tools, { events, signal })));
  }
  if (planned.every(({ action }) => action === "keep")) return;
  session.say(pruneText(planned, true, session.err));
  await confirm(`Remove these from ${tools.place.address}?`, session);
}
