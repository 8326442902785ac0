import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { beginEntry, intentEntry, journalPath, openJournal, readJournal } from "../support/journal-file.ts";
import { documentOf, stateHome, type CliRun } from "../support/run-cli.ts";
import { importedBench, listRecords, smallBench, watchWrites, type SmallBench } from "../support/small-bench.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const refused = (run: CliRun): void => {
  expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "journal" } });
};
const errorOf = (run: CliRun) => documentOf(run)["error"] as { message: string; hint: string };
const textOf = (bench: SmallBench): Promise<string> => readFile(join(bench.cwd, "j"), "utf8");
const otherState = () => ({ XDG_STATE_HOME: temporaryFolder() });
const withoutSeals = (text: string): string => text.replaceAll(/,"mac":"[0-9a-f]{64}"/g, "");

describe("a journal", () => {
  it("is sealed line by line with a key that only its user can read, outside of the working directory", async () => {
    await using bench = await importedBench();
    const lines = (await textOf(bench)).trim().split("\n");
    expect(lines.every((line) => /,"mac":"[0-9a-f]{64}"\}$/.test(line))).toBe(true);
    const key = join(stateHome(), "stackferry", "journal.key");
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    expect((await stat(join(stateHome(), "stackferry"))).mode & 0o777).toBe(0o700);
    expect(await textOf(bench)).not.toContain((await readFile(key, "utf8")).trim());
  });

  it("that this machine did not write as it is is refused by rollback and import, and nothing is written", async () => {
    await using bench = await importedBench();
    const text = await textOf(bench);
    const writes = watchWrites(bench);
    const end = '{"type":"end","at":"2026-01-01T00:00:00.000Z","result":"complete"}\n';
    for (const [what, edited, state] of [
      ["of another machine", text, otherState()],
      ["with a line changed", text.replace('"name":"One"', '"name":"Two"'), {}],
      ["with a line taken out", text.split("\n").toSpliced(2, 1).join("\n"), {}],
      ["with an unsealed line at its end", `${text}${end}`, {}],
      ["of an earlier version", withoutSeals(text), {}],
    ] as const) {
      await writeFile(join(bench.cwd, "j"), edited);
      const env = { STACKFERRY_API_KEY: bench.to.apiKey ?? "", ...state };
      for (const line of [
        "rollback j --to TO",
        "rollback j --to TO --dry-run --force",
        "rollback j --list",
        "import a.zip --to TO --journal j",
        "import a.zip --to TO --journal j --dry-run",
      ]) {
        const run = await bench.run(line.replace("TO", bench.to.stack).split(" "), { env });
        expect(documentOf(run), what).toMatchObject({ exitCode: 2, error: { code: "journal" } });
        expect(errorOf(run).hint, what).toContain("--accept-foreign-journal");
      }
    }
    expect(writes).toEqual([]);
  });

  it.each(["hunter2", "remember: call Ada", '{"name":"notes"}', '{"type":"begin"}', "\0\0\0"])(
    "is never made of another file that has one line without a line end: %j stays as it is",
    async (text) => {
      await using bench = await smallBench();
      const writes = watchWrites(bench);
      await writeFile(join(bench.cwd, "j"), text);
      for (const run of [await bench.import("--dry-run"), await bench.import(), await bench.rollback()]) refused(run);
      expect([await readFile(join(bench.cwd, "j"), "utf8"), writes]).toEqual([text, []]);
    },
  );

  it("that is empty is named as empty by rollback", async () => {
    await using bench = await importedBench();
    await writeFile(join(bench.cwd, "j"), "");
    const run = await bench.rollback();
    refused(run);
    expect(errorOf(run).message).toMatch(/^the journal .+ is empty$/);
  });

  it("of an earlier version is read with --accept-foreign-journal, and sealed by what is written then", async () => {
    await using bench = await importedBench();
    await writeFile(join(bench.cwd, "j"), withoutSeals(await textOf(bench)));
    const again = await bench.import("--accept-foreign-journal", "--journal", "j");
    expect(documentOf(again)).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
    expect(documentOf(await bench.rollback("--accept-foreign-journal"))).toMatchObject({
      exitCode: 0,
      counts: { delete: 5 },
    });
    expect(await listRecords(bench.to, "dashboards")).toEqual([]);
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, outcomes: [] });
  });

  it("is accepted if a stored record has a member that resembles a seal", async () => {
    const access = { stateFolder: temporaryFolder(), trust: false };
    const path = journalPath();
    const previous = { name: "One", tiles: [{ id: "t", mac: "0".repeat(64) }] };
    for (const entry of [beginEntry, { ...intentEntry(1), write: "update", previous } as const]) {
      await using journal = await openJournal(path, access);
      await journal.append(entry);
    }
    expect((await readJournal(path, access))?.at(-1)).toMatchObject({ previous });
  });

  it("may be moved and renamed on this machine", async () => {
    await using bench = await importedBench();
    await rename(join(bench.cwd, "j"), join(bench.cwd, "k"));
    const run = await bench.run(["rollback", "k", "--to", bench.to.stack]);
    expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { delete: 5 } });
  });

  it("is refused if others can write it, with the chmod command that corrects this", async () => {
    await using bench = await importedBench();
    const path = join(bench.cwd, "j");
    for (const mode of [0o620, 0o602, 0o666]) {
      await chmod(path, mode);
      const run = await bench.rollback("--accept-foreign-journal");
      refused(run);
      expect(errorOf(run).hint).toContain(`chmod 600 ${path}`);
      refused(await bench.import());
    }
    execFileSync("chmod", ["600", path]);
    expect((await bench.rollback()).exitCode).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)("of another user is refused", async () => {
    await using bench = await importedBench();
    execFileSync("chown", ["12345", join(bench.cwd, "j")]);
    const run = await bench.rollback("--accept-foreign-journal");
    refused(run);
    expect(errorOf(run).hint).toContain("chown");
    refused(await bench.import());
  });

  it("is refused at once if it is a link, a folder or a FIFO", async () => {
    await using bench = await importedBench();
    const path = join(bench.cwd, "j");
    await copyFile(path, join(bench.cwd, "real"));
    const makes: (() => unknown)[] = [
      () => symlink("real", path),
      () => mkdir(path),
      () => execFileSync("mkfifo", [path]),
    ];
    for (const make of makes) {
      await rm(path, { recursive: true });
      await make();
      refused(await bench.rollback("--accept-foreign-journal"));
      refused(await bench.import("--accept-foreign-journal", "--journal", "j"));
    }
  });

  it("is written without a seal, with a warning, if no key can be stored", async () => {
    await using bench = await smallBench();
    await writeFile(join(bench.cwd, "file"), "");
    const env = { STACKFERRY_API_KEY: bench.to.apiKey ?? "", XDG_STATE_HOME: join(bench.cwd, "file") };
    const run = await bench.run(["import", "a.zip", "--to", bench.to.stack, "--journal", "j"], { env });
    expect(documentOf(run)).toMatchObject({ exitCode: 0, warnings: [{ code: "journal-unsealed" }] });
    refused(await bench.rollback());
    expect(documentOf(await bench.rollback("--accept-foreign-journal"))).toMatchObject({
      exitCode: 0,
      counts: { delete: 5 },
    });
  });
});

describe("the key that seals journals", () => {
  it("is refused if others can read it, if it is a link, and if it holds no key", async () => {
    await using bench = await importedBench();
    const state = temporaryFolder();
    const key = join(state, "stackferry", "journal.key");
    const env = { STACKFERRY_API_KEY: bench.to.apiKey ?? "", XDG_STATE_HOME: state };
    await mkdir(join(state, "stackferry"));
    await copyFile(join(stateHome(), "stackferry", "journal.key"), key);
    const words = ["rollback", "j", "--to", bench.to.stack, "--dry-run"];
    await chmod(key, 0o644);
    refused(await bench.run(words, { env }));
    await chmod(key, 0o600);
    expect((await bench.run(words, { env })).exitCode).toBe(0);
    await writeFile(key, "no key");
    refused(await bench.run(words, { env }));
    await rm(key);
    await symlink(join(stateHome(), "stackferry", "journal.key"), key);
    refused(await bench.run(words, { env }));
  });
});

it("--accept-foreign-journal of an import requires --journal", async () => {
  await using bench = await smallBench();
  const run = await bench.run(["import", "a.zip", "--to", bench.to.stack, "--accept-foreign-journal"]);
  expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "usage" } });
});
