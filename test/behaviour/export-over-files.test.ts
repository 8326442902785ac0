import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../support/start-sandbox.ts";
import { documentOf, type CliRun } from "../support/run-cli.ts";
import { programForOneStack, programFor, sampleWith, sandboxEnv } from "../support/program.ts";
import { changeOn, recordOn } from "../support/on-stack.ts";
import { outcomeLinesOf, warningCodes } from "../support/program-with-archive.ts";

const EXPORT = "export --from $STACK --format code --out stack";
const APPLY = "apply stack --to $STACK";
const BOARD = "stack/dashboards/audit-trail.yaml";
const seed = await sampleWith("self-hosted", "Audit trail", "Checkout latency", "Service overview");

/** Exports a stack as files into the folder `stack`. */
async function exportedFolder() {
  const program = await programForOneStack({ variant: "self-hosted", seed });
  const { exitCode, stderr } = await program.run(EXPORT);
  expect(exitCode, stderr).toBe(0);
  const path = (file: string): string => join(program.cwd, file);
  return {
    ...program,
    path,
    read: (file: string) => readFile(path(file), "utf8"),
    edit: async (file: string, from: string | RegExp, to: string) =>
      writeFile(path(file), (await readFile(path(file), "utf8")).replace(from, to)),
    rename: (from: string, name: string) => changeOn(program.stack, "dashboards", { name }, from),
    forget: () => rm(path(".stackferry"), { recursive: true }),
  };
}

/** Returns the lines of the outcomes that write, or that say that something is left. */
function changesOf(run: CliRun): string[] {
  return outcomeLinesOf(run).filter((line) => !/ matched$|unchanged /.test(line));
}

