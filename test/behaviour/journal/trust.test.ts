import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StackIdentity } from "../../../src/core/records/record.ts";
import { journalFinder, memoryJournals, type ImportPair } from "../../../src/library/steps/journal-place.ts";
import { documentOf, type CliRun } from "../../support/run-cli.ts";
import {
  programAfterImport,
  journalsIn,
  programWithArchive,
  watchWrites,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";

const refused = (run: CliRun): void => {
  expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "journal" } });
};
const hintOf = (run: CliRun): string => (documentOf(run)["error"] as { hint: string }).hint;
const pathOf = ({ cwd }: ProgramWithArchive): string => journalsIn(cwd)[0] ?? "";
const commands = (program: ProgramWithArchive): (() => Promise<CliRun>)[] => [
  () => program.import(),
  () => program.import("--dry-run"),
  () => program.run(["rollback", "--run", "1", "--to", program.to.stack]),
  () => program.run(["rollback", "--list", "--to", program.to.stack]),
];

describe("a journal", () => {
  it.each([
    ["another line", "remember: call Ada\n"],
    ["bytes", "\0\0\0"],
  ])("is never made of another file, which stays as it is: %s", async (_, text) => {
    await using program = await programAfterImport();
    const path = pathOf(program);
    const writes = watchWrites(program);
    await writeFile(path, text);
    for (const run of commands(program)) refused(await run());
    expect([await readFile(path, "utf8"), writes]).toEqual([text, []]);
  });

  it("of another pair is refused under this pair's name, before anything is written", async () => {
    await using program = await programAfterImport();
    await using other = await programWithArchive();
    const writes = watchWrites(other);
    const name = await namedJournal(other);
    await copyFile(pathOf(program), name);
    await chmod(name, 0o600);
    for (const run of [await other.import(), await other.import("--dry-run")]) refused(run);
    expect(writes).toEqual([]);
  });

  it("that others can read or write is refused, with the command that mends it", async () => {
    await using program = await programAfterImport();
    const path = pathOf(program);
    const writes = watchWrites(program);
    for (const mode of [0o602, 0o644]) {
      await chmod(path, mode);
      for (const command of commands(program)) {
        const run = await command();
        refused(run);
        expect(hintOf(run)).toContain(`chmod 600 ${path}`);
      }
    }
    expect(writes).toEqual([]);
    execFileSync("chmod", ["600", path]);
    expect((await program.rollback()).exitCode).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)("may be of another user only if it is shared with a group of ours", async () => {
    await using program = await programAfterImport();
    const path = pathOf(program);
    execFileSync("chown", ["12345:54321", path]);
    for (const mode of [0o600, 0o660]) {
      await chmod(path, mode);
      for (const command of commands(program)) {
        const run = await command();
        refused(run);
        expect(hintOf(run)).toMatch(/chown \d+ \S+ && chmod 600/);
      }
    }
    execFileSync("chown", [`12345:${process.getgid?.()}`, path]);
    await chmod(path, 0o660);
    expect((await program.import()).exitCode).toBe(0);
    expect((await program.rollback()).exitCode).toBe(0);
  });

  it("is refused at once if it is a link, a folder or a FIFO", async () => {
    await using program = await programAfterImport();
    const path = pathOf(program);
    await copyFile(path, join(program.cwd, "real"));
    const makes: (() => unknown)[] = [
      () => symlink(join(program.cwd, "real"), path),
      () => mkdir(path),
      () => execFileSync("mkfifo", [path]),
    ];
    for (const make of makes) {
      await rm(path, { recursive: true });
      await make();
      for (const run of commands(program)) refused(await run());
    }
  });

  it.each([
    ["another stack", "http://elsewhere:8000", 0],
    ["this stack", undefined, 2],
  ])("that is damaged after its first line stops a run on its own target alone: %s", async (_, baseUrl, exitCode) => {
    await using program = await programAfterImport();
    const [header = ""] = (await readFile(pathOf(program), "utf8")).split("\n");
    const line = JSON.parse(header) as { source: object; target: { baseUrl: string } };
    const source = { ...line.source, baseUrl: "http://third:8000" };
    const target = { ...line.target, baseUrl: baseUrl ?? line.target.baseUrl };
    const other = join(program.cwd, ".stackferry", "third--other.journal");
    await writeFile(other, `${JSON.stringify({ ...line, source, target })}\n{"type":"intent"}\n`, { mode: 0o600 });
    const runs = [];
    for (const command of commands(program)) runs.push((await command()).exitCode);
    expect(runs).toEqual([exitCode, exitCode, exitCode, exitCode]);
  });

  it("that is damaged after its first line stops no export of files onto others than its own", async () => {
    await using program = await programWithArchive();
    await program.writeFiles();
    const folder = join(program.cwd, "journals-of-the-source");
    const [own = ""] = (await readdir(folder)).filter((name) => name.endsWith(".journal"));
    const [header = ""] = (await readFile(join(folder, own), "utf8")).split("\n");
    const other = `${JSON.stringify({ ...JSON.parse(header), source: { files: "../elsewhere" } })}\n{"type":"intent"}\n`;
    await rm(join(folder, own));
    await writeFile(join(folder, "elsewhere--it.journal"), other, { mode: 0o600 });
    const code = ["--format", "code", "--out", "files", "--journals", "journals-of-the-source"];
    const run = documentOf(await program.run(["export", "--from", program.from.stack, ...code]));
    expect(run).toMatchObject({ exitCode: 0, warnings: [{ code: "no-journal" }] });
  });

  it("may move with its folder", async () => {
    await using program = await programAfterImport();
    execFileSync("mv", [join(program.cwd, ".stackferry"), join(program.cwd, "moved")]);
    const run = await program.run(["rollback", "--run", "1", "--to", program.to.stack, "--journals", "moved"]);
    expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { delete: 5 } });
  });
});

/** Returns the path that the journal of a program has. */
async function namedJournal({ cwd, from, to }: ProgramWithArchive): Promise<string> {
  const [source, target] = [from, to].map(({ url }) => new URL(url).host.replace(":", "-"));
  const folder = join(cwd, ".stackferry");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return join(folder, `${source}--${target}.journal`);
}

describe("each pair has a journal of its own", () => {
  const folder = "/j";
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
    const find = journalFinder({ folder, base: "/work" });
    const names = pairs.map((pair) => basename(find(pair).path ?? ""));
    expect(new Set(names).size).toBe(pairs.length);
    for (const name of names) expect(name).toMatch(/^\w[\w.-]{0,240}\.journal$/);
    expect(basename(find(ofFiles("stack")).path ?? "")).toBe("stack--target-8000.journal");
  });

  it("in memory", async () => {
    const find = memoryJournals();
    for (const [index, pair] of pairs.entries()) {
      expect((await find(pair).read()).entries).toEqual([]);
      await using journal = await find(pair).open();
      await journal.append({ type: "begin", at: "2026-01-01T00:00:00.000Z", run: index + 1 });
    }
  });
});
