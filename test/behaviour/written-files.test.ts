import { readFile, lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { smallBench } from "../support/small-bench.ts";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { documentOf } from "../support/run-cli.ts";

describe("what a run writes beside its work", () => {
  it("never takes the place of the archive it reads", async () => {
    await using bench = await smallBench();
    const before = await readFile(join(bench.cwd, "a.zip"));
    for (const more of [
      ["--report", "a.zip", "--dry-run"],
      ["--report", "a.zip"],
    ]) {
      const run = await bench.import(...more);
      expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("is not a report")]);
    }
    await bench.run(["verify", "a.zip", "--metrics-file", "a.zip"]);
    expect(await readFile(join(bench.cwd, "a.zip"))).toEqual(before);
  });

  it("never takes the place of the journal, and is refused before anything is written", async () => {
    await using bench = await smallBench();
    let writes = 0;
    bench.watch = ({ method }, proceed) => {
      if (method !== "GET") writes += 1;
      return proceed();
    };
    const run = await bench.import("--report", "j");
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("names the journal")]);
    expect(writes).toBe(0);
  });
});

describe("a folder for state below a folder that takes no entries", () => {
  it.runIf(process.platform === "linux")("costs a run its memory, and does not stop it", async () => {
    await using bench = await smallBench();
    await mkdir(join(bench.cwd, "repo"));
    const env = { ...bench.env, XDG_STATE_HOME: "/proc/none/state" };
    expect((await bench.run(["backup", bench.from.stack, "--to", "repo"], { env })).exitCode).toBe(0);
    const run = documentOf(await bench.run(bench.migration("--journal", "k"), { env }));
    expect(run).toMatchObject({ exitCode: 0, warnings: [{ code: "journal-unsealed" }] });
    const out = ["export", "--from", bench.from.stack, "--format", "code", "--out", "/proc/none/files"];
    expect(documentOf(await bench.run(out))).toMatchObject({ exitCode: 1, error: { code: "archive-io" } });
  });
});

describe("a diff whose filter fits nothing", () => {
  it("is a mistake, and not that nothing differs", async () => {
    await using bench = await smallBench();
    const run = await bench.run(["diff", "a.zip", "a.zip", "--include", "no such name", "--exit-code"]);
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("--include no such name")]);
  });
});

const AGE = "age-encryption.org/v1\n-> X25519 somebody's\n";

describe("an export in the place of a file that we did not write", () => {
  it.each([
    ["notes.zip", "somebody's notes"],
    ["other.zip", "PK\u0003\u0004another program's zip"],
    ["key.zip", AGE],
  ])("%s is refused before the stack is asked, and the file stays", async (name, content) => {
    await using bench = await smallBench();
    await writeFile(join(bench.cwd, name), content);
    const run = documentOf(await bench.run(["export", "--from", bench.from.stack, "--out", name]));
    expect(run).toMatchObject({ exitCode: 2, error: { code: "usage" }, requests: { total: 0 } });
    expect(await readFile(join(bench.cwd, name), "utf8")).toBe(content);
  });

  it("replaces an archive, encrypted or not, and no signature that is none", async () => {
    await using bench = await smallBench();
    const { privateKey } = generateKeyPairSync("ed25519");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" });
    await writeFile(join(bench.cwd, "sign.key"), pem, { mode: 0o600 });
    const args = ["export", "--from", bench.from.stack, "--out", "b.zip", "--sign", "sign.key"];
    for (const _ of [1, 2]) expect((await bench.run(args)).exitCode).toBe(0);
    await writeFile(join(bench.cwd, "b.zip.sig"), "somebody's");
    expect((await bench.run(args)).exitCode).toBe(2);
    const encrypted = ["export", "--from", bench.from.stack, "--out", "c.zip.age"];
    const env = { ...bench.env, STACKFERRY_PASSPHRASE: "cheap" };
    await writeFile(join(bench.cwd, "c.zip.age"), "somebody's");
    expect((await bench.run(encrypted, { env })).exitCode).toBe(2);
    await writeFile(join(bench.cwd, "c.zip.age"), AGE);
    expect((await bench.run(encrypted, { env })).exitCode).toBe(0);
  });
});

describe("a state in the place of a file that we did not write", () => {
  it.each<[string, (path: string) => unknown]>([
    ["a text", (path) => writeFile(path, "somebody's notes")],
    ["a key", (path) => writeFile(path, "AGE-SECRET-KEY-1QQQ", { mode: 0o600 })],
    ["another program's JSON", (path) => writeFile(path, '{"format":"other"}')],
    ["a FIFO", (path) => execFileSync("mkfifo", [path])],
  ])("is refused where it is %s", async (_, make) => {
    await using bench = await smallBench();
    const path = join(bench.cwd, "precious");
    await make(path);
    const before = await lstat(path);
    const args = ["migrate", "--from", bench.from.stack, "--to", bench.to.stack, "--state", path, "--yes"];
    expect(documentOf(await bench.run(args))).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    expect((await lstat(path)).ino).toBe(before.ino);
  });
});