describe("an export over files", () => {
  it("names the path of a file that cannot be read, and writes nothing", async () => {
    await using folder = await exportedFolder();
    await folder.edit(BOARD, /^name: .*$/m, "name: [");
    const { exitCode, stderr } = await folder.run(EXPORT);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`stackferry: ${folder.path(BOARD)}:`)]);
  });

  it("leaves a saved answer of the API as it is, and takes another path for its record", async () => {
    await using folder = await exportedFolder();
    const answer = JSON.stringify({ data: await recordOn(folder.stack, "dashboards", "Audit trail") });
    await writeFile(folder.path(BOARD), `${answer} # saved by hand\n`);
    const { exitCode, stderr } = await folder.run(EXPORT);
    expect(exitCode, stderr).toBe(0);
    expect(await folder.read(BOARD)).toBe(`${answer} # saved by hand\n`);
    expect(await readdir(folder.path("stack/dashboards"))).toContain("audit-trail.2.yaml");
  });

  it("begins the journal: the first apply knows who has changed what, and a rename in a file is a rename", async () => {
    await using folder = await exportedFolder();
    await folder.edit(BOARD, /^name: .*$/m, "name: Trail of audits");
    await changeOn(folder.stack, "dashboards", { tags: ["by hand"] }, "Checkout latency");
    const plan = await folder.run(`${APPLY} --dry-run --json`);
    expect(warningCodes(plan)).not.toContain("no-journal");
    const changes = ["Checkout latency update planned edited", "Trail of audits update planned"];
    expect(changesOf(plan)).toEqual(expect.arrayContaining(changes));
    expect(changesOf(plan).filter((line) => line.includes("create"))).toEqual([]);
    const kept = await folder.run(`${APPLY} --dry-run --on-conflict keep --json`);
    const keeping = ["Checkout latency skip planned edited", "Trail of audits update planned"];
    expect(changesOf(kept)).toEqual(expect.arrayContaining(keeping));
  });

  it("keeps the file of a record that was renamed on the stack, and nothing is left to apply", async () => {
    await using folder = await exportedFolder();
    await folder.rename("Audit trail", "Trail of audits");
    const before = await readdir(folder.path("stack/dashboards"));
    const again = documentOf(await folder.run(`${EXPORT} --json`));
    expect(again).toMatchObject({ exitCode: 0, warnings: [] });
    expect(await readdir(folder.path("stack/dashboards"))).toEqual(before);
    expect(await folder.read(BOARD)).toContain("name: Trail of audits\n");
    expect(changesOf(await folder.run(`${APPLY} --dry-run --json`))).toEqual([]);
  });

  it("keeps the key of a file, whatever the record is called", async () => {
    await using folder = await exportedFolder();
    await folder.edit(BOARD, /^name: .*$/m, "name: Audit trail\nkey: audits");
    for (const name of ["Audit trail", "Trail of audits"]) {
      if (name !== "Audit trail") await folder.rename("Audit trail", name);
      const again = documentOf(await folder.run(`${EXPORT} --json`));
      expect(again).toMatchObject({ exitCode: 0, warnings: [] });
      expect(await folder.read(BOARD)).toContain(`name: ${name}\nkey: audits\n`);
      expect(changesOf(await folder.run(`${APPLY} --dry-run --json`))).toEqual([]);
    }
  });

  it("is refused without a journal if a file may be that of a renamed record, until --mirror says otherwise", async () => {
    await using folder = await exportedFolder();
    await folder.forget();
    await folder.rename("Audit trail", "Trail of audits");
    const before = await readdir(folder.path("stack/dashboards"));
    const refused = documentOf(await folder.run(`${EXPORT} --json`));
    expect(refused).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    expect(JSON.stringify(refused["error"])).toContain("dashboards/audit-trail.yaml");
    expect(JSON.stringify(refused["error"])).toContain("Trail of audits");
    expect(await readdir(folder.path("stack/dashboards"))).toEqual(before);
    expect((await folder.run(`${EXPORT} --mirror`)).exitCode).toBe(0);
    expect(changesOf(await folder.run(`${APPLY} --dry-run --json`))).toEqual([]);
  });

  it("lists the stack once, and so does the apply after it", async () => {
    const lists: string[] = [];
    await using stack = await startSandbox({
      variant: "self-hosted",
      seed,
      intercept: ({ route }, proceed) => {
        if (route === "GET dashboards" || route === "GET sources") lists.push(route);
        return proceed();
      },
    });
    await using program = programFor({ STACK: stack }, sandboxEnv(stack));
    for (const line of [EXPORT, `${APPLY} --dry-run`]) {
      lists.length = 0;
      expect((await program.run(line)).exitCode).toBe(0);
      expect(lists.toSorted()).toEqual(["GET dashboards", "GET sources"]);
    }
  });

  it("names the files that it changes and adds", async () => {
    await using folder = await exportedFolder();
    await folder.edit(BOARD, /^name: .*$/m, "name: Audit trail\ntags: [mine]");
    await rm(folder.path("stack/dashboards/checkout-latency.yaml"));
    const again = documentOf(await folder.run(`${EXPORT} --json`));
    expect(again).toMatchObject({
      archive: { files: { added: ["dashboards/checkout-latency.yaml"], changed: ["dashboards/audit-trail.yaml"] } },
    });
    const silent = await folder.run(`${EXPORT} --quiet`);
    expect(silent.stdout + silent.stderr).toBe("");
  });

  it("does not call the files of records that it leaves out files of records that are gone", async () => {
    await using folder = await exportedFolder();
    const some = await folder.run(`${EXPORT} --include "Audit trail" --json`);
    expect(warningCodes(some)).not.toContain("files-left");
  });

  it("is refused over the files of another stack, and into a repository of backups", async () => {
    await using folder = await exportedFolder();
    await using other = await startSandbox({ variant: "self-hosted", seed });
    await using both = programFor({ OTHER: other }, sandboxEnv(other));
    const options = { cwd: folder.cwd };
    const before = await folder.read(BOARD);
    const over = documentOf(await both.run("export --from $OTHER --format code --out stack --json", options));
    expect(over).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    expect(await folder.read(BOARD)).toBe(before);
    await mkdir(folder.path("backups"));
    expect((await folder.run("backup $STACK --to backups")).exitCode).toBe(0);
    const into = documentOf(await folder.run("export --from $STACK --format code --out backups --json"));
    expect(into).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    expect(await readdir(folder.path("backups"))).toHaveLength(1);
    const [name = ""] = await readdir(folder.path("backups"));
    const zip = (await readdir(folder.path(`backups/${name}`))).find((file) => file.endsWith(".zip"));
    expect((await folder.run(`export --from $STACK --out backups/${name}/${zip}`)).exitCode).toBe(2);
  });
});

describe("an export over an archive", () => {
  it("says what it replaces, and is refused over an archive of another stack", async () => {
    await using folder = await programForOneStack({ variant: "self-hosted", seed: "bare" });
    await using other = await startSandbox({ variant: "self-hosted", seed: "bare" });
    await using both = programFor({ OTHER: other }, sandboxEnv(other));
    for (const more of ["--out a.zip", "--out a --format folder"]) {
      const first = documentOf(await folder.run(`export --from $STACK --json ${more}`));
      expect(first).toMatchObject({ exitCode: 0, archive: { path: expect.any(String) } });
      expect(Object(first["archive"])).not.toHaveProperty("replaced");
      const second = documentOf(await folder.run(`export --from $STACK --json ${more}`));
      expect(second).toMatchObject({ exitCode: 0, archive: { replaced: expect.stringMatching(/^20/) } });
      const over = documentOf(await both.run(`export --from $OTHER --json ${more}`, { cwd: folder.cwd }));
      expect(over).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    }
  });
});

describe("files that were edited and applied", () => {
  it("are what the next export writes: it changes none of them", async () => {
    await using folder = await exportedFolder();
    await folder.edit("stack/alerts/checkout-is-slow.yaml", "threshold: 800", "threshold: 900");
    const applied = documentOf(await folder.run(`${APPLY} --yes --json`));
    expect(applied).toMatchObject({ exitCode: 0 });
    const again = documentOf(await folder.run(`${EXPORT} --json`));
    expect(again).toMatchObject({ exitCode: 0, archive: { files: { added: [], changed: [] } } });
  });
});
