import { partition } from "../core/collections.ts";
import type { RunContext } from "../core/events.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { createExaminer, examineStoredArchive, type ExaminedArchive } from "./open-stored-archive.ts";
import { lastConfirmedAt, isGood, findGoodArchive, readHistory, type JudgedArchive } from "./history/read-history.ts";
import type { StackLock } from "./stack-lock.ts";
import type { StoredArchive } from "./archive-names.ts";
import { judgeArchives, type KeepReason, type RetentionPolicy } from "./retention.ts";

/** A reason to keep an archive: from the policy, or from a rule that no policy overrides. */
export type PruneKeepReason =
  | KeepReason
  | "newest-good"
  | "no-good-archive"
  | "not-recognised"
  | "damaged"
  | "dated-ahead"
  | "clock-ahead"
  | "clock-jump";

export interface PruneVerdict {
  readonly archive: StoredArchive;
  readonly action: "keep" | "remove";
  /** The reasons to keep the archive; empty if it is removed. */
  readonly reasons: readonly PruneKeepReason[];
}

export interface PruneInput {
  readonly stack: string;
  readonly policy: RetentionPolicy;
  /** A dry run removes nothing and needs no lock. */
  readonly lock: StackLock | "dry-run";
  /** Name of an archive that this run has just verified as good. */
  readonly verifiedName?: string | undefined;
  /** True if this run has just stored the newest archive. */
  readonly hasStored?: boolean;
  /** True if this machine's clock is ahead of the repository's: everything is kept. */
  readonly isAhead?: boolean;
}

/**
 * Removes the archives of a stack that the policy gives no reason to keep, the oldest first. Always keeps the newest good archive,
 * and any file that is not recognised as an archive. Keeps everything while no good archive is known, or while the clock may be
 * ahead. Suspect archives are counted separately, so that they never displace a good one. Damaged archives are not counted. An
 * archive is only removed if the next newer archive that is kept is whole.
 */
