import { groupBy } from "../core/collections.ts";
import type { RunContext } from "../core/events.ts";
import type { BackupDependencies } from "./dependencies.ts";
import type { Examined } from "./examine.ts";
import { examineStored, newestGood } from "./examine.ts";
import type { StoredArchive } from "./names.ts";
import { storedArchives } from "./names.ts";
import type { BackupStatus } from "./status.ts";
import { readStatus } from "./status.ts";

/** Which archives of a repository to check. */
export interface CheckInput {
  /** Stacks to check; empty: every stack that has backups. */
  readonly stacks: readonly string[];
  /** The newest archive of each stack is always read. This is the share of the others, 0 to 100. */
  readonly percent: number;
  /** From 0 to below 1. It draws the share, so that in time every archive is read. */
  readonly random: () => number;
  /** The newest good backup of a stack may be this old, in milliseconds. */
  readonly maxAgeMs?: number | undefined;
}

/** A damaged archive. */
export interface CheckProblem {
  readonly archive: string;
  readonly problem: string;
}

/** What checking the backups of one stack found. */
export interface StackCheck {
  readonly stack: string;
  readonly archives: number;
  /** Archives that were read. */
  readonly checked: number;
  readonly damaged: readonly CheckProblem[];
  /** Encrypted archives that could not be checked: no key opens them, and no checksum is known. */
  readonly encrypted: number;
  /** Name of the newest good archive. */
  readonly newestGood?: string;
  /** Milliseconds since the stack was last known to equal the newest good archive. */
  readonly ageMs?: number;
  /** There is no good archive, or it is older than `maxAgeMs`. */
  readonly tooOld: boolean;
}

/** Reads archives of a repository and judges the age of the newest good one of each stack. Writes nothing, takes no lock. */
export async function checkRepository(
  input: CheckInput,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<StackCheck[]> {
  const found = groupBy(await storedArchives(dependencies.repository, undefined, context.signal), ({ stack }) => stack);
  const stacks = input.stacks.length === 0 ? [...found.keys()] : input.stacks;
  const checks: StackCheck[] = [];
  for (const stack of stacks) {
    context.signal?.throwIfAborted();
    context.events({ type: "phase", phase: `checking ${stack}` });
    checks.push(await checkStack(stack, found.get(stack) ?? [], input, dependencies, context));
  }
  return checks;
}

async function checkStack(
  stack: string,
  archives: readonly StoredArchive[],
  input: CheckInput,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<StackCheck> {
  const status = await readStatus(stack, dependencies.repository);
  const examined = new Map<StoredArchive, Examined>();
  for (const archive of drawn(archives, input)) {
    context.signal?.throwIfAborted();
    examined.set(archive, await examineStored(archive, { depth: "records", status }, dependencies, context));
  }
  const damaged = [...examined].flatMap(([{ name }, found]): CheckProblem[] =>
    found.state === "damaged" ? [{ archive: name, problem: found.problem }] : [],
  );
  const good = await newestGoodOf(archives, examined, status, dependencies, context);
  const ageMs = good && dependencies.clock.now() - confirmedAt(good, status);
  const tooOld = ageMs === undefined || ageMs > (input.maxAgeMs ?? Infinity);
  return {
    stack,
    archives: archives.length,
    checked: examined.size,
    damaged,
    encrypted: [...examined.values()].filter(({ state }) => state === "encrypted").length,
    ...(good !== undefined && { newestGood: good.name }),
    ...(ageMs !== undefined && { ageMs }),
    tooOld,
  };
}

/** The newest archive, and a random share of the others. */
function drawn(archives: readonly StoredArchive[], { percent, random }: CheckInput): StoredArchive[] {
  const [newest, ...rest] = archives;
  if (newest === undefined) return [];
  const wanted = Math.ceil((rest.length * percent) / 100);
  const shuffled = rest.map((archive) => ({ archive, at: random() })).toSorted((left, right) => left.at - right.at);
  return [newest, ...shuffled.slice(0, wanted).map(({ archive }) => archive)];
}

/** The newest good archive. An archive that was examined is not read again. */
async function newestGoodOf(
  archives: readonly StoredArchive[],
  examined: ReadonlyMap<StoredArchive, Examined>,
  status: BackupStatus | undefined,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<StoredArchive | undefined> {
  for (const archive of archives) {
    const state = examined.get(archive)?.state;
    if (state === "good") return archive;
    if (state !== undefined) continue;
    const good = await newestGood([archive], status, dependencies, context);
    if (good !== undefined) return archive;
  }
  return undefined;
}

function confirmedAt(good: StoredArchive, status: BackupStatus | undefined): number {
  return status?.archive === good.name ? Date.parse(status.checkedAt) : good.at;
}
