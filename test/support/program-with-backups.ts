import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox, type Sandbox, type SandboxSeed } from "./start-sandbox.ts";
import { configuredStacks } from "./configured-stacks.ts";
import { programFor, type Program } from "./program.ts";
import { emptySeed } from "./program-with-archive.ts";
import { alert, dashboard, hexId, archiveIds } from "./stack-records.ts";

/** The program, in a folder with a configuration file that names sandboxes, and a folder `place` for their backups. */
export interface ProgramWithBackups extends Program {
  readonly repository: string;
  /** The environment of each run. A test can add variables. */
  readonly env: Record<string, string>;
}

/** The time of the first backup of a test. */
export const START = Date.UTC(2026, 10, 21, 4, 15);

/** Returns the options of a run that many hours after the first backup. */
export const hoursLater = (hours: number): { readonly now: () => number } => ({ now: () => START + hours * 3_600_000 });

/** Configures each sandbox under its name. `more` is added to the configuration file. */
export async function programWithBackups(
  sandboxes: Readonly<Record<string, Sandbox>>,
  more = "",
): Promise<ProgramWithBackups> {
  const { stacks, env: keys } = configuredStacks(sandboxes);
  const env = { ...keys };
  const program = programFor({}, env);
  const repository = join(program.cwd, "place");
  await mkdir(repository);
  await writeFile(join(program.cwd, "stackferry.yaml"), `stacks: ${JSON.stringify(stacks)}\n${more}`, { mode: 0o600 });
  return { ...program, env, repository };
}

const board = dashboard(hexId("a", 16), "Overview", archiveIds.source);

/** Five records, one of them a dashboard with an alert: enough for a backup, and quick to restore. */
export const oneDashboardSeed: SandboxSeed = {
  ...emptySeed("a"),
  dashboards: [board],
  alerts: [alert(hexId("a", 32), "Busy", board, archiveIds.webhook)],
};

export const oneDashboardStack = (): Promise<Sandbox> =>
  startSandbox({ variant: "self-hosted", seed: oneDashboardSeed });
