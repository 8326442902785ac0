import { StackferryError } from "../core/errors.ts";
import { contextForStack } from "../core/events.ts";
import type { BackupContext } from "./backup-context.ts";
import { examineStoredArchive, type BackupFlaw, type ExaminedArchive } from "./open-stored-archive.ts";
import {
  findNewestGood,
  flawOf,
  isBackup,
  newestOf,
  readHistory,
  summariseBackups,
  type BackupSummary,
  type JudgedArchive,
} from "./history.ts";
import { listStoredStacks, sideFileName } from "./archive-names.ts";
import { emitEmptiedWarning, emitMissingWarning, recordGoodBackup } from "./earlier-backups.ts";
import { completeUnfinished } from "./unfinished.ts";

export interface CheckInput {
  /** Empty means every stack that has backups. */
  readonly stacks: readonly string[];
  /** Percentage (0 to 100) of the older archives to read. The newest is read, too. */
  readonly percent: number;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  readonly maxAgeMs?: number | undefined;
}

export interface CheckProblem {
  readonly archive: string;
  readonly problem: string;
}

export interface CheckProof {
  /** `checksum`: no key opens the archive. Otherwise every record was read. */
  readonly read: "plain" | "decrypted" | "checksum";
  readonly isSigned: boolean;
}

export interface StackCheck {
  readonly stack: string;
  readonly archives: number;
  readonly checked: number;
  readonly damaged: readonly CheckProblem[];
  readonly refused: readonly CheckProblem[];
  readonly suspect: readonly CheckProblem[];
  readonly sealed: readonly string[];
  readonly newestGood?: string;
  readonly proof?: CheckProof;
  /** Milliseconds since a run last found the stack equal to the newest good archive. */
  readonly ageMs?: number;
  readonly tooOld: boolean;
  readonly error?: StackferryError;
  readonly summary: BackupSummary;
}

export async function checkRepository(input: CheckInput, context: BackupContext): Promise<StackCheck[]> {
  const stacks = input.stacks.length === 0 ? await storedStacks(context) : input.stacks;
  const checks: StackCheck[] = [];
  for (const stack of stacks) {
    context.signal?.throwIfAborted();
    const stackContext = stacks.length > 1 ? contextForStack(context, stack) : context;
    stackContext.events({ type: "phase", phase: `checking ${stack}` });
    const check = checkStack(stack, input, stackContext);
    checks.push(await check.catch((error: unknown) => failedCheck(stack, error)));
    if (stacks.length > 1) stackContext.events({ type: "phase", phase: "checked" });
  }
  const [first, ...others] = checks;
  // If no stack can be checked, the repository is at fault, so the run fails.
  if (first?.error !== undefined && others.every(({ error }) => error !== undefined)) throw first.error;
  return checks;
}

async function storedStacks(context: BackupContext): Promise<string[]> {
  const stacks = await listStoredStacks(context.repository, undefined, context.signal);
  emitEmptiedWarning(stacks, context);
  return stacks.flatMap(({ stack, archives }) => (archives.length > 0 ? [stack] : []));
}

function failedCheck(stack: string, error: unknown): StackCheck {
  if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
  const none = { archives: 0, checked: 0, damaged: [], refused: [], suspect: [], sealed: [] };
  return { stack, ...none, tooOld: true, summary: { archives: 0, suspect: false }, error };
}

async function checkStack(stack: string, input: CheckInput, context: BackupContext): Promise<StackCheck> {
  await completeUnfinished(stack, context);
  const history = await readHistory(stack, context);
  const { archives } = history;
  await emitMissingWarning(history, context);
  const read = new Map<JudgedArchive, ExaminedArchive>();
  const examine = async (archive: JudgedArchive): Promise<ExaminedArchive> => {
    context.signal?.throwIfAborted();
    const found = read.get(archive) ?? (await examineStoredArchive(archive, "records", context));
    read.set(archive, found);
    return found;
  };
  for (const archive of drawSample(archives, input)) await examine(archive);
  const proven = [...read].filter(
    ([archive, found]) => found.state === "good" || flawOf(archive, found)?.code === "damaged-backup",
  );
  const { good } = await findNewestGood(archives, examine);
  const proof = good && proofOf(good, read.get(good));
  const state = summariseBackups(archives, context.clock.now(), good);
  const newer = good === undefined ? archives : archives.slice(0, archives.indexOf(good));
  const problemsWith = (code: BackupFlaw["code"], among: readonly JudgedArchive[]): CheckProblem[] =>
    among.flatMap((archive) => {
      const flaw = flawOf(archive, read.get(archive));
      return flaw?.code === code ? [{ archive: archive.name, problem: flaw.message }] : [];
    });
  return {
    stack,
    archives: archives.length,
    checked: proven.length,
    damaged: problemsWith("damaged-backup", archives),
    refused: problemsWith("refused-backup", archives),
    suspect: problemsWith("suspect-backup", newer),
    sealed: archives.flatMap((archive) => (isSealed(archive, read.get(archive)) ? [archive.name] : [])),
    ...(good && proof && { newestGood: good.name, proof: { read: proof, isSigned: context.checksSignature } }),
    ...(state.ageMs !== undefined && { ageMs: state.ageMs }),
    tooOld: state.ageMs === undefined || state.ageMs > (input.maxAgeMs ?? Infinity),
    summary: state,
  };
}

function proofOf({ encrypted }: JudgedArchive, found: ExaminedArchive | undefined): CheckProof["read"] | undefined {
  if (found?.state !== "good") return undefined;
  if (!found.isOpened) return "checksum";
  return encrypted ? "decrypted" : "plain";
}

function isSealed(archive: JudgedArchive, found: ExaminedArchive | undefined): boolean {
  return found?.state === "sealed" || proofOf(archive, found) === "checksum";
}

/** True if no key opens an archive that is at least as new as the newest good archive. */
export function isKeyWrong({ sealed, newestGood = "" }: StackCheck): boolean {
  return sealed.some((name) => name >= newestGood);
}

function drawSample(archives: readonly JudgedArchive[], { percent, random }: CheckInput): JudgedArchive[] {
  const [newest, ...rest] = archives.filter(isBackup);
  if (newest === undefined) return [];
  const sampleSize = Math.ceil((rest.length * percent) / 100);
  const shuffled = rest.map((archive) => ({ archive, at: random() })).toSorted((left, right) => left.at - right.at);
  return [newest, ...shuffled.slice(0, sampleSize).map(({ archive }) => archive)];
}

/**
 * Later archives are compared with the accepted archive.
 * @returns undefined if the newest archive is not suspect
 * @throws StackferryError `archive-damaged`
 */
export async function acceptNewestArchive(stack: string, context: BackupContext): Promise<string | undefined> {
  await completeUnfinished(stack, context);
  const history = await readHistory(stack, context);
  const newest = newestOf(history.archives);
  if (newest?.flaw?.code !== "suspect-backup") return undefined;
  const { name } = newest;
  const examined = await examineStoredArchive(newest, "records", context);
  if (examined.state !== "good") {
    const problem = examined.state === "flawed" ? examined.flaw.message : "it cannot be read";
    throw new StackferryError("archive-damaged", `${name} cannot be accepted: ${problem}`, {
      hint: "run a new backup, and accept that one",
    });
  }
  await context.repository.writeText(sideFileName(newest, "accepted"), "");
  await recordGoodBackup(history, context);
  return name;
}
