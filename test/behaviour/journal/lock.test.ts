import { mkdir, readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import { IMPORT, programWithSampleArchive } from "../../support/program-with-sample-archive.ts";
import { documentOf, type CliRun } from "../../support/run-cli.ts";
import {
  programAfterImport,
  isWrite,
  journalsIn,
  lockFileOf,
  outcomesOf,
  passThrough,
  programWithArchive,
  type ProgramWithArchive,
  programWithFiles,
} from "../../support/program-with-archive.ts";

/** An id that no process has, because it is above the largest id that Linux gives. */
const DEAD = 2 ** 22 + 1;
const holder = (host: string, pid = process.ppid): string => JSON.stringify({ pid, host });

/** Makes a backup of the source beside the program's archive and files. */
async function programWithAll(): Promise<ProgramWithArchive> {
  const program = await programAfterImport();
  await program.writeFiles();
  await mkdir(join(program.cwd, "repo"));
  expect((await program.run(["backup", program.from.stack, "--to", "repo"])).exitCode).toBe(0);
  return program;
}

/** Gives the lock of the target to somebody. */
async function lock(program: Pick<ProgramWithArchive, "cwd" | "to">, text: string): Promise<void> {
  await mkdir(dirname(lockFileOf(program)), { recursive: true });
  await writeFile(lockFileOf(program), text);
}

/** The commands that may write to the target. */
const commandsOf = (program: ProgramWithArchive): readonly (readonly [string, string[]])[] => {
  const onto = ["--to", program.to.stack];
  return [
    ["import", ["import", "a.zip", ...onto]],
    ["apply", ["apply", "files", ...onto]],
    ["migrate", program.migration()],
    ["restore", ["restore", `repo/${new URL(program.from.url).host.replace(":", "-")}@latest`, ...onto]],
    ["rollback", ["rollback", "--run", "1", ...onto]],
  ];
};

describe("two machines that import at the same time", () => {
  it.each(["self-hosted", "managed"] as const)(
    "double every record, and the one that checks last names each of them, on a %s target",
    async (variant) => {
      let other: Promise<CliRun> | undefined;
      await using stacks = await programWithSampleArchive({
        variant,
        intercept: async (request, proceed) => {
          if (isWrite(request) && other === undefined) {
            other = stacks.run(`${IMPORT} --json --journals other`);
            await other;
          }
          return proceed();
        },
      });
      // With one request at a time, the other run finds nothing of this one.
      const run = await stacks.run(`${IMPORT} --json --concurrency 1`);
      expect((await other)?.exitCode).toBe(0);
      const created = outcomesOf(run).filter(({ action }) => action === "create");
      expect(new Set(created.map(({ kind }) => kind))).toEqual(new Set(["saved-searches", "dashboards", "alerts"]));
      expect(created.filter(({ status, code }) => status !== "failed" || code !== "doubled")).toEqual([]);
      expect(run.exitCode).toBe(3);
    },
  );
});

describe("the lock of a target", () => {
  it("ends every command that may write before it has read the target, says who holds it, and ends no dry run", async () => {
    await using program = await programWithAll();
    await lock(program, holder("elsewhere.test", 4711));
    for (const [name, args] of commandsOf(program)) {
      const before = program.to.stats().total;
      const message = expect.stringMatching(/4711.*elsewhere\.test/);
      expect(documentOf(await program.run(args)), name).toMatchObject({
        exitCode: 7,
        error: { code: "locked", message },
      });
      expect(program.to.stats().total).toBe(before);
      expect((await program.run([...args, "--dry-run"])).exitCode, name).toBe(0);
    }
  });

  it("is held from the first list to the last request, and two runs of other archives double nothing", async () => {
    await using program = await programWithFiles();
    const others: unknown[] = [];
    let seen = 0;
    program.watch = async (request, proceed) => {
      const answer = await proceed();
      seen += 1;
      // The other runs begin at the first list of the first run, and at one of its writes.
      if (seen !== 1 && !(isWrite(request) && request.routeCount === 1)) return answer;
      for (const args of [program.migration(), ["apply", "files", "--to", program.to.stack]]) {
        others.push(documentOf(await program.run(args)));
      }
      return answer;
    };
    const first = await program.import();
    expect(first.exitCode).toBe(0);
    expect(others.length).toBeGreaterThanOrEqual(4);
    for (const other of others) expect(other).toMatchObject({ exitCode: 7, error: { code: "locked" } });
    expect(await recordsOn(program.to, "dashboards")).toHaveLength(3);
    expect(await recordsOn(program.to, "alerts")).toHaveLength(2);
    program.watch = passThrough;
    expect(documentOf(await program.import())).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
  });

  it("is taken over from a process that has ended, and is gone after the run", async () => {
    await using program = await programWithArchive();
    await lock(program, holder(hostname(), DEAD));
    expect((await program.import()).exitCode).toBe(0);
    const [journal = ""] = journalsIn(program.cwd);
    expect((await readdir(dirname(lockFileOf(program)))).toSorted()).toEqual([".gitignore", basename(journal)]);
    expect((await readdir(program.cwd)).toSorted()).toEqual([".stackferry", "a.zip"]);
  });

  it("is beside the configuration file, wherever the command runs", async () => {
    await using program = await programWithArchive();
    const conf = join(program.cwd, "conf");
    await mkdir(conf);
    await writeFile(join(conf, "stackferry.yaml"), "stacks: {}\n");
    await lock({ ...program, cwd: conf }, holder("elsewhere.test"));
    expect((await program.import("--config", "conf/stackferry.yaml")).exitCode).toBe(7);
    expect((await program.import()).exitCode).toBe(0);
    await writeFile(join(conf, "stackferry.yaml"), "journals: ../there\n");
    expect((await program.import("--config", "conf/stackferry.yaml")).exitCode).toBe(0);
    expect(await readdir(join(program.cwd, "there"))).toContain(".gitignore");
    expect((await program.import("--journals", "conf/.stackferry")).exitCode).toBe(7);
    expect((await program.rollback("--journals", "conf/.stackferry")).exitCode).toBe(7);
  });
});