export async function pruneStack(
  input: PruneInput,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<PruneVerdict[]> {
  const { stack, lock } = input;
  const { repository } = dependencies;
  const { archives } = await readHistory(stack, dependencies, context);
  const examineOnce = createExaminer(dependencies, context);
  const examine: Examiner = async (archive) =>
    archive.name === input.verifiedName ? "good" : (await examineOnce(archive)).state;
  const verdicts = await judgeWhole(archives, input, examine, dependencies.clock.now());
  if (verdicts.every(({ action, reasons }) => action === "keep" && !reasons.includes("clock-jump"))) return verdicts;
  const untrusted = clockProblem(archives, input, context);
  if (untrusted !== undefined) return verdicts.map((verdict) => keptFor(verdict, untrusted));
  const good = (await findGoodArchive(archives.filter(isCounted), examine))?.name;
  const decided: PruneVerdict[] = [];
  for (const verdict of verdicts.toReversed()) {
    context.signal?.throwIfAborted();
    const stays =
      verdict.action === "keep" ? undefined : await reasonToStay(verdict.archive, good, dependencies, context);
    decided.push(stays === undefined ? verdict : keptFor(verdict, stays));
    if (lock === "dry-run" || verdict.action === "keep" || stays !== undefined) continue;
    await lock.assertHeld();
    await repository.remove(verdict.archive.name);
    await repository.remove(`${verdict.archive.name}.sig`);
  }
  return decided.toReversed();
}

function keptFor(verdict: PruneVerdict, reason: PruneKeepReason): PruneVerdict {
  return verdict.action === "keep" ? verdict : { ...verdict, action: "keep", reasons: [reason] };
}

/**
 * Returns the reason why this run removes nothing: this machine's clock is ahead, or may be ahead. Undefined if the clock is
 * trusted.
 */
function clockProblem(
  archives: readonly JudgedArchive[],
  { hasStored = false, isAhead = false }: PruneInput,
  { events }: RunContext,
): PruneKeepReason | undefined {
  if (isAhead) return "clock-ahead";
  const ours = archives.filter(isDatedRight);
  const [newest, before] = ours;
  if (!hasStored || newest === undefined || before === undefined || (jumpsBefore(ours)[0] ?? 0) === 0) return undefined;
  const [now, then] = [newest, before].map(({ at }) => new Date(at).toISOString().replace(".000", ""));
  const message = `by this machine's clock, this backup was made at ${now}, long after the one before it (${then}): the clock may be ahead, so this run removes no backup; check the clock before the next run`;
  events({ type: "warning", warning: { code: "clock-jump", message } });
  return "clock-jump";
}

type Examiner = (archive: JudgedArchive) => Promise<ExaminedArchive["state"]>;

function isCounted(archive: JudgedArchive): boolean {
  return isDatedRight(archive) && archive.damaged === undefined;
}

/** Tells whether an archive is a backup of this stack and is not dated in the future. */
function isDatedRight({ refused, entry }: JudgedArchive): boolean {
  return refused === undefined && entry?.ahead === undefined;
}

/**
 * Judges the archives by the policy. If the newest archive, or a kept archive that replaces older ones, turns out to be damaged,
 * judges again without that archive.
 */
async function judgeWhole(
  archives: readonly JudgedArchive[],
  { policy }: PruneInput,
  examine: Examiner,
  now: number,
): Promise<PruneVerdict[]> {
  let counted = archives.filter(isCounted);
  for (;;) {
    const reasons = reasonsByPolicy(counted, policy, now);
    const bad = await findBad(successors(counted, reasons), examine);
    if (bad === undefined) return archives.map((archive) => verdictOn(archive, reasons, counted.includes(archive)));
    counted = counted.filter((archive) => archive !== bad);
  }
}

async function findBad(archives: Iterable<JudgedArchive>, examine: Examiner): Promise<JudgedArchive | undefined> {
  for (const archive of archives) {
    const state = await examine(archive);
    if (state === "damaged" || state === "refused" || state === "gone") return archive;
  }
  return undefined;
}

type Reasons = ReadonlyMap<string, readonly PruneKeepReason[]>;

/**
 * Returns the archives that must be whole before older archives are removed: the newest archive, and each kept archive whose next
 * older archive is removed. Good and suspect archives form separate sequences. Empty if nothing is removed.
 * @param counted the newest first
 */
function successors(counted: readonly JudgedArchive[], reasons: Reasons): ReadonlySet<JudgedArchive> {
  const found = new Set<JudgedArchive>();
  for (const sequence of partition(counted, isGood)) {
    let lastKept: JudgedArchive | undefined;
    for (const archive of sequence) {
      if ((reasons.get(archive.name) ?? []).length > 0) lastKept = archive;
      else if (lastKept !== undefined) found.add(lastKept).add(sequence[0] ?? lastKept);
    }
  }
  return found;
}

/**
 * Returns the policy's reasons to keep each archive, by the archive's name.
 * @param counted the newest first
 */
function reasonsByPolicy(counted: readonly JudgedArchive[], policy: RetentionPolicy, now: number): Reasons {
  const reasons = new Map<string, readonly PruneKeepReason[]>();
  const times = timesWithoutJumps(counted);
  for (const sequence of partition(counted, isGood)) {
    for (const { item, reasons: why } of judgeArchives(sequence, policy, ({ at }) => at, now))
      reasons.set(item.name, why);
    if (policy.within === undefined) continue;
    const timeOf = ({ name, at }: JudgedArchive): number => times.get(name) ?? at;
    for (const { item, reasons: why } of judgeArchives(sequence, { within: policy.within }, timeOf, now)) {
      const stays = (reasons.get(item.name) ?? []).length > 0;
      if (!stays && why.length > 0) reasons.set(item.name, ["clock-jump"]);
    }
  }
  return reasons;
}

function verdictOn(judged: JudgedArchive, reasons: Reasons, isJudged: boolean): PruneVerdict {
  const { entry, refused, damaged: _damaged, isAhead: _isAhead, ...archive } = judged;
  const whole = entry?.ahead === true ? ("dated-ahead" as const) : ("damaged" as const);
  const uncounted = refused === undefined ? whole : ("not-recognised" as const);
  const why = isJudged ? (reasons.get(archive.name) ?? []) : [uncounted];
  return { archive, action: why.length === 0 ? "remove" : "keep", reasons: why };
}

async function reasonToStay(
  archive: StoredArchive,
  good: string | undefined,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<PruneKeepReason | undefined> {
  if (good === undefined) return "no-good-archive";
  if (archive.name === good) return "newest-good";
  const { state } = await examineStoredArchive(archive, { depth: "manifest" }, dependencies, context);
  if (state === "damaged") return "damaged";
  return state === "refused" ? "not-recognised" : undefined;
}

const DAY = 86_400_000;

/**
 * A gap between two backups is a jump if the gap is longer than a day and longer than the usual gap times this factor. The factor
 * is above 3, because daily backups that pause at weekends leave a gap of 3 days.
 */
const JUMP_FACTOR = 3.5;

/** The usual gap is the longest of this many earlier gaps. */
const USUAL_GAPS = 3;

/**
 * Returns, for the gap before each archive, the milliseconds by which a jump exceeds the usual gap; 0 if the gap is no jump. A jump
 * means that a clock was ahead, or that no backup ran for a long time. If the repository has no clock, nothing tells which of the
 * two happened.
 * @param archives the newest first
 */
function jumpsBefore(archives: readonly JudgedArchive[]): number[] {
  const gaps = archives.slice(0, -1).map((archive, index) => gapBetween(archive, archives[index + 1]));
  return gaps.map((gap, index) => {
    const usual = Math.max(0, ...gaps.slice(index + 1, index + 1 + USUAL_GAPS));
    return gap > Math.max(DAY, JUMP_FACTOR * usual) ? gap - usual : 0;
  });
}

/**
 * Returns a corrected time of each archive, by the archive's name. The jumps between the archive and the newest one are taken out.
 */
function timesWithoutJumps(archives: readonly JudgedArchive[]): ReadonlyMap<string, number> {
  const jumps = jumpsBefore(archives);
  let jumped = 0;
  return new Map(
    archives.map(({ name, at }, index) => {
      jumped += jumps[index - 1] ?? 0;
      return [name, at + jumped];
    }),
  );
}

/**
 * Returns the milliseconds between two backups. The gap begins when a run last found the stack equal to the older archive: a run
 * without changes stores nothing, but counts as a backup.
 */
function gapBetween(newer: JudgedArchive, older: JudgedArchive | undefined): number {
  return older === undefined ? 0 : newer.at - lastConfirmedAt(older, newer.at);
}
