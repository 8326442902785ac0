import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGitFolder } from "../../../src/storage/git-folder.ts";
import { sampleRecord } from "../../support/archive-samples.ts";
import { board, tile } from "../../support/edited-stack.ts";
import { documentOf, runCli, type CliRun } from "../../support/run-cli.ts";
import { copiesOf, dailyBackups, nameAt, type BackupStage } from "../../support/backup-stage.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const DAY = 86_400_000;
const PATH = process.env["PATH"] ?? "";

/** Runs git as a user does, without this machine's settings. */
function git(folder: string, ...args: string[]): string {
  const env = { PATH, HOME: homedir(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
  return execFileSync("git", ["-C", folder, ...identity, ...args], { env, encoding: "utf8" }).trim();
}

const hasGit = ((): boolean => {
  try {
    return git("/", "--version") !== "";
  } catch {
    return false;
  }
})();
if (!hasGit) process.stderr.write("log --git is not tested: there is no git on this machine\n");

const edited = [tile("t1", { w: 12 }), tile("t2")];
const threeDays = copiesOf(() =>
  dailyBackups(
    [board("a", "A"), board("b", "B")],
    [board("a", "A", edited), board("b", "B")],
    [board("a", "A", edited)],
  ),
);

interface History {
  readonly folder: string;
  readonly run: (env?: Readonly<Record<string, string>>, flags?: readonly string[]) => Promise<CliRun>;
}

function historyOf({ path }: BackupStage, folder = join(temporaryFolder(), "history")): History {
  const run: History["run"] = (env = {}, flags = []) =>
    runCli(["log", `${path}/s`, "--git", folder, ...flags], { env: { PATH, HOME: homedir(), ...env } });
  return { folder, run };
}

const subjects = (folder: string): string[] => git(folder, "log", "--reverse", "--format=%s").split("\n");
const files = (folder: string): string[] => git(folder, "ls-files").split("\n");

describe.skipIf(!hasGit)("log --git", () => {
  it("writes each backup as a commit of code files: dated as the backup, with the words of the log", async () => {
    const { folder, run } = historyOf(await threeDays());
    expect(await run()).toMatchObject({ exitCode: 0 });
    expect(git(folder, "log", "--reverse", "--format=%at %ct %an").split("\n")).toEqual(
      [21, 22, 23].map((day) => {
        const seconds = Date.UTC(2026, 10, day, 4, 15) / 1000;
        return `${seconds} ${seconds} stackferry`;
      }),
    );
    expect(subjects(folder)).toEqual(["2 records", '~ dashboard "A": tile "tile t1": w 6 → 12', '- dashboard "B"']);
    expect(git(folder, "log", "-1", "--format=%(trailers:key=Stackferry-Backup,valueonly)")).toBe(
      "s@2026-11-23T04:15:00Z",
    );
    expect(files(folder)).toEqual(["dashboards/a.yaml"]);
    expect(await readFile(join(folder, "dashboards/a.yaml"), "utf8")).toMatch(/w: 12/);
    expect(git(folder, "status", "--porcelain")).toBe("");
    expect(git(folder, "show", "--stat", "--format=", "HEAD~1")).toContain(
      "1 file changed, 1 insertion(+), 1 deletion(-)",
    );
    git(folder, "fsck", "--strict");
  });

  it("adds what is new in a second run, and nothing in a third", async () => {
    const stage = await threeDays();
    const { folder, run } = historyOf(stage);
    await run();
    const before = git(folder, "rev-parse", "HEAD");
    await stage.clock.advance(DAY);
    await stage.backup({ records: [board("a", "A", edited), board("c", "C")] });
    await stage.clock.advance(DAY);
    await stage.backup({ records: [board("a", "A", edited), board("c", "C")] });
    const second = documentOf(await run({}, ["--json"]));
    expect(second).toMatchObject({ exitCode: 0, commits: [{ archive: nameAt(72) }, { archive: nameAt(96) }] });
    expect(subjects(folder).slice(3)).toEqual(['+ dashboard "C"', "Nothing changed"]);
    expect(git(folder, "rev-parse", "HEAD~2")).toBe(before);
    expect(second["head"]).toBe(git(folder, "rev-parse", "HEAD"));
    expect(documentOf(await run({}, ["--json"]))).toMatchObject({ commits: [], skipped: [] });
    // Another folder gets the same commits, so that two machines agree.
    const other = historyOf(stage);
    await other.run();
    expect(git(other.folder, "rev-parse", "HEAD")).toBe(git(folder, "rev-parse", "HEAD"));
  });

  it("goes on after commits of other people, and in a clone", async () => {
    const stage = await threeDays();
    const { folder, run } = historyOf(stage);
    await run();
    await writeFile(join(folder, "README.md"), "ours\n");
    git(folder, "add", ".");
    git(folder, "commit", "--quiet", "-m", "A page");
    const clone = join(temporaryFolder(), "clone");
    git("/", "clone", "--quiet", folder, clone);
    await stage.clock.advance(DAY);
    await stage.backup({ records: [board("c", "C")] });
    expect(await historyOf(stage, clone).run()).toMatchObject({ exitCode: 0 });
    expect(files(clone)).toEqual(["README.md", "dashboards/c.yaml"]);
  });

  it("begins where --since says, ends where @TIME says, and leaves no gap later", async () => {
    const stage = await threeDays();
    const { folder, run } = historyOf(stage);
    await stage.clock.advance(DAY);
    await stage.backup({ records: [board("c", "C"), board("d", "D")] });
    const early = await runCli(["log", `${stage.path}/s@2026-11-22`, "--git", folder, "--since", "2026-11-22"], {
      env: { PATH, HOME: homedir() },
    });
    expect(early).toMatchObject({ exitCode: 0 });
    expect(subjects(folder)).toEqual(['~ dashboard "A": tile "tile t1": w 6 → 12']);
    expect(files(folder)).toEqual(["dashboards/a.yaml", "dashboards/b.yaml"]);
    expect(await run({}, ["--since", "2026-11-24"])).toMatchObject({ exitCode: 0 });
    expect(subjects(folder).slice(1)).toEqual(['- dashboard "B"', "1 removed, 2 added"]);
  });

  it("leaves files of a kind alone that a backup could not read", async () => {
    const search = sampleRecord("x", "saved-searches", { name: "X" });
    const kinds = {
      dashboards: { status: "complete", count: 1 },
      "saved-searches": { status: "failed", count: 0 },
    } as const;
    const stage = await dailyBackups([board("a", "A"), search], { records: [board("b", "B")], kinds });
    await stage.accept();
    const { folder, run } = historyOf(stage);
    expect(await run()).toMatchObject({ exitCode: 3 });
    expect(files(folder)).toEqual(["dashboards/b.yaml", "saved-searches/x.yaml"]);
  });

  it("leaves suspect and damaged backups out, and says which and why", async () => {
    const many = ["a", "b", "c", "d"].map((id) => board(id, id));
    const stage = await dailyBackups(many, [board("a", "a")], many, [...many, board("e", "e")]);
    const suspect = historyOf(stage);
    const run = await suspect.run();
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stderr).toMatch(/20261122T041500Z\.zip is left out: /);
    expect(subjects(suspect.folder)).toEqual(["4 records", "Nothing changed", '+ dashboard "e"']);
    await stage.overwrite(nameAt(48), "rotten");
    const { exitCode, skipped } = documentOf(await historyOf(stage).run({}, ["--json"]));
    expect(exitCode).toBe(3);
    expect(skipped).toMatchObject([
      { archive: nameAt(24), problem: { code: "suspect-backup" } },
      { archive: nameAt(48), problem: { code: "damaged-backup" } },
    ]);
  });

  it("tells the changes of a backup that proves damaged along with those of the next one", async () => {
    const first = [sampleRecord("one", "webhooks", { service: "generic" }), board("a", "A")];
    const second = [...first, board("b", "B")];
    const stage = await dailyBackups(first, second, [...second, board("c", "C")]);
    await stage.damage(nameAt(24), "first record");
    const { folder, run } = historyOf(stage);
    const { exitCode, skipped } = documentOf(await run({}, ["--json"]));
    expect({ exitCode, skipped }).toMatchObject({
      exitCode: 3,
      skipped: [{ archive: nameAt(24), problem: { code: "unreadable-record" } }],
    });
    expect(subjects(folder)).toEqual(["2 records", "2 added"]);
    expect(git(folder, "log", "-1", "--format=%b")).toMatch(/dashboard "B"[^]*dashboard "C"/);
  });

  it("leaves encrypted backups without their key out", async () => {
    const stage = await dailyBackups({ encrypted: true });
    const { folder, run } = historyOf(stage);
    const document = documentOf(await run({}, ["--json"]));
    expect(document).toMatchObject({ exitCode: 3, commits: [], skipped: [{ problem: { code: "wrong-key" } }] });
    expect(existsSync(folder)).toBe(false);
  });

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
    expect(await run(variables)).toMatchObject({ exitCode: 0 });
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
    const { folder, run } = historyOf(stage);
    expect(await run()).toMatchObject({ exitCode: 0 });
    for (const file of files(folder)) expect(file).toMatch(/^dashboards\/[\p{L}\p{N}][\p{L}\p{N}-]*\.yaml$/u);
    expect(files(folder)).toHaveLength(8);
    expect(documentOf(await run({}, ["--json"]))).toMatchObject({ exitCode: 0, commits: [] });
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
    git(folder, "init", "--quiet");
    await writeFile(join(folder, "mine.txt"), "mine");
    git(folder, "add", ".");
    git(folder, "commit", "--quiet", "-m", "Mine");
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
    await stage.clock.advance(DAY);
    await stage.backup({ records: [board("c", "C")] });
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
    for (const flags of [["--kinds", "alerts"], ["--include", "A"], ["--patch"]])
      expect(await run({}, flags)).toMatchObject({ exitCode: 2 });
    expect(await runCli(["log", `${stage.path}/t`, "--git", folder], { env: { PATH } })).toMatchObject({ exitCode: 2 });
    const without = await run({ PATH: temporaryFolder() });
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
