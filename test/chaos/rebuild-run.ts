import { writeCount } from "../support/read-sandbox.ts";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { checkRebuild, readWholeStack, type WholeStack } from "../support/independent-check.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startFaultySandbox } from "../support/faults/start-faulty-sandbox.ts";
import { runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { writeSecretsOf } from "../support/stack-secrets.ts";
import { CONSISTENCY_WAIT_MS, TIMEOUT_MS, chaosPlan } from "./chaos-plan.ts";
import { journalPath, journalText } from "./journal-lines.ts";
import { repeatUntilComplete } from "./repeat-until-complete.ts";
import { runProgram, slowDisk } from "./run-program.ts";
import { tearJournal } from "./tear-journal.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What every rebuild begins with: the archive of a lost stack, and its operator's secrets. */
export interface LostStack {
  readonly cwd: string;
  readonly before: WholeStack;
  /** Secrets that no archive, journal or output may hold. */
  readonly secrets: readonly string[];
}

/** The result of a run. */
export interface RebuildResult {
  readonly problems: readonly string[];
  /** The exit codes of its processes, in order; null for a killed process. */
  readonly ends: readonly (number | null)[];
  readonly faults: Readonly<Record<string, number>>;
}

const MAX_PROCESSES = 16;
/** A rebuild sends this many times the requests of a migration, for which the plan is made. */
const LONGER = 1.5;
const ID = /(?<![\w-])[\da-f]{24}(?![\w-])/giu;

/** Exports the sample stack, and writes its secrets file. */
export async function loseStack(): Promise<LostStack> {
  await using source = await startSandbox({ variant: "self-hosted", seed: "sample" });
  await using empty = await startSandbox({ variant: "self-hosted" });
  const { cwd, exitCode } = await runCli(["export", "--from", source.stack, "--out", "a.zip"], {
    env: sandboxEnv(source),
  });
  if (exitCode !== 0) throw new Error(`the export ended ${exitCode}`);
  await writeSecretsOf(source, empty, cwd);
  const { connections, webhooks } = source.stored();
  const secrets = [...JSON.stringify([connections, webhooks]).matchAll(/not-a-real-[a-z]+/giu)].map(([text]) => text);
  return { cwd, before: inOneCase(await readWholeStack(source)), secrets: [...new Set(secrets)] };
}

/**
 * Rebuilds an empty stack, with faults, kills and torn journals, until a process ends with exit code 0. Then reads the stack
 * over HTTP.
 */
export async function rebuildRun(seed: number, lost: LostStack): Promise<RebuildResult> {
  const plan = chaosPlan(seed);
  const cwd = temporaryFolder();
  for (const name of ["a.zip", "secrets.yaml"]) await copyFile(join(lost.cwd, name), join(cwd, name));
  // Leave out the fault that drops members: a dropped member would rightly be missing at the end.
  const faults = { ...plan.target, rules: plan.target.rules.filter(({ fault }) => fault !== "drop-field") };
  await using target = await startFaultySandbox({ variant: "self-hosted", faults });
  const [ends, problems]: [(number | null)[], string[]] = [[], []];
  const pace = ["--concurrency", String(plan.concurrency), "--timeout", `${TIMEOUT_MS}ms`];
  const options = ["--create", "all", "--secrets", "secrets.yaml", "--yes", "--json"];
  const args = ["import", "a.zip", "--to", target.stack, ...options, ...pace];
  const wait = { STACKFERRY_CONSISTENCY_WAIT: `${CONSISTENCY_WAIT_MS}ms` };
  const env = { ...sandboxEnv(target), ...wait, ...slowDisk(plan.diskMs) };
  try {
    for (let count = 0; ends.at(-1) !== 0 && count < MAX_PROCESSES; count += 1) {
      const [moment, earlier] = [plan.kills[count], target.stats().total];
      const when = (): boolean => target.stats().total - earlier >= (moment?.requests ?? Infinity) * LONGER;
      const end = await runProgram(args, env, cwd, moment && { when, afterMs: moment.afterMs });
      ends.push(end.exitCode);
      const written = `${end.stdout}${end.stderr}${journalText(cwd)}`;
      problems.push(...lost.secrets.filter((text) => written.includes(text)).map((text) => `${text} was written down`));
      if (end.exitCode !== 0 && plan.between[count]?.tear) tearJournal(cwd);
    }
    if (ends.at(-1) !== 0) problems.push("no process ended 0");
    problems.push(...(await problemsOn(target, lost.before)));
    const writes = writeCount(target);
    for (const journal of ["with", "without"]) {
      if (journal === "without") await rm(journalPath(cwd) ?? "");
      // The stack may still have faults.
      let exitCode: number | null = null;
      for (let count = 0; exitCode !== 0 && count < MAX_PROCESSES; count += 1)
        ({ exitCode } = await runProgram(args, env, cwd));
      if (exitCode !== 0 || writeCount(target) !== writes)
        problems.push(`once more ${journal} the journal: exit ${exitCode}, ${writeCount(target) - writes} writes`);
    }
    return { problems: [...new Set(problems)], ends, faults: target.faultCounts() };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

async function problemsOn(target: Sandbox, before: WholeStack): Promise<string[]> {
  // Lists may lag behind the last write.
  await new Promise((resolve) => setTimeout(resolve, CONSISTENCY_WAIT_MS));
  const after = inOneCase(await repeatUntilComplete(() => readWholeStack(target)));
  const failed = checkRebuild(before, after).filter(([, against]) => against.length > 0);
  return failed.map(([what, against]) => `not true: ${what} (${against.slice(0, 3).join("; ")})`);
}

/** Returns the stack with all ids in lower case, because a fault may return them in upper case. */
function inOneCase(stack: WholeStack): WholeStack {
  return new Map(JSON.parse(JSON.stringify([...stack]).replaceAll(ID, (id) => id.toLowerCase())));
}
