import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf, type CliRun } from "../support/run-cli.ts";
import { importedBench, journalsIn, smallBench, watchWrites, type SmallBench } from "../support/small-bench.ts";

const refused = (run: CliRun): void => {
  expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "journal" } });
};
const hintOf = (run: CliRun): string => (documentOf(run)["error"] as { hint: string }).hint;
const pathOf = ({ cwd }: SmallBench): string => journalsIn(cwd)[0] ?? "";
const commands = (bench: SmallBench): (() => Promise<CliRun>)[] => [
  () => bench.import(),
  () => bench.import("--dry-run"),
  () => bench.run(["rollback", "--run", "1", "--to", bench.to.stack]),
  () => bench.run(["rollback", "--list", "--to", bench.to.stack]),
];

describe("a journal", () => {
  it.each([
    ["another line", "remember: call Ada\n"],
    ["a line without a line end", "hunter2"],
    ["an object", '{"name":"notes"}\n'],
    ["a run without its pair", '{"type":"begin","at":"2026-01-01T00:00:00.000Z","run":1}\n'],
    ["bytes", "\0\0\0"],
  ])("is never made of another file, which stays as it is: %s", async (_, text) => {
    await using bench = await importedBench();
    const path = pathOf(bench);
    const writes = watchWrites(bench);
    await writeFile(path, text);
    for (const run of commands(bench)) refused(await run());
    expect([await readFile(path, "utf8"), writes]).toEqual([text, []]);
  });

  it("of another pair is refused under this pair's name, before anything is written", async () => {
    await using bench = await importedBench();
    await using other = await smallBench();
    const writes = watchWrites(other);
    const name = await namedJournal(other);
    await copyFile(pathOf(bench), name);
    await chmod(name, 0o600);
    for (const run of [await other.import(), await other.import("--dry-run")]) refused(run);
    expect(writes).toEqual([]);
  });

  it("that others can read or write is refused, with the command that mends it", async () => {
    await using bench = await importedBench();
    const path = pathOf(bench);
    const writes = watchWrites(bench);
    for (const mode of [0o602, 0o604, 0o644, 0o666]) {
      await chmod(path, mode);
      for (const command of commands(bench)) {
        const run = await command();
        refused(run);
        expect(hintOf(run)).toContain(`chmod 600 ${path}`);
      }
    }
    expect(writes).toEqual([]);
    execFileSync("chmod", ["600", path]);
    expect((await bench.rollback()).exitCode).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)("may be of another user only if it is shared with a group of ours", async () => {
    await using bench = await importedBench();
    const path = pathOf(bench);
    execFileSync("chown", ["12345:54321", path]);
    for (const mode of [0o600, 0o660]) {
      await chmod(path, mode);
      for (const command of commands(bench)) {
        const run = await command();
        refused(run);
        expect(hintOf(run)).toMatch(/chown \d+ \S+ && chmod 600/);
      }
    }
    execFileSync("chown", [`12345:${process.getgid?.()}`, path]);
    await chmod(path, 0o660);
    expect((await bench.import()).exitCode).toBe(0);
    expect((await bench.rollback()).exitCode).toBe(0);
  });

  it("is refused at once if it is a link, a folder or a FIFO", async () => {
    await using bench = await importedBench();
    const path = pathOf(bench);
    await copyFile(path, join(bench.cwd, "real"));
    const makes: (() => unknown)[] = [
      () => symlink(join(bench.cwd, "real"), path),
      () => mkdir(path),
      () => execFileSync("mkfifo", [path]),
    ];
    for (const make of makes) {
      await rm(path, { recursive: true });
      await make();
      for (const run of commands(bench)) refused(await run());
    }
  });

  it("may move with its folder", async () => {
    await using bench = await importedBench();
    execFileSync("mv", [join(bench.cwd, ".stackferry"), join(bench.cwd, "moved")]);
    const run = await bench.run(["rollback", "--run", "1", "--to", bench.to.stack, "--journals", "moved"]);
    expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { delete: 5 } });
  });
});

/** Returns the path that the journal of a bench has. */
async function namedJournal({ cwd, from, to }: SmallBench): Promise<string> {
  const [source, target] = [from, to].map(({ url }) => new URL(url).host.replace(":", "-"));
  const folder = join(cwd, ".stackferry");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return join(folder, `${source}--${target}.journal`);
}
