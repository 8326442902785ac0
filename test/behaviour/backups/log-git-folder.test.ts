import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGitFolder } from "../../../src/storage/git-folder.ts";
import { dailyBackups, nextDay, type BackupStage } from "../../support/backup-stage.ts";
import { board } from "../../support/edited-stack.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { commitFile, files, git, hasGit, historyOf, PATH, subjects, threeDays } from "./git-history.ts";

describe.skipIf(!hasGit)("the folder of log --git", () => {
  it("neither runs programs of the user's settings nor follows GIT_ variables", async () => {
    const elsewhere = temporaryFolder();
    git(elsewhere, "init", "--quiet");
    const home = temporaryFolder();
    const hooks = join(home, "hooks");
    await mkdir(hooks);
    for (const name of ["post-merge", "reference-transaction", "pre-commit", "post-index-change"]) {
      await writeFile(join(hooks, name), `#!/bin/sh\ntouch ${join(home, "ran")}\n`);
      await chmod(join(hooks, name), 0o755);
    }
    const settings = [
      `[core]\n hooksPath = ${hooks}\n fsmonitor = ${join(hooks, "pre-commit")}\n autocrlf = true`,
      "[commit]\n gpgSign = true\n[tag]\n gpgSign = true\n[user]\n useConfigOnly = true",
      "[merge]\n verifySignatures = true\n ff = false\n[pull]\n rebase = true",
    ];
    await writeFile(join(home, ".gitconfig"), `${settings.join("\n")}\n`);
    const { folder, run } = historyOf(await threeDays());
    const variables = {
      HOME: home,
      GIT_DIR: join(elsewhere, ".git"),
      GIT_INDEX_FILE: join(elsewhere, "index"),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "alias.merge",
      GIT_CONFIG_VALUE_0: "!false",
    };
    expect(await run("", variables)).toMatchObject({ exitCode: 0 });
    expect(subjects(folder)).toHaveLength(3);
    expect(existsSync(join(home, "ran"))).toBe(false);
    expect(git(elsewhere, "rev-list", "--all")).toBe("");
  });

  it("lets no name of a record out of the folder, into git's own, or into the trailer", async () => {
    const names = [
      "../../.git/hooks/post-merge",
      ".git/config",
      "--output=x",
      "a\nStackferry-Backup: s@2999-01-01T00:00:00Z",
      '"quoted"\\',
      "x\u0000y",
      "NUL",
    ];
    const records = names.map((name, index) => board(`id${index}`, name));
    const stage = await dailyBackups([board("a", "A")], [board("a", "A"), ...records]);
    const { folder, run, json } = historyOf(stage);
    expect(await run()).toMatchObject({ exitCode: 0 });
    for (const file of files(folder)) expect(file).toMatch(/^dashboards\/[\p{L}\p{N}][\p{L}\p{N}-]*\.yaml$/u);
    expect(files(folder)).toHaveLength(8);
    expect(await json()).toMatchObject({ exitCode: 0, commits: [] });
  });
});

describe.skipIf(!hasGit)("log --git refuses, and changes nothing:", () => {
  const refused = async (folder: string, stage: BackupStage): Promise<string> => {
    const { exitCode, stderr } = await historyOf(stage, folder).run();
    expect(exitCode).toBe(2);
    return stderr;
  };

  it("a folder with files that is no git repository, even below one, and a file", async () => {
    const stage = await threeDays();
    const folder = temporaryFolder();
    await writeFile(join(folder, "notes.txt"), "mine");
    expect(await refused(folder, stage)).toContain("no git repository");
    await refused(join(folder, "notes.txt"), stage);
    git(folder, "init", "--quiet");
    expect(await refused(folder, stage)).toContain("no commit");
    await mkdir(join(folder, "inner/.git"), { recursive: true });
    expect((await historyOf(stage, join(folder, "inner")).run()).exitCode).toBe(1);
    expect(git(folder, "rev-list", "--all")).toBe("");
    expect(await readdir(join(folder, "inner"))).toEqual([".git"]);
  });

  it("a repository of somebody else, and one of another stack", async () => {
    const stage = await threeDays();
    const folder = temporaryFolder();
    await commitFile(folder, "mine.txt", "Mine");
    await writeFile(join(folder, "mine.txt"), "not committed");
    expect(await refused(folder, stage)).toContain("no backup");
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "Other\n\nStackferry-Backup: other@2026-11-21T04:15:00Z");
    expect(await refused(folder, stage)).toContain("the backups of other");
    expect(subjects(folder)).toEqual(["Mine", "Other"]);
  });

  it("changes that are not committed", async () => {
    const stage = await threeDays();
    const { folder, run } = historyOf(stage);
    await run();
    await writeFile(join(folder, "dashboards/a.yaml"), "mine");
    await nextDay(stage, { records: [board("c", "C")] });
    expect(await refused(folder, stage)).toContain("dashboards/a.yaml");
    git(folder, "stash", "--quiet");
    // A file that git does not know stays, and a commit that needs its place fails as a whole.
    await writeFile(join(folder, "dashboards/c.yaml"), "mine");
    expect(await run()).toMatchObject({ exitCode: 1 });
    expect(subjects(folder)).toHaveLength(3);
    expect(await readFile(join(folder, "dashboards/c.yaml"), "utf8")).toBe("mine");
  });

  it("flags that choose records, a stack without backups, and a machine without git", async () => {
    const stage = await threeDays();
    const { folder, run } = historyOf(stage);
    for (const flags of ["--kinds alerts", "--include A", "--patch"])
      expect(await run(flags)).toMatchObject({ exitCode: 2 });
    expect(await historyOf(stage, folder, "t").run()).toMatchObject({ exitCode: 2 });
    const without = await run("", { PATH: temporaryFolder() });
    expect(without).toMatchObject({ exitCode: 2 });
    expect(without.stderr).toContain("there is no git on this machine");
    expect(existsSync(folder)).toBe(false);
  });
});

describe.skipIf(!hasGit)("a run of log --git that is stopped", () => {
  const commit = {
    at: 0,
    message: "One\n",
    replaced: ["dashboards"],
    files: [{ path: "dashboards/a.yaml", text: "a" }],
  };

  it("between two commits leaves none of them, and the next run writes all", async () => {
    const folder = join(temporaryFolder(), "history");
    const stop = new AbortController();
    async function* stopped() {
      yield commit;
      stop.abort(new Error("stopped"));
      yield commit;
    }
    const opened = await openGitFolder(folder, { PATH });
    await expect(opened.commit(stopped(), stop.signal)).rejects.toThrow("stopped");
    expect(git(folder, "rev-list", "--all")).toBe("");
    expect(await historyOf(await threeDays(), folder).run()).toMatchObject({ exitCode: 0 });
    expect(subjects(folder)).toHaveLength(3);
  });

  it("before the folder shows its commits is finished by the next run", async () => {
    const stage = await threeDays();
    const whole = historyOf(stage);
    await whole.run();
    const folder = join(temporaryFolder(), "history");
    await mkdir(folder);
    git(folder, "init", "--quiet");
    git(folder, "fetch", "--quiet", whole.folder, "HEAD:refs/stackferry/log");
    expect(await historyOf(stage, folder).run()).toMatchObject({ exitCode: 0 });
    expect(git(folder, "rev-parse", "HEAD")).toBe(git(whole.folder, "rev-parse", "HEAD"));
    expect(git(folder, "for-each-ref", "refs/stackferry")).toBe("");
  });
});
