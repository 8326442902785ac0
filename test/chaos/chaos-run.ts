import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readStackContent, type StackContent } from "../support/independent-check.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startFaultySandbox } from "../support/faults/start-faulty-sandbox.ts";
import { sandboxEnv, webhookMap } from "../support/program.ts";
import { CONSISTENCY_WAIT_MS, TIMEOUT_MS, type ChaosPlan } from "./chaos-plan.ts";
import { advisesOverwrite, checkEnd, checkPlanChanged, checkProcess, planOf } from "./check-process.ts";
import { journalPath, journalText } from "./journal-lines.ts";
import { checkTarget } from "./check-target.ts";
import { repeatUntilComplete } from "./repeat-until-complete.ts";
import { runProgram, slowDisk, type ProgramEnd } from "./run-program.ts";
import { WRITTEN_KINDS, createServerLog, linksIn, type ServerLog } from "./server-log.ts";
import { addTwin, meddle } from "./somebody-else.ts";
import { tearJournal } from "./tear-journal.ts";
import { changeCount } from "../support/read-sandbox.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The result of a run. */
export interface ChaosResult {
  /** What is wrong with each process and with the target; empty if nothing is. */
  readonly problems: readonly string[];
  /** The exit codes of its processes, in order; null for a killed process. */
  readonly ends: readonly (number | null)[];
  readonly faults: Readonly<Record<string, number>>;
}

/** A run must end within this many processes. A fault hits only one of them, so the last ones have none. */
const MAX_PROCESSES = 16;
/** The exit code of a run whose plan is no longer the approved one. */
const PLAN_CHANGED = 10;

/** The state of a run. */
interface RunState {
  readonly plan: ChaosPlan;
  readonly source: Sandbox;
  readonly target: Sandbox;
  readonly cwd: string;
  readonly log: ServerLog;
  readonly before: StackContent;
  readonly ends: ProgramEnd[];
  readonly problems: string[];
  /** The thresholds that somebody else has set, by the alert's name. */
  readonly changed: Map<string, number>;
  journalLost: boolean;
}

/**
 * Moves the sample stack, with the plan's faults, kills, torn journals and changes by somebody else, until a process ends
 * with exit code 0. Checks each process after its end, and the target at the end of the run.
 */
