import { execFileSync, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { copiesOf, dailyBackups, type BackupStage } from "../../support/backup-stage.ts";
import { board, tile } from "../../support/edited-stack.ts";
import { documentOf, runCli, type CliRun } from "../../support/run-cli.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

export const PATH = process.env["PATH"] ?? "";

/** Runs git as a user does, without this machine's settings. */
export function git(folder: string, ...args: string[]): string {
  const env = { PATH, HOME: homedir(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
  return execFileSync("git", ["-C", folder, ...identity, ...args], { env, encoding: "utf8" }).trim();
}

export const hasGit = spawnSync("git", ["--version"]).status === 0;

export const edited = [tile("t1", { w: 12 }), tile("t2")];
export const threeDays = copiesOf(() =>
  dailyBackups(
    [board("a", "A"), board("b", "B")],
    [board("a", "A", edited), board("b", "B")],
    [board("a", "A", edited)],
  ),
);

/** Returns functions that run `log --git` with flags, such as `--since 2026-11-22`. @param backups a stack, or `STACK@TIME` */
export function historyOf({ path }: BackupStage, folder = join(temporaryFolder(), "history"), backups = "s") {
  const run = (flags = "", env: Readonly<Record<string, string>> = {}): Promise<CliRun> => {
    const line = `log ${join(path, backups)} --git ${folder} ${flags}`.trim();
    return runCli(line.split(" "), { env: { PATH, HOME: homedir(), ...env } });
  };
  return { folder, run, json: async () => documentOf(await run("--json")) };
}

/** Makes a git repository, unless there is one, and commits a file. */
export async function commitFile(folder: string, name: string, subject: string): Promise<void> {
  git(folder, "init", "--quiet");
  await writeFile(join(folder, name), "ours\n");
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "-m", subject);
}

export const subjects = (folder: string): string[] => git(folder, "log", "--reverse", "--format=%s").split("\n");
export const files = (folder: string): string[] => git(folder, "ls-files").split("\n");
