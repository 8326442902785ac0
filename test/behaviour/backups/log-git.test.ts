import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleRecord } from "../../support/archive-samples.ts";
import { dailyBackups, nameAt, nextDay } from "../../support/backup-stage.ts";
import { board } from "../../support/edited-stack.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { commitFile, edited, files, git, hasGit, historyOf, subjects, threeDays } from "./git-history.ts";

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
    const { folder, run, json } = historyOf(stage);
    await run();
    const before = git(folder, "rev-parse", "HEAD");
    for (const _day of [4, 5]) await nextDay(stage, { records: [board("a", "A", edited), board("c", "C")] });
    const second = await json();
    expect(second).toMatchObject({ exitCode: 0, commits: [{ archive: nameAt(72) }, { archive: nameAt(96) }] });
    expect(subjects(folder).slice(3)).toEqual(['+ dashboard "C"', "Nothing changed"]);
    expect(git(folder, "rev-parse", "HEAD~2")).toBe(before);
    expect(second["head"]).toBe(git(folder, "rev-parse", "HEAD"));
    expect(await json()).toMatchObject({ commits: [], skipped: [] });
    // Another folder gets the same commits, so that two machines agree.
    const other = historyOf(stage);
    await other.run();
    expect(git(other.folder, "rev-parse", "HEAD")).toBe(git(folder, "rev-parse", "HEAD"));
  });

  it("goes on after commits of other people, and in a clone", async () => {
    const stage = await threeDays();
    const { folder, run } = historyOf(stage);
    await run();
    await commitFile(folder, "README.md", "A page");
    const clone = join(temporaryFolder(), "clone");
    git("/", "clone", "--quiet", folder, clone);
    await nextDay(stage, { records: [board("c", "C")] });
    expect(await historyOf(stage, clone).run()).toMatchObject({ exitCode: 0 });
    expect(files(clone)).toEqual(["README.md", "dashboards/c.yaml"]);
  });

  it("begins where --since says, ends where @TIME says, and leaves no gap later", async () => {
    const stage = await threeDays();
    const { folder, run } = historyOf(stage);
    await nextDay(stage, { records: [board("c", "C"), board("d", "D")] });
    const early = await historyOf(stage, folder, "s@2026-11-22").run("--since 2026-11-22");
    expect(early).toMatchObject({ exitCode: 0 });
    expect(subjects(folder)).toEqual(['~ dashboard "A": tile "tile t1": w 6 → 12']);
    expect(files(folder)).toEqual(["dashboards/a.yaml", "dashboards/b.yaml"]);
    expect(await run("--since 2026-11-24")).toMatchObject({ exitCode: 0 });
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
    const { exitCode, skipped } = await historyOf(stage).json();
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
    const { folder, json } = historyOf(stage);
    const { exitCode, skipped } = await json();
    expect({ exitCode, skipped }).toMatchObject({
      exitCode: 3,
      skipped: [{ archive: nameAt(24), problem: { code: "unreadable-record" } }],
    });
    expect(subjects(folder)).toEqual(["2 records", "2 added"]);
    expect(git(folder, "log", "-1", "--format=%b")).toMatch(/dashboard "B"[^]*dashboard "C"/);
  });

  it("leaves encrypted backups without their key out", async () => {
    const stage = await dailyBackups({ encrypted: true });
    const { folder, json } = historyOf(stage);
    expect(await json()).toMatchObject({ exitCode: 3, commits: [], skipped: [{ problem: { code: "wrong-key" } }] });
    expect(existsSync(folder)).toBe(false);
  });
});
