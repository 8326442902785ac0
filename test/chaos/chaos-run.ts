import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { sandboxEnv, webhookMap } from "../support/sandbox-pair.ts";
import { SETTLE_MS, TIMEOUT_MS } from "./chaos-plan.ts";
import type { ChaosPlan, Kill } from "./chaos-plan.ts";
import { countCreates } from "./count-creates.ts";
import { lookAtTarget } from "./look-at-target.ts";
import { runProgram } from "./run-program.ts";
import type { ProgramEnd } from "./run-program.ts";

/** What a run came to. */
export interface ChaosResult {
  /** What is wrong on the target; empty when all is well. */
  readonly problems: readonly string[];
  /** The exit codes of its processes, in turn; null for one that was killed. */
  readonly ends: readonly (number | null)[];
  readonly faults: Readonly<Record<string, number>>;
}

/** So many processes must be enough: every fault meets one of them only, and in the end there are none left. */
const MOST_PROCESSES = 14;

/** Moves the sample stack through the plan's faults and kills, again until a process ends 0, and looks at the target. */
export async function chaosRun(plan: ChaosPlan): Promise<ChaosResult> {
  const [from, to] =
    plan.direction === "out" ? (["self-hosted", "managed"] as const) : (["managed", "self-hosted"] as const);
  const creates = countCreates();
  await using source = await startSandbox({ variant: from, seed: "sample", faults: plan.source });
  const { intercept } = creates;
  await using target = await startSandbox({ variant: to, seed: "bare", faults: plan.target, intercept });
  const folder = await mkdtemp(join(tmpdir(), "stackferry-chaos-"));
  try {
    const ends = await moveUntilDone(plan, source, target, folder);
    const last = ends.at(-1);
    const exitCodes = ends.map(({ exitCode }) => exitCode);
    const faults = target.stats().faults ?? {};
    if (last?.exitCode !== 0)
      return { problems: [`ended ${last?.exitCode}: ${last?.stderr}`], ends: exitCodes, faults };
    return { problems: await lookAtTarget(source, target, creates), ends: exitCodes, faults };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function moveUntilDone(plan: ChaosPlan, source: Sandbox, target: Sandbox, cwd: string): Promise<ProgramEnd[]> {
  const env = sandboxEnv(source, target);
  await writeFile(join(cwd, "map.yaml"), webhookMap(source, target));
  const run = (args: readonly string[], kills: readonly Kill[] = []): Promise<ProgramEnd[]> =>
    untilDone((count) => {
      const moment = kills[count];
      const before = target.stats().total;
      const when = (): boolean => target.stats().total - before >= (moment?.requests ?? Infinity);
      const whole = [...args, "--timeout", `${TIMEOUT_MS}ms`, "--json"];
      return runProgram(whole, env, cwd, moment && { when, afterMs: moment.afterMs });
    });
  const to = ["--to", target.stack, "--map", "map.yaml", "--settle", `${SETTLE_MS}ms`];
  const pace = ["--concurrency", String(plan.concurrency)];
  let job = ["migrate", "--from", source.stack];
  if (plan.command === "import") {
    const exported = await run(["export", "--from", source.stack, "--out", "a.zip"]);
    if (exported.at(-1)?.exitCode !== 0) return exported;
    job = ["import", "a.zip"];
  }
  const ends = await run([...job, ...to, ...pace], plan.kills);
  if (!plan.againWithoutJournal || ends.at(-1)?.exitCode !== 0) return ends;
  for (const name of await readdir(cwd)) if (name.endsWith(".journal")) await rm(join(cwd, name));
  // Without a journal nothing says that the lists may lag, so whoever loses one has to give them time.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return [...ends, ...(await run([...job, ...to, ...pace]))];
}

async function untilDone(run: (count: number) => Promise<ProgramEnd>): Promise<ProgramEnd[]> {
  const ends: ProgramEnd[] = [];
  while (ends.length < MOST_PROCESSES && ends.at(-1)?.exitCode !== 0) ends.push(await run(ends.length));
  return ends;
}
