import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  editJournal,
  journalsIn,
  programAfterImport,
  programWithFiles,
  watchWrites,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { documentOf, type CliRun } from "../../support/run-cli.ts";

const pathOf = ({ cwd }: ProgramWithArchive): string => journalsIn(cwd)[0] ?? "";

const importsOf = (program: ProgramWithArchive): (() => Promise<CliRun>)[] => [
  () => program.import(),
  () => program.import("--dry-run"),
];
const commandsOf = (program: ProgramWithArchive): (() => Promise<CliRun>)[] => [
  ...importsOf(program),
  () => program.run(["rollback", "--run", "1", "--to", program.to.stack]),
  () => program.run(["rollback", "--list", "--to", program.to.stack]),
];

/** Expects that each command refuses the journal, and writes nothing to the stack. */
async function expectRefused(program: ProgramWithArchive, commands = commandsOf(program), hint = /./): Promise<void> {
  const writes = watchWrites(program);
  for (const command of commands) {
    const error = { code: "journal", hint: expect.stringMatching(hint) };
    expect(documentOf(await command())).toMatchObject({ exitCode: 2, error });
  }
  expect(writes).toEqual([]);
}

describe("a journal", () => {
  it.each([
    ["another line", "remember: call Ada\n"],
    ["bytes", "\0\0\0"],
  ])("is never made of a file of %s, which every command refuses and leaves as it is", async (_, text) => {
    await using program = await programAfterImport();
    await writeFile(pathOf(program), text);
    await expectRefused(program);
    expect(await readFile(pathOf(program), "utf8")).toBe(text);
  });

  it.each<[string, (path: string, real: string) => unknown]>([
    ["a link", (path, real) => symlink(real, path)],
    ["a folder", (path) => mkdir(path)],
    ["a FIFO", (path) => execFileSync("mkfifo", [path])],
  ])("is refused by every command, at once, if it is %s", async (_, make) => {
    await using program = await programAfterImport();
    const [path, real] = [pathOf(program), join(program.cwd, "real")];
    await rename(path, real);
    await make(path, real);
    await expectRefused(program);
  });

  it("is refused under the name of another pair", async () => {
    await using program = await programAfterImport();
    const { url } = program.from;
    await editJournal(program, (text) => text.replace(url, "http://elsewhere.test"));
    await expectRefused(program, importsOf(program));
  });

  it("that others can read or write is refused, with the command that mends it", async () => {
    await using program = await programAfterImport();
    const path = pathOf(program);
    for (const mode of [0o602, 0o644]) {
      await chmod(path, mode);
      await expectRefused(program, commandsOf(program), new RegExp(`chmod 600 ${path}$`));
    }
    execFileSync("chmod", ["600", path]);
    expect((await program.rollback()).exitCode).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)("may be of another user only if it is shared with a group of ours", async () => {
    await using program = await programAfterImport();
    const path = pathOf(program);
    execFileSync("chown", ["12345:54321", path]);
    for (const mode of [0o600, 0o660]) {
      await chmod(path, mode);
      await expectRefused(program, commandsOf(program), /chown \d+ \S+ && chmod 600/);
    }
    execFileSync("chown", [`12345:${process.getgid?.()}`, path]);
    await chmod(path, 0o660);
    expect((await program.import()).exitCode).toBe(0);
    expect((await program.rollback()).exitCode).toBe(0);
  });

  it("may move with its folder", async () => {
    await using program = await programAfterImport();
    execFileSync("mv", [join(program.cwd, ".stackferry"), join(program.cwd, "moved")]);
    const run = await program.run(["rollback", "--run", "1", "--to", program.to.stack, "--journals", "moved"]);
    expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { delete: 5 } });
  });
});

describe("a journal that is damaged after its first line", () => {
  it.each([
    ["another stack", "http://elsewhere:8000", 0],
    ["this stack", undefined, 2],
  ])("stops a run on its own target alone: %s", async (_, baseUrl, exitCode) => {
    await using program = await programAfterImport();
    const [header = ""] = (await readFile(pathOf(program), "utf8")).split("\n");
    const line = JSON.parse(header) as { source: object; target: { baseUrl: string } };
    const source = { ...line.source, baseUrl: "http://third:8000" };
    const target = { ...line.target, baseUrl: baseUrl ?? line.target.baseUrl };
    const other = join(program.cwd, ".stackferry", "third--other.journal");
    await writeFile(other, `${JSON.stringify({ ...line, source, target })}\n{"type":"intent"}\n`, { mode: 0o600 });
    const runs = [];
    for (const command of commandsOf(program)) runs.push((await command()).exitCode);
    expect(runs).toEqual([exitCode, exitCode, exitCode, exitCode]);
  });

  it("stops no export of files onto others than its own", async () => {
    await using program = await programWithFiles();
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
});