export async function chaosRun(plan: ChaosPlan): Promise<ChaosResult> {
  const [from, to] =
    plan.direction === "out" ? (["self-hosted", "managed"] as const) : (["managed", "self-hosted"] as const);
  const cwd = temporaryFolder();
  const log = createServerLog(() => journalText(cwd), plan.refusedLinks);
  const { intercept } = log;
  await using source = await startFaultySandbox({ variant: from, seed: "sample", faults: plan.source });
  await using target = await startFaultySandbox({ variant: to, seed: "bare", faults: plan.target, intercept });
  try {
    if (plan.twins) await addTwin(source);
    const before = await repeatUntilComplete(() => readStackContent(source));
    const found = { ends: [], problems: [], changed: new Map<string, number>(), journalLost: false };
    const run: RunState = { plan, source, target, cwd, log, before, ...found };
    await moveUntilDone(run);
    const { problems, changed } = run;
    if (problems.length === 0) problems.push(...(await checkTarget(before, target, log, changed)));
    const ends = run.ends.map(({ exitCode }) => exitCode);
    return { problems: [...new Set(problems)], ends, faults: target.faultCounts() };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

async function moveUntilDone(run: RunState): Promise<void> {
  const { plan, source, target, cwd } = run;
  await writeFile(join(cwd, "map.yaml"), webhookMap(source, target));
  const to = ["--to", target.stack, "--map", "map.yaml", "--create", "saved-searches"];
  const pace = ["--concurrency", String(plan.concurrency)];
  let job = ["migrate", "--from", source.stack];
  if (plan.command === "import") {
    if (!(await exportUntilDone(run))) return;
    job = ["import", "a.zip"];
  }
  const args = [...job, ...to, ...pace];
  if (!(await importUntilDone(run, args))) return;
  if (plan.again) {
    await changeAsSomebodyElse(run, plan.between.length - 1);
    if (!(await importUntilDone(run, args))) return;
  }
  if (!plan.againWithoutJournal) return;
  // Without a journal, an import does not know that lists may lag behind, so the run waits for them.
  await new Promise((resolve) => setTimeout(resolve, CONSISTENCY_WAIT_MS));
  const journal = journalPath(cwd);
  if (journal !== undefined) await rm(journal);
  run.journalLost = true;
  await importUntilDone(run, args);
}

async function exportUntilDone({ source, target, cwd, ends, problems }: RunState): Promise<boolean> {
  const args = ["export", "--from", source.stack, "--out", "a.zip", "--timeout", `${TIMEOUT_MS}ms`, "--json"];
  for (let count = 0; count < MAX_PROCESSES; count += 1) {
    const end = await runProgram(args, sandboxEnv(source, target), cwd);
    ends.push(end);
    problems.push(...checkEnd(end).map((problem) => `export: ${problem}`));
    if (end.exitCode === 0) return true;
  }
  problems.push("the export never ended 0");
  return false;
}

/** Returns whether a process has ended with exit code 0 before any problem was found. */
async function importUntilDone(run: RunState, args: readonly string[]): Promise<boolean> {
  const { plan, source, target, cwd, log, before, ends, problems } = run;
  const wait = { STACKFERRY_CONSISTENCY_WAIT: `${CONSISTENCY_WAIT_MS}ms` };
  const env = { ...sandboxEnv(source, target), ...wait, ...slowDisk(plan.diskMs) };
  const whole = [...args, "--timeout", `${TIMEOUT_MS}ms`, "--json"];
  const links = new Map(
    WRITTEN_KINDS.flatMap((kind) =>
      before[kind].map((record) => [`${kind}/${String(record["id"]).toLowerCase()}`, linksIn(record)] as const),
    ),
  );
  let approved: string | undefined;
  let overwrites = false;
  const storesOtherwise = plan.target.rules.some(({ fault }) => fault === "drop-field");
  for (let count = 0; count < MAX_PROCESSES; count += 1) {
    const index = log.process();
    const moment = plan.kills[index];
    const earlier = target.stats().total;
    const when = (): boolean => target.stats().total - earlier >= (moment?.requests ?? Infinity);
    const journalBefore = journalText(cwd);
    // A changed plan is approved with the flags that it was made with.
    const last = ends.at(-1);
    if (last?.exitCode !== PLAN_CHANGED) overwrites = advisesOverwrite(last);
    if (overwrites) run.changed.clear();
    const policy = overwrites ? ["--on-conflict", "overwrite"] : [];
    if (plan.approves) approved ??= await planUntilShown([...whole, ...policy, "--dry-run"], env, cwd);
    const approval = approved === undefined ? [] : ["--plan", approved];
    const writes = changeCount(target);
    const end = await runProgram(
      [...whole, ...policy, ...approval],
      env,
      cwd,
      moment && { when, afterMs: moment.afterMs },
    );
    ends.push(end);
    if (plan.approves && end.exitCode === PLAN_CHANGED) {
      problems.push(...checkPlanChanged(end, changeCount(target) - writes));
      approved = planOf(end);
      continue;
    }
    const facts = {
      end,
      mayBeKilled: moment !== undefined,
      cwd,
      journalBefore,
      log,
      links,
      hasJournal: !run.journalLost,
    };
    const found = checkProcess({ ...facts, unlike: (name) => storesOtherwise || run.changed.has(name) });
    problems.push(...found.map((problem) => `process ${index + 1}: ${problem}`));
    if (found.length > 0) return false;
    log.nextProcess();
    if (end.exitCode === 0) return true;
    if (plan.between[index]?.tear) tearJournal(cwd);
    await changeAsSomebodyElse(run, index);
  }
  problems.push(`no process ended 0: ${ends.at(-1)?.stderr.slice(-300)}`);
  return false;
}

/** Plans until the stack has answered, and returns the digest of the plan that was shown. */
async function planUntilShown(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string> {
  for (let count = 0; count < MAX_PROCESSES; count += 1) {
    const digest = planOf(await runProgram(args, env, cwd));
    if (digest !== undefined) return digest;
  }
  throw new Error("no dry run has shown a plan");
}

async function changeAsSomebodyElse({ plan, target, log, before, changed }: RunState, index: number): Promise<void> {
  const meddling = plan.between[index]?.meddling;
  if (meddling) await meddle(target, log, before, meddling, changed);
}
