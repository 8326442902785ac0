import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StackIdentity } from "../../../src/core/records/record.ts";
import { journalFinder, memoryJournals, type ImportPair } from "../../../src/library/steps/journal-place.ts";
import type { Sandbox } from "../../../src/sandbox/start-sandbox.ts";
import { beginEntry, runNumbers } from "../../support/journal-file.ts";
import { changeOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import {
  journalsIn,
  programAfterImport,
  programAfterMigration,
  programWithArchive,
} from "../../support/program-with-archive.ts";
import { documentOf } from "../../support/run-cli.ts";

describe("the journal of a pair", () => {
  it("is private, holds no body of a create, and is that of all runs: a rename at the source is an update", async () => {
    await using stage = await programAfterMigration();
    const [path = ""] = journalsIn(stage.cwd);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const text = await readFile(path, "utf8");
    expect(text).not.toMatch(/displayType|above|"count"|hooks\.example/);
    expect(stage.entries()[0]).toMatchObject({ type: "journal", format: "stackferry-journal", version: 1 });
    await changeOn(stage.from, "dashboards", { name: "First" }, "One");
    const dry = await stage.run(stage.migration("--dry-run"));
    expect(documentOf(dry)["updates"]).toMatchObject([{ name: "First", targetName: "One" }]);
    expect(await readFile(path, "utf8")).toBe(text);
    await stage.run(["export", "--from", stage.from.stack, "--out", "b.zip"]);
    const run = await stage.run(["import", "b.zip", "--to", stage.to.stack]);
    expect(run.exitCode, run.stdout).toBe(0);
    expect(documentOf(run)["journal"]).toBe(path);
    expect(await sortedNamesOn(stage.to)).toEqual(["First", "Three", "Two"]);
    expect(await recordsOn(stage.to, "alerts")).toHaveLength(2);
    expect(journalsIn(stage.cwd)).toEqual([path]);
    expect(runNumbers(stage.entries())).toEqual([1, 2]);
  });

  it("is one of its own for a name prefix, under which copies are made once", async () => {
    await using stage = await programAfterMigration();
    const copies = stage.migration("--name-prefix", "Copy of ");
    for (const _run of [1, 2]) expect((await stage.run(copies)).exitCode).toBe(0);
    expect(journalsIn(stage.cwd)).toHaveLength(2);
    const names = ["One", "Three", "Two"];
    expect(await sortedNamesOn(stage.to)).toEqual([...names.map((name) => `Copy of ${name}`), ...names]);
    // The runs of all journals of a stack have numbers of their own.
    expect((await stage.run(["rollback", "--run", "2", "--to", stage.to.stack])).exitCode).toBe(0);
    expect(await sortedNamesOn(stage.to)).toEqual(names);
  });

  it("gets no line from a run that wrote and saw nothing new, nor from a dry run, which makes none", async () => {
    await using stage = await programAfterImport();
    const [path = ""] = journalsIn(stage.cwd);
    const text = await readFile(path, "utf8");
    expect((await stage.import()).exitCode).toBe(0);
    expect((await stage.import("--dry-run")).exitCode).toBe(0);
    expect(await readFile(path, "utf8")).toBe(text);
    await using other = await programWithArchive();
    expect((await other.import("--dry-run")).exitCode).toBe(0);
    expect(await readdir(other.cwd)).toEqual(["a.zip"]);
  });

  it("lies in `.stackferry` beside the configuration, or where --journals says, with a .gitignore", async () => {
    await using stage = await programWithArchive();
    await stage.import();
    const name = basename(journalsIn(stage.cwd)[0] ?? "");
    const filesIn = async (folder: string): Promise<string[]> => (await readdir(join(stage.cwd, folder))).toSorted();
    expect(await filesIn(".stackferry")).toEqual([name, ".gitignore"].toSorted());
    expect(await readFile(join(stage.cwd, ".stackferry", ".gitignore"), "utf8")).toBe("*\n");
    await stage.import("--journals", "elsewhere");
    expect(await filesIn("elsewhere")).toEqual([name, ".gitignore"].toSorted());
    await writeFile(join(stage.cwd, "stackferry.yaml"), "journals: third\n");
    await stage.import();
    expect(await filesIn("third")).toContain(name);
  });

  it("is that of two addresses: a stack has one under each of its names, and a name that leads elsewhere another", async () => {
    await using stage = await programWithArchive();
    await stage.import();
    const names = journalsIn(stage.cwd);
    const importAs = async ({ url, apiKey }: Sandbox): Promise<void> => {
      const stack = { variant: "self-hosted", baseUrl: url, apiKey };
      const config = JSON.stringify({ stacks: { production: stack } });
      await writeFile(join(stage.cwd, "stackferry.yaml"), config, { mode: 0o600 });
      expect((await stage.run(["import", "a.zip", "--to", "production"])).exitCode).toBe(0);
    };
    await importAs(stage.to);
    expect(journalsIn(stage.cwd)).toEqual(names);
    await importAs(stage.from);
    expect(journalsIn(stage.cwd)).toHaveLength(2);
  });

  it.each([
    ["by default", ".stackferry", []],
    ["by --journals", "f", ["--journals", "f/deep"]],
  ])("in a folder that cannot be made ends the run before any request: %s", async (_, file, more) => {
    await using stage = await programWithArchive();
    await writeFile(join(stage.cwd, file), "a file in the place of the folder");
    const message = expect.stringContaining(join(stage.cwd, file));
    const error = { code: "journal", message, hint: expect.stringContaining("journals:") };
    expect(documentOf(await stage.import(...more))).toMatchObject({ exitCode: 2, error });
    expect(stage.to.stats().total).toBe(0);
  });
});

describe("each pair has a journal of its own", () => {
  const stack = (baseUrl: string): StackIdentity => ({ variant: "self-hosted", baseUrl });
  const target = stack("http://target:8000");
  const ofFiles = (files: string): ImportPair => ({ source: target, files: join("/work", files), target });
  const pairs: readonly ImportPair[] = [
    ...["/a", "/b", "", "/a/b", "/a-b", `/${"z".repeat(1000)}`].map((path) => ({
      source: stack(`https://gate${path}`),
      target,
    })),
    ...["teams/a", "teams-a", "日本", "中国", "", "x".repeat(3000)].map(ofFiles),
    ...["[copy] ", "copy: ", "🎉", "⭐", "y".repeat(1000)].map((namePrefix) => ({
      source: target,
      target,
      namePrefix,
    })),
  ];

  it("in a file, whose name no file system refuses", () => {
    const find = journalFinder({ folder: "/j", base: "/work" });
    const names = pairs.map((pair) => basename(find(pair).path ?? ""));
    expect(new Set(names).size).toBe(pairs.length);
    for (const name of names) expect(name).toMatch(/^\w[\w.-]{0,240}\.journal$/);
    expect(basename(find(ofFiles("stack")).path ?? "")).toBe("stack--target-8000.journal");
  });

  it("in memory", async () => {
    const find = memoryJournals();
    for (const pair of pairs) {
      expect((await find(pair).read()).entries).toEqual([]);
      await using journal = await find(pair).open();
      await journal.append(beginEntry);
    }
  });
});
